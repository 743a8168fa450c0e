// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.command;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OwnerReference;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceSlice;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.report.NodeLabels;
import org.moorage.objects.Suggestions;
import org.moorage.simulation.dump.ClusterDumpReader;
import org.moorage.simulation.whatif.NodeTemplate;

/** Finds the types of nodes that a person names: a file with a node, a node of the cluster, or an instance type that nodes of it have. */
final class NodeTypes {
    private static final String FILE = ".*(?:/.*|\\.(?:yaml|yml|json))";

    private final AskedCluster asked;
    private final List<Node> nodes;
    private final List<String> zones;

    /** The types that are known in a cluster, whose new nodes are spread among zones. */
    NodeTypes(AskedCluster asked, List<String> zones) {
        this.asked = asked;
        this.zones = zones;
        nodes = asked.nodes();
    }

    /**
     * The type of that name.
     *
     * @throws CommandException if there is none
     */
    NodeTemplate find(String name) {
        if (name.matches(FILE)) {
            return ofFile(name);
        }
        Optional<Node> node = nodes.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .or(() -> nodes.stream()
                        .filter(known -> NodeLabels.instanceType(known).equals(name))
                        .findFirst());
        if (node.isPresent()) {
            return copying(name, node.get());
        }
        if (isFile(name)) {
            return ofFile(name);
        }
        Set<String> known = new LinkedHashSet<>();
        for (Node other : nodes) {
            known.add(other.name());
            known.add(NodeLabels.instanceType(other));
        }
        known.remove("");
        throw new CommandException("\"" + name
                + "\" is no node, no instance type of a node, and no file (expected: one of these)."
                + Suggestions.hint(name, known));
    }

    private static boolean isFile(String name) {
        try {
            return Files.isRegularFile(Path.of(name));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private NodeTemplate ofFile(String file) {
        List<ClusterObject> objects = new ClusterDumpReader(asked.config(), asked.registry())
                .read(List.of(file), InputStream.nullInputStream())
                .objects();
        if (objects.size() != 1 || !(objects.get(0) instanceof Node node)) {
            List<String> found = new ArrayList<>();
            objects.stream()
                    .limit(3)
                    .forEach(object -> found.add(ObjectKind.of(object).kind() + " " + object.key()));
            throw new CommandException(file + ": " + String.join(", ", found) + (objects.size() > 3 ? ", ..." : "")
                    + " (expected: one Node)");
        }
        String name = String.valueOf(Path.of(file).getFileName());
        NodeTemplate type = new NodeTemplate(name, prefix(node.name()), node, List.of(), List.of(), zones);
        return type.withDaemonPods(asked.daemonPods(type.newNode(1)));
    }

    private NodeTemplate copying(String name, Node node) {
        List<ClusterObject> beside = new ArrayList<>();
        for (ClusterObject object : asked.dump().objects()) {
            boolean isOfNode = object instanceof CsiNode && object.name().equals(node.name())
                    || object instanceof ResourceSlice slice
                            && slice.nodeSelection().nodeName().equals(node.name());
            if (isOfNode) {
                beside.add(object);
            }
        }
        NodeTemplate type = new NodeTemplate(name, prefix(name), node, beside, List.of(), zones);
        return type.withDaemonPods(asked.hasDaemonSets() ? asked.daemonPods(type.newNode(1)) : daemonPodsOn(node));
    }

    // Where the DaemonSets are not known, what they have on the copied node.
    private List<Pod> daemonPodsOn(Node node) {
        List<Pod> pods = new ArrayList<>();
        for (Pod pod : asked.dump().pods()) {
            boolean isOfDaemonSet = pod.metadata()
                    .controller()
                    .map(OwnerReference::kind)
                    .filter("DaemonSet"::equals)
                    .isPresent();
            if (pod.nodeName().equals(node.name())
                    && isOfDaemonSet
                    && !pod.status().isTerminal()) {
                pods.add(pod);
            }
        }
        return pods;
    }

    private String prefix(String name) {
        String prefix = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]", "-") + "-new-";
        while (startsAny(prefix)) {
            prefix += "new-";
        }
        return prefix;
    }

    private boolean startsAny(String prefix) {
        return nodes.stream().anyMatch(node -> node.name().startsWith(prefix));
    }
}
