// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.older;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.Section;
import org.moorage.config.internal.Suggestion;

/**
 * Turns a Policy, kube-scheduler's configuration before there were plugins, into a profile: {@code v1}'s default plugins
 * without those that no predicate or priority stands for, with the weights of the priorities.
 *
 * <p>Which plugins stand for a predicate or priority is as in kube-scheduler 1.22. What was neither, such as preemption,
 * binding and everything that came later, takes part as by default.
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

    /** A plugin that stands for predicates, for priorities, or both, with its weight in v1. */
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
        // Since Kubernetes 1.18 taints say these.
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

    /** Turns the Policy at a path; its extenders stay there. */
    void convert(String path) {
        Section policy = conversion.section(path);
        checkKind(policy);
        policy.given("extenders");
        Optional<Set<String>> filters = filters(policy);
        Map<String, Integer> weights = weights(policy);
        int hardAffinity = policy.integerUnlessZero("hardPodAffinitySymmetricWeight");
        if (policy.bool("alwaysCheckAllPredicates", false)) {
            conversion.warn(
                    path + ".alwaysCheckAllPredicates",
                    "has no effect: the first plugin that rejects a node says why, and decisions are the same");
        }
        policy.finish();
        if (conversion.tree().at(profile.path("plugins")) instanceof ObjectNode plugins && !plugins.isEmpty()) {
            conversion.at(profile.path("plugins")).report("given beside a Policy (expected: one of both)");
            return;
        }
        if (hardAffinity != 0 && weights.containsKey(AFFINITY)) {
            String from = path + ".hardPodAffinitySymmetricWeight";
            String arg = profile.args(AFFINITY, from) + ".hardPodAffinityWeight";
            conversion.tree().put(arg, IntNode.valueOf(hardAffinity), from);
        }
        write(filters, weights, !policy.given("priorities").isMissingNode(), path);
    }

    private static void checkKind(Section policy) {
        String kind = policy.textUnlessBlank("kind", KIND);
        String apiVersion = policy.textUnlessBlank("apiVersion", "v1");
        if (!kind.equals(KIND)) {
            policy.at("kind").invalid(kind, KIND);
        }
        if (!API_VERSIONS.contains(apiVersion)) {
            policy.at("apiVersion").invalid(apiVersion, "v1");
        }
    }

    /** The plugins that filter; empty for those that do by default. */
    private Optional<Set<String>> filters(Section policy) {
        if (policy.given("predicates").isMissingNode()) {
            return Optional.empty();
        }
        Set<String> plugins = new LinkedHashSet<>(MANDATORY);
        for (Section predicate : policy.items("predicates")) {
            String name = predicate.textUnlessBlank("name", "");
            Optional<Section> argument = predicate.optionalChild("argument");
            predicate.finish();
            if (argument.isPresent()) {
                custom(argument.get(), plugins);
            } else if (PREDICATES.containsKey(name)) {
                plugins.addAll(PREDICATES.getOrDefault(name, List.of()));
            } else {
                unknown(predicate, name, "predicate", PREDICATES.keySet());
            }
        }
        return Optional.of(plugins);
    }

    private void custom(Section argument, Set<String> plugins) {
        Optional<Section> service = argument.optionalChild("serviceAffinity");
        Optional<Section> labels = argument.optionalChild("labelsPresence");
        argument.finish();
        checkOne(argument, List.of(service, labels));
        service.ifPresent(section -> {
            section.at("labels")
                    .report(conversion.texts(section, "labels")
                            + " (expected: none; no plugin keeps the pods of a Service"
                            + " on nodes with the same labels any more, pods say so by podAffinity)");
            section.finish();
        });
        labels.ifPresent(section -> {
            List<String> names = conversion.texts(section, "labels");
            boolean presence = section.bool("presence", false);
            section.finish();
            String from = section.problems().path();
            conversion.warn(from, "is the argument addedAffinity of NodeAffinity");
            profile.requireLabels(presence ? names : List.of(), presence ? List.of() : names, from);
            plugins.add(NODE_AFFINITY);
        });
    }

    private static void checkOne(Section argument, List<Optional<Section>> given) {
        long count = given.stream().filter(Optional::isPresent).count();
        if (count != 1) {
            argument.problems().report(count + " arguments (expected: one)");
        }
    }

    private void unknown(Section item, String name, String what, Set<String> known) {
        if (name.isEmpty()) {
            item.at("name").missing("the name of a " + what);
            return;
        }
        if (conversion.takesUnknownPlugins()) {
            conversion.warn(item.at("name").path(), name + " is left out: no plugin stands for this " + what);
            return;
        }
        item.at("name")
                .report("\"" + name + "\" (expected: a " + what + " of kube-scheduler 1.22)"
                        + Suggestion.closest(name, known)
                                .map(close -> ". " + Suggestion.question(close))
                                .orElse(""));
    }

    /** The weights of the plugins that score. */
    private Map<String, Integer> weights(Section policy) {
        Map<String, Integer> byPlugin = new HashMap<>();
        if (policy.given("priorities").isMissingNode()) {
            for (Role role : ROLES) {
                byPlugin.put(role.plugin, role.plugin.equals(ProfileEdit.SPREAD) ? 2 : 1);
            }
            return byPlugin;
        }
        Map<String, Integer> byPriority = new TreeMap<>();
        String byRoom = "";
        for (Section priority : policy.items("priorities")) {
            String name = priority.textUnlessBlank("name", "");
            int weight = priority.integer("weight", 0);
            Optional<Section> argument = priority.optionalChild("argument");
            priority.finish();
            if (weight <= 0) {
                priority.at("weight").invalid(weight, "more than 0");
            }
            String known = argument.map(this::customPriority).orElse(name);
            if (PRIORITIES.containsKey(known)) {
                byPriority.put(known, weight);
            } else if (NOT_ANY_MORE.contains(known)) {
                conversion.warn(priority.at("name").path(), known + " is left out: there is no such score any more");
            } else if (argument.isEmpty() && !known.equals("EqualPriority")) {
                unknown(priority, name, "priority", PRIORITIES.keySet());
            }
            if (ProfileEdit.FIT.equals(PRIORITIES.get(known))) {
                if (!byRoom.isEmpty() && !byRoom.equals(known)) {
                    priority.at("name")
                            .invalid(known, "one priority by room, since NodeResourcesFit has one scoringStrategy");
                }
                byRoom = known;
                if (known.equals(MOST)) {
                    profile.score(
                            "MostAllocated",
                            JsonNodeFactory.instance.objectNode(),
                            priority.at("name").path());
                }
            }
        }
        // Of several priorities of one plugin the first by name counts.
        byPriority.forEach((priority, weight) -> byPlugin.putIfAbsent(plugin(priority), weight));
        chooseSpreading(byPriority.keySet(), policy.at("priorities").path());
        return byPlugin;
    }

    private static String plugin(String priority) {
        return PRIORITIES.getOrDefault(priority, priority);
    }

    /** The priority that an argument makes of one of any name; empty if there is none any more. */
    private String customPriority(Section argument) {
        Optional<Section> service = argument.optionalChild("serviceAntiAffinity");
        Optional<Section> label = argument.optionalChild("labelPreference");
        Optional<Section> ratio = argument.optionalChild("requestedToCapacityRatioArguments");
        argument.finish();
        checkOne(argument, List.of(service, label, ratio));
        service.ifPresent(section -> {
            String of = section.textUnlessBlank("label", "");
            section.finish();
            conversion.warn(section.problems().path(), "left out: pods of a Service are not spread by " + of);
        });
        label.ifPresent(section -> {
            String of = section.textUnlessBlank("label", "");
            section.bool("presence", false);
            section.finish();
            conversion.warn(section.problems().path(), "left out: nodes are not preferred by " + of);
        });
        ratio.ifPresent(section -> {
            section.given("shape");
            section.given("resources");
            section.finish();
            String at = section.problems().path();
            if (conversion.tree().at(at) instanceof ObjectNode given) {
                profile.score("RequestedToCapacityRatio", given, at);
            }
        });
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
