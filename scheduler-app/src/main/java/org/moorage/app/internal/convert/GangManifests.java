// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.convert;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.moorage.app.internal.process.CommandException;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Manifests whose gangs are converted from Coscheduling's to those of Kubernetes: PodGroups of {@code
 * scheduling.x-k8s.io} to PodGroups of {@code scheduling.k8s.io}, and the label of a pod or a pod template to its
 * {@code spec.schedulingGroup}. Everything else is kept as it is written.
 */
final class GangManifests {
    private static final String LABEL = "scheduling.x-k8s.io/pod-group";
    private static final String BEFORE = "scheduling.x-k8s.io/v1alpha1";
    private static final String AFTER = "scheduling.k8s.io/v1beta1";
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    // A name that YAML cannot take for another value.
    private static final Pattern PLAIN = Pattern.compile("[a-z][-a-z0-9.]*");
    private static final Set<String> WORDS = Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null");
    private static final String TIMEOUT =
            "Not converted: Kubernetes places all pods of a gang in one attempt, so that no pod waits for this"
                    + " timeout.";
    private static final String RESOURCES =
            "Not converted: Kubernetes binds no pod of a gang unless enough of its pods fit.";
    private static final Map<String, String> REMARKS =
            Map.of("scheduleTimeoutSeconds", TIMEOUT, "minResources", RESOURCES);

    private final List<Source> sources = new ArrayList<>();
    private final Consumer<String> notes;
    // The priority classes of the pods of each group, by its namespace and name.
    private final Map<String, Set<String>> prioritiesByGroup = new TreeMap<>();
    private int groups;
    private int pods;

    /** A text of manifests, and the name of its source. */
    private record Source(String name, YamlText yaml) {}

    /** A mapping with apiVersion and kind. */
    private record Resource(String source, int document, MappingNode root) {
        String namespace() {
            String namespace = YamlText.scalar(root, "metadata", "namespace");
            return namespace.isEmpty() ? "default" : namespace;
        }

        CommandException error(String path, String value, String expected) {
            return new CommandException(source + ": document " + document + ": " + YamlText.scalar(root, "kind") + " "
                    + namespace() + "/" + YamlText.scalar(root, "metadata", "name") + ": " + path + ": \"" + value
                    + "\" (expected: " + expected + ")");
        }
    }

    /** A pod or a pod template with the label. */
    private record Labelled(Resource resource, MappingNode pod, String group) {}

    /**
     * Creates an instance without manifests.
     *
     * @param notes receives what differs, or is not converted, one line each
     */
    GangManifests(Consumer<String> notes) {
        this.notes = notes;
    }

    /**
     * Adds manifests.
     *
     * @throws CommandException if they cannot be read
     */
    void add(String source, String text) {
        try {
            sources.add(new Source(source, YamlText.parse(text)));
        } catch (MarkedYAMLException malformed) {
            String line = malformed.getProblemMark() == null
                    ? ""
                    : ":" + (malformed.getProblemMark().getLine() + 1);
            throw new CommandException(source + line + ": " + malformed.getProblem() + " (expected: YAML)", malformed);
        } catch (YAMLException malformed) {
            throw new CommandException(source + ": " + firstLine(malformed) + " (expected: YAML)", malformed);
        }
    }

    private static String firstLine(YAMLException malformed) {
        return String.valueOf(malformed.getMessage()).lines().findFirst().orElse("");
    }

    /**
     * Converts the manifests.
     *
     * @return the text of each source, in order
     * @throws CommandException if a field has a value that cannot be converted
     */
    List<String> convert() {
        List<Labelled> labelled = new ArrayList<>();
        Map<Source, List<Resource>> podGroups = new IdentityHashMap<>();
        for (Source source : sources) {
            List<Resource> ofSource = new ArrayList<>();
            Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());
            for (int i = 0; i < source.yaml.documents().size(); i++) {
                find(source.name, i + 1, null, source.yaml.documents().get(i), seen, ofSource, labelled);
            }
            podGroups.put(source, ofSource);
        }
        List<String> converted = new ArrayList<>();
        for (Source source : sources) {
            for (Labelled pod : labelled) {
                if (pod.resource.source.equals(source.name)) {
                    convert(source.yaml, pod);
                }
            }
            for (Resource group : podGroups.getOrDefault(source, List.of())) {
                convert(source.yaml, group);
            }
            String text = source.yaml.edited();
            reportRest(source.name, text);
            converted.add(text);
        }
        report();
        return converted;
    }

    private void find(
            String source,
            int document,
            @Nullable Resource around,
            Node node,
            Set<Node> seen,
            List<Resource> podGroups,
            List<Labelled> labelled) {
        if (!seen.add(node)) {
            return;
        }
        if (node instanceof SequenceNode sequence) {
            sequence.getValue().forEach(item -> find(source, document, around, item, seen, podGroups, labelled));
            return;
        }
        if (!(node instanceof MappingNode mapping)) {
            return;
        }
        Resource resource = around;
        String kind = YamlText.scalar(mapping, "kind");
        String apiVersion = YamlText.scalar(mapping, "apiVersion");
        if (!kind.isEmpty() && !apiVersion.isEmpty()) {
            resource = new Resource(source, document, mapping);
            if (kind.equals("PodGroup") && apiVersion.startsWith("scheduling.x-k8s.io/")) {
                if (!apiVersion.equals(BEFORE)) {
                    throw resource.error("apiVersion", apiVersion, BEFORE);
                }
                podGroups.add(resource);
                return;
            }
        }
        String group = YamlText.scalar(mapping, "metadata", "labels", LABEL);
        if (resource != null
                && !group.isEmpty()
                && YamlText.value(mapping, "spec", "containers").isPresent()) {
            labelled.add(labelled(resource, mapping, group));
        }
        for (NodeTuple field : mapping.getValue()) {
            find(source, document, resource, field.getValueNode(), seen, podGroups, labelled);
        }
    }

    private Labelled labelled(Resource resource, MappingNode pod, String group) {
        if (!NAME.matcher(group).matches()) {
            throw resource.error("metadata.labels[" + LABEL + "]", group, "the name of a PodGroup");
        }
        prioritiesByGroup
                .computeIfAbsent(resource.namespace() + "/" + group, any -> new TreeSet<>())
                .add(YamlText.scalar(pod, "spec", "priorityClassName"));
        return new Labelled(resource, pod, group);
    }

    private void convert(YamlText yaml, Labelled labelled) {
        MappingNode pod = labelled.pod;
        if (YamlText.value(pod, "spec", "schedulingGroup").isPresent()) {
            note(labelled.resource, "has spec.schedulingGroup already, and is not converted");
            return;
        }
        if (YamlText.value(pod, "spec").orElseThrow() instanceof MappingNode spec) {
            String name = isPlain(labelled.group) ? labelled.group : '"' + labelled.group + '"';
            String flow = YamlText.isJson(spec)
                    ? "\"schedulingGroup\": {\"podGroupName\": \"" + labelled.group + "\"}"
                    : "schedulingGroup: {podGroupName: " + name + "}";
            yaml.addFirst(spec, List.of("schedulingGroup:", "  podGroupName: " + name), flow);
            pods++;
        }
        if (isSelected(labelled)) {
            note(labelled.resource, "keeps the label " + LABEL + ", which its selector names");
        } else {
            removeLabel(yaml, pod);
        }
    }

    private static boolean isPlain(String name) {
        return PLAIN.matcher(name).matches() && !WORDS.contains(name);
    }

    // The label of a selector must be in the template.
    private static boolean isSelected(Labelled labelled) {
        MappingNode root = labelled.resource.root;
        return !YamlText.scalar(root, "spec", "selector", "matchLabels", LABEL).isEmpty()
                || !YamlText.scalar(root, "spec", "selector", LABEL).isEmpty();
    }

    private static void removeLabel(YamlText yaml, MappingNode pod) {
        NodeTuple metadata = YamlText.field(pod, "metadata").orElseThrow();
        NodeTuple labels = YamlText.field(metadata.getValueNode(), "labels").orElseThrow();
        if (!(metadata.getValueNode() instanceof MappingNode fields)
                || !(labels.getValueNode() instanceof MappingNode all)) {
            return;
        }
        if (all.getValue().size() > 1) {
            yaml.remove(all, YamlText.field(all, LABEL).orElseThrow());
        } else if (fields.getValue().size() > 1) {
            yaml.remove(fields, labels);
        } else {
            yaml.empty(metadata);
        }
    }

    private void convert(YamlText yaml, Resource group) {
        groups++;
        Node version = YamlText.value(group.root, "apiVersion").orElseThrow();
        yaml.replace(version, yaml.written(version).replace(BEFORE, AFTER));
        YamlText.field(group.root, "status").ifPresent(status -> yaml.remove(group.root, status));
        long minMember = minMember(group);
        String policy = minMember > 0 ? "gang" : "basic";
        if (minMember <= 0) {
            note(group, "has no minMember, so that its pods are scheduled on their own (schedulingPolicy basic)");
        }
        List<String> block = new ArrayList<>(List.of("schedulingPolicy:"));
        block.addAll(minMember > 0 ? List.of("  gang:", "    minCount: " + minMember) : List.of("  basic: {}"));
        String priority = priority(group);
        if (!priority.isEmpty()) {
            block.add("priorityClassName: " + (isPlain(priority) ? priority : '"' + priority + '"'));
        }
        Optional<NodeTuple> spec = YamlText.field(group.root, "spec");
        boolean isBlock = spec.map(NodeTuple::getValueNode)
                .filter(node -> node instanceof MappingNode fields
                        && !YamlText.isFlow(node)
                        && !fields.getValue().isEmpty())
                .isPresent();
        if (isBlock && spec.get().getValueNode() instanceof MappingNode fields) {
            convertBlock(yaml, group, fields, block);
        } else {
            convertFlow(yaml, group, spec, policy, minMember, priority, block);
        }
    }

    private void convertBlock(YamlText yaml, Resource group, MappingNode fields, List<String> block) {
        Optional<NodeTuple> minMember = YamlText.field(fields, "minMember");
        minMember.ifPresentOrElse(field -> yaml.replace(field, block), () -> yaml.addFirst(fields, block, ""));
        for (NodeTuple field : fields.getValue()) {
            String name = name(field);
            if (!name.equals("minMember")) {
                yaml.comment(field, remark(group, name));
            }
        }
    }

    private void convertFlow(
            YamlText yaml,
            Resource group,
            Optional<NodeTuple> spec,
            String policy,
            long minMember,
            String priority,
            List<String> block) {
        boolean isJson = YamlText.isJson(group.root);
        String quote = isJson ? "\"" : "";
        String count = minMember > 0 ? "{" + quote + "minCount" + quote + ": " + minMember + "}" : "{}";
        String value = "{" + quote + "schedulingPolicy" + quote + ": {" + quote + policy + quote + ": " + count + "}"
                + (priority.isEmpty() ? "" : ", " + quote + "priorityClassName" + quote + ": \"" + priority + '"')
                + "}";
        if (spec.isEmpty()) {
            List<String> lines = new ArrayList<>(List.of("spec:"));
            block.forEach(line -> lines.add("  " + line));
            yaml.addFirst(group.root, lines, quote + "spec" + quote + ": " + value);
            return;
        }
        Node old = spec.get().getValueNode();
        if (old instanceof MappingNode fields) {
            for (NodeTuple field : fields.getValue()) {
                String name = name(field);
                if (!name.equals("minMember")) {
                    String remark = remark(group, name);
                    if (!YamlText.isFlow(group.root)) {
                        yaml.addComment(
                                spec.get().getKeyNode(),
                                name + ": " + yaml.written(field.getValueNode()).replaceAll("\\s+", " ") + ": "
                                        + remark);
                    }
                }
            }
        }
        yaml.replace(old, value);
    }

    /** Notes that a field of a group's specification is not converted, and returns the reason. */
    private String remark(Resource group, String name) {
        String remark = REMARKS.getOrDefault(name, "Not converted: unknown to PodGroups of Kubernetes.");
        note(group, "spec." + name + ": " + remark);
        return remark;
    }

    private static String name(NodeTuple field) {
        return field.getKeyNode() instanceof ScalarNode key ? key.getValue() : "?";
    }

    private static long minMember(Resource group) {
        Optional<Node> written = YamlText.value(group.root, "spec", "minMember");
        if (written.isEmpty()) {
            return 0;
        }
        String text = YamlText.scalar(group.root, "spec", "minMember");
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException noNumber) {
            throw group.error("spec.minMember", text, "a number up to " + Integer.MAX_VALUE);
        }
    }

    // All pods of a group of Kubernetes have its priority.
    private String priority(Resource group) {
        Set<String> priorities = prioritiesByGroup.getOrDefault(
                group.namespace() + "/" + YamlText.scalar(group.root, "metadata", "name"), Set.of());
        if (priorities.size() > 1) {
            note(
                    group,
                    "its pods have several priority classes, " + String.join(", ", priorities)
                            + "; Kubernetes does not schedule such a group");
        }
        return priorities.size() == 1 ? priorities.iterator().next() : "";
    }

    private void note(Resource resource, String what) {
        notes.accept(resource.source + ":" + YamlText.line(resource.root) + ": "
                + YamlText.scalar(resource.root, "kind") + " " + resource.namespace() + "/"
                + YamlText.scalar(resource.root, "metadata", "name") + ": " + what);
    }

    // Labels behind aliases and merge keys, in texts and outside of pods.
    private void reportRest(String source, String text) {
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains("scheduling.x-k8s.io/")) {
                notes.accept(source + ": line " + (i + 1) + " of the result still names scheduling.x-k8s.io: "
                        + lines.get(i).strip());
            }
        }
    }

    private void report() {
        if (groups + pods == 0) {
            notes.accept(
                    "no PodGroup of scheduling.x-k8s.io and no pod with the label " + LABEL + "; nothing is converted");
            return;
        }
        notes.accept(groups + (groups == 1 ? " PodGroup and " : " PodGroups and ") + pods
                + (pods == 1 ? " pod or template" : " pods or templates")
                + " converted. The API server and the scheduler need --feature-gates=GenericWorkload=true, and the API"
                + " server --runtime-config=scheduling.k8s.io/v1beta1=true.");
    }
}
