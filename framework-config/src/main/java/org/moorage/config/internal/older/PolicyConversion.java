// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.older;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.Suggestion;
import org.moorage.config.internal.ZeroIsUnset;

/**
 * Converts a Policy, kube-scheduler's configuration before plugins, to a profile: {@code v1}'s default plugins without
 * those that correspond to no predicate or priority, with the weights of the priorities.
 *
 * <p>Predicates and priorities map to plugins as in kube-scheduler 1.22. Everything else, such as preemption, binding
 * and later plugins, is enabled by default.
 */
final class PolicyConversion {
    static final String KIND = "Policy";
    static final Set<String> API_VERSIONS = Set.of("v1", ConfigFormat.API_VERSION);

    private static final String NODE_AFFINITY = "NodeAffinity";
    private static final String TAINTS = "TaintToleration";
    private static final String AFFINITY = "InterPodAffinity";
    private static final String LIMITS = "NodeVolumeLimits";
    private static final String BALANCE = "NodeResourcesBalancedAllocation";

    private static final String MOST = "MostRequestedPriority";
    private static final String RATIO = "RequestedToCapacityRatio";

    private static final Set<String> NOT_ANY_MORE = Set.of("NodePreferAvoidPodsPriority", "ResourceLimitsPriority");
    private static final Map<String, List<String>> PREDICATES = predicates();
    private static final Set<String> MANDATORY = Set.of(TAINTS, "NodeUnschedulable");
    private static final Map<String, String> PRIORITIES = priorities();

    /** A plugin that corresponds to predicates, priorities, or both, with its weight in v1. */
    private record Role(String plugin, boolean filters, int weight) {}

    private static final List<Role> ROLES = List.of(
            new Role("NodeUnschedulable", true, 0),
            new Role("NodeName", true, 0),
            new Role(TAINTS, true, 3),
            new Role(NODE_AFFINITY, true, 2),
            new Role("NodePorts", true, 0),
            new Role(ProfileEdit.FIT, true, 1),
            new Role("VolumeRestrictions", true, 0),
            new Role(LIMITS, true, 0),
            new Role("VolumeBinding", true, 0),
            new Role("VolumeZone", true, 0),
            new Role(ProfileEdit.SPREAD, true, 2),
            new Role(AFFINITY, true, 2),
            new Role(BALANCE, false, 1),
            new Role("ImageLocality", false, 1));

    private final Conversion conversion;
    private final ProfileEdit profile;

    PolicyConversion(Conversion conversion, ProfileEdit profile) {
        this.conversion = conversion;
        this.profile = profile;
    }

    private static Map<String, List<String>> predicates() {
        Map<String, List<String>> plugins = new HashMap<>();
        plugins.put("GeneralPredicates", List.of(ProfileEdit.FIT, "NodeName", "NodePorts", NODE_AFFINITY));
        plugins.put("PodFitsResources", List.of(ProfileEdit.FIT));
        plugins.put("HostName", List.of("NodeName"));
        plugins.put("PodFitsHostPorts", List.of("NodePorts"));
        plugins.put("PodFitsPorts", List.of("NodePorts"));
        plugins.put("MatchNodeSelector", List.of(NODE_AFFINITY));
        plugins.put("CheckNodeUnschedulable", List.of("NodeUnschedulable"));
        plugins.put("CheckVolumeBinding", List.of("VolumeBinding"));
        plugins.put("NoDiskConflict", List.of("VolumeRestrictions"));
        plugins.put("NoVolumeZoneConflict", List.of("VolumeZone"));
        plugins.put("MatchInterPodAffinity", List.of(AFFINITY));
        plugins.put("EvenPodsSpread", List.of(ProfileEdit.SPREAD));
        for (String limit :
                List.of("CSIVolumeCountPred", "EBSVolumeCount", "GCEPDVolumeCount", "AzureDiskVolumeCount")) {
            plugins.put("Max" + limit, List.of(LIMITS));
        }
        plugins.put("MaxCinderVolumeCount", List.of(LIMITS));
        plugins.put("PodToleratesNodeTaints", List.of(TAINTS));
        // Since Kubernetes 1.18 taints express these.
        for (String condition : List.of("Condition", "MemoryPressure", "DiskPressure", "PIDPressure")) {
            plugins.put("CheckNode" + condition, List.of(TAINTS));
        }
        // Without labels they reject nothing.
        plugins.put("CheckNodeLabelPresence", List.of());
        plugins.put("CheckServiceAffinity", List.of());
        return plugins;
    }

    private static Map<String, String> priorities() {
        Map<String, String> plugins = new HashMap<>();
        plugins.put("SelectorSpreadPriority", ProfileEdit.SPREAD);
        plugins.put("ServiceSpreadingPriority", ProfileEdit.SPREAD);
        plugins.put("EvenPodsSpreadPriority", ProfileEdit.SPREAD);
        plugins.put("InterPodAffinityPriority", AFFINITY);
        plugins.put("LeastRequestedPriority", ProfileEdit.FIT);
        plugins.put(MOST, ProfileEdit.FIT);
        plugins.put(RATIO, ProfileEdit.FIT);
        plugins.put("BalancedResourceAllocation", BALANCE);
        plugins.put("NodeAffinityPriority", NODE_AFFINITY);
        plugins.put("TaintTolerationPriority", TAINTS);
        plugins.put("ImageLocalityPriority", "ImageLocality");
        return plugins;
    }

    /** Converts the Policy at a path; its extenders stay there. */
    void convert(String path) {
        Policy policy = conversion.read(path, Policy.class);
        checkKind(policy, conversion.at(path));
        Optional<Set<String>> filters = policy.predicates.map(given -> filters(given, path + ".predicates"));
        Map<String, Integer> weights = policy.priorities
                .map(given -> weights(given, path + ".priorities"))
                .orElseGet(PolicyConversion::defaultWeights);
        int hardAffinity = policy.hardPodAffinitySymmetricWeight;
        if (policy.alwaysCheckAllPredicates) {
            conversion.warn(
                    path + ".alwaysCheckAllPredicates",
                    "has no effect: the first plugin that rejects a node says why, and decisions are the same");
        }
        if (conversion.tree().at(profile.path("plugins")) instanceof ObjectNode plugins && !plugins.isEmpty()) {
            conversion.at(profile.path("plugins")).report("given together with a Policy (expected: only one of them)");
            return;
        }
        if (hardAffinity != 0 && weights.containsKey(AFFINITY)) {
            String from = path + ".hardPodAffinitySymmetricWeight";
            String arg = profile.args(AFFINITY, from) + ".hardPodAffinityWeight";
            conversion.tree().put(arg, IntNode.valueOf(hardAffinity), from);
        }
        write(filters, weights, policy.priorities.isPresent(), path);
    }

    @ZeroIsUnset
    record Policy(
            String kind,
            String apiVersion,
            JsonNode extenders,
            Optional<List<Predicate>> predicates,
            Optional<List<Priority>> priorities,
            int hardPodAffinitySymmetricWeight,
            boolean alwaysCheckAllPredicates) {
        static final Policy DEFAULTS =
                new Policy(KIND, "v1", MissingNode.getInstance(), Optional.empty(), Optional.empty(), 0, false);
    }

    private record Predicate(String name, Optional<PredicateArgument> argument) {}

    private record PredicateArgument(Optional<Labels> serviceAffinity, Optional<LabelsPresence> labelsPresence) {}

    private record Labels(List<String> labels) {}

    private record LabelsPresence(List<String> labels, boolean presence) {}

    private record Priority(String name, int weight, Optional<PriorityArgument> argument) {}

    private record PriorityArgument(
            Optional<Label> serviceAntiAffinity,
            Optional<LabelPreference> labelPreference,
            Optional<Ratio> requestedToCapacityRatioArguments) {}

    private record Label(String label) {}

    private record LabelPreference(String label, boolean presence) {}

    private record Ratio(JsonNode shape, JsonNode resources) {}

    private static void checkKind(Policy policy, Problems problems) {
        if (!policy.kind.equals(KIND)) {
            problems.at("kind").invalid(policy.kind, KIND);
        }
        if (!API_VERSIONS.contains(policy.apiVersion)) {
            problems.at("apiVersion").invalid(policy.apiVersion, "v1");
        }
    }

    /** Returns the plugins that filter. */
    private Set<String> filters(List<Predicate> predicates, String path) {
        Set<String> plugins = new LinkedHashSet<>(MANDATORY);
        for (int i = 0; i < predicates.size(); i++) {
            Predicate predicate = predicates.get(i);
            Problems at = conversion.at(path).at(i);
            if (predicate.argument.isPresent()) {
                custom(predicate.argument.get(), at.at("argument"), plugins);
            } else if (PREDICATES.containsKey(predicate.name)) {
                plugins.addAll(PREDICATES.getOrDefault(predicate.name, List.of()));
            } else {
                unknown(at.at("name"), predicate.name, "predicate", PREDICATES.keySet());
            }
        }
        return plugins;
    }

    private void custom(PredicateArgument argument, Problems at, Set<String> plugins) {
        checkOne(at, argument.serviceAffinity, argument.labelsPresence);
        argument.serviceAffinity.ifPresent(service -> at.at("serviceAffinity")
                .at("labels")
                .report(service.labels
                        + " (expected: none; no plugin keeps the pods of a Service"
                        + " on nodes with the same labels any more, pods say so by podAffinity)"));
        argument.labelsPresence.ifPresent(given -> {
            String from = at.at("labelsPresence").path();
            conversion.warn(from, "is the argument addedAffinity of NodeAffinity");
            profile.requireLabels(
                    given.presence ? given.labels : List.of(), given.presence ? List.of() : given.labels, from);
            plugins.add(NODE_AFFINITY);
        });
    }

    private static void checkOne(Problems at, Optional<?>... given) {
        long count = Stream.of(given).filter(Optional::isPresent).count();
        if (count != 1) {
            at.report(count + " arguments (expected: one)");
        }
    }

    private void unknown(Problems at, String name, String what, Set<String> known) {
        if (name.isEmpty()) {
            at.missing("the name of a " + what);
        } else if (conversion.takesUnknownPlugins()) {
            conversion.warn(at.path(), name + " is skipped: no plugin implements this " + what);
        } else {
            at.report("\"" + name + "\" (expected: a " + what + " of kube-scheduler 1.22)"
                    + Suggestion.closest(name, known)
                            .map(close -> ". " + Suggestion.question(close))
                            .orElse(""));
        }
    }

    private static Map<String, Integer> defaultWeights() {
        Map<String, Integer> byPlugin = new HashMap<>();
        for (Role role : ROLES) {
            byPlugin.put(role.plugin, role.plugin.equals(ProfileEdit.SPREAD) ? 2 : 1);
        }
        return byPlugin;
    }

    /** Returns the weights of the plugins that score. */
    private Map<String, Integer> weights(List<Priority> priorities, String path) {
        Map<String, Integer> byPriority = new TreeMap<>();
        String byRoom = "";
        for (int i = 0; i < priorities.size(); i++) {
            Priority priority = priorities.get(i);
            Problems at = conversion.at(path).at(i);
            Problems nameAt = at.at("name");
            if (priority.weight <= 0) {
                at.at("weight").invalid(priority.weight, "more than 0");
            }
            String known = priority.argument
                    .map(argument -> customPriority(argument, at.at("argument")))
                    .orElse(priority.name);
            if (PRIORITIES.containsKey(known)) {
                byPriority.put(known, priority.weight);
            } else if (NOT_ANY_MORE.contains(known)) {
                conversion.warn(nameAt.path(), known + " is skipped: this score no longer exists");
            } else if (priority.argument.isEmpty() && !known.equals("EqualPriority")) {
                unknown(nameAt, priority.name, "priority", PRIORITIES.keySet());
            }
            if (ProfileEdit.FIT.equals(PRIORITIES.get(known))) {
                if (!byRoom.isEmpty() && !byRoom.equals(known)) {
                    nameAt.invalid(known, "one priority by room, since NodeResourcesFit has one scoringStrategy");
                }
                byRoom = known;
                if (known.equals(MOST)) {
                    profile.score("MostAllocated", JsonNodeFactory.instance.objectNode(), nameAt.path());
                }
            }
        }
        // The first priority by name determines the weight of a plugin.
        Map<String, Integer> byPlugin = new HashMap<>();
        byPriority.forEach((priority, weight) -> byPlugin.putIfAbsent(plugin(priority), weight));
        chooseSpreading(byPriority.keySet(), path);
        return byPlugin;
    }

    private static String plugin(String priority) {
        return PRIORITIES.getOrDefault(priority, priority);
    }

    /** Returns the priority that an argument stands for, under any name; empty if it no longer exists. */
    private String customPriority(PriorityArgument argument, Problems at) {
        Optional<Ratio> ratio = argument.requestedToCapacityRatioArguments;
        checkOne(at, argument.serviceAntiAffinity, argument.labelPreference, ratio);
        argument.serviceAntiAffinity.ifPresent(service -> conversion.warn(
                at.at("serviceAntiAffinity").path(), "skipped: pods of a Service are not spread by " + service.label));
        argument.labelPreference.ifPresent(preference -> conversion.warn(
                at.at("labelPreference").path(), "skipped: nodes are not preferred by " + preference.label));
        String ratioAt = at.at("requestedToCapacityRatioArguments").path();
        if (ratio.isPresent() && conversion.tree().at(ratioAt) instanceof ObjectNode given) {
            profile.score("RequestedToCapacityRatio", given, ratioAt);
        }
        return ratio.isPresent() ? RATIO : "";
    }

    // SelectorSpreadPriority is the default constraints of PodTopologySpread,
    // EvenPodsSpreadPriority those of pods alone.
    private void chooseSpreading(Set<String> priorities, String from) {
        boolean selects =
                priorities.contains("SelectorSpreadPriority") || priorities.contains("ServiceSpreadingPriority");
        if (priorities.contains("EvenPodsSpreadPriority") && !selects) {
            profile.putArgIfAbsent(ProfileEdit.SPREAD, "defaultingType", TextNode.valueOf("List"), from);
        }
    }

    private static String shown(Map<String, Integer> weights) {
        List<String> shown = new ArrayList<>();
        for (Role role : ROLES) {
            if (role.weight > 0 && weights.containsKey(role.plugin)) {
                shown.add(role.plugin + " " + weights.get(role.plugin));
            }
        }
        return shown.isEmpty() ? "none" : String.join(", ", shown);
    }

    private void write(
            Optional<Set<String>> filters, Map<String, Integer> weights, boolean hasPriorities, String from) {
        List<ObjectNode> nowhere = new ArrayList<>();
        List<ObjectNode> notAtFilter = new ArrayList<>();
        List<ObjectNode> notAtScore = new ArrayList<>();
        List<ObjectNode> weighted = new ArrayList<>();
        for (Role role : ROLES) {
            boolean filtersNow = role.filters
                    && filters.map(chosen -> chosen.contains(role.plugin)).orElse(true);
            int weight = role.weight == 0 ? 0 : weights.getOrDefault(role.plugin, 0);
            if (!filtersNow && weight == 0) {
                nowhere.add(ProfileEdit.plugin(role.plugin));
            } else if (role.filters && !filtersNow) {
                notAtFilter.add(ProfileEdit.plugin(role.plugin));
            } else if (role.weight > 0 && weight == 0) {
                notAtScore.add(ProfileEdit.plugin(role.plugin));
            }
            if (weight > 0 && weight != role.weight) {
                weighted.add(ProfileEdit.plugin(role.plugin, weight));
            }
        }
        profile.add("multiPoint", "enabled", weighted, from + ".priorities");
        profile.add("multiPoint", "disabled", nowhere, from + ".predicates");
        for (String point : List.of("preFilter", "filter")) {
            profile.add(point, "disabled", notAtFilter, from + ".predicates");
        }
        for (String point : List.of("preScore", "score")) {
            profile.add(point, "disabled", notAtScore, from + ".priorities");
        }
        if (filters.isPresent()) {
            conversion.warn(from + ".predicates", "only the plugins that stand for these, and for taints, filter");
        }
        conversion.warn(
                from + ".priorities",
                (hasPriorities ? "the plugins that stand for these score: " : "those by default score: ")
                        + shown(weights));
    }
}
