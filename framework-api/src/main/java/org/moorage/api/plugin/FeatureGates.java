// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodLevelRequests;
import org.moorage.api.model.TolerationOperators;

/**
 * Which of kube-scheduler's features are on: its feature gates, with its names and defaults. Immutable.
 *
 * <p>A plugin reads them once, when it is made. Every gate that kube-scheduler knows is known here; one that nothing asks for
 * has no effect. A gate's default, how far it has come and whether it is locked are those of the {@link EffectiveVersion}.
 */
public final class FeatureGates {
    /** Preemption evicts pods in the background. */
    public static final String SCHEDULER_ASYNC_PREEMPTION = "SchedulerAsyncPreemption";
    /** With no pod ready, one that backs off after a rejection is tried early. */
    public static final String SCHEDULER_POP_FROM_BACKOFF_Q = "SchedulerPopFromBackoffQ";
    /** Plugins say once which pods an event is about, so that the queue looks at no others. */
    public static final String SCHEDULER_PRE_QUEUEING_HINTS = "SchedulerPreQueueingHints";
    /** A pod whose binding takes its time is said to be expected on its node. */
    public static final String NOMINATED_NODE_NAME_FOR_EXPECTATION = "NominatedNodeNameForExpectation";
    /** Pods only go to nodes that declare the features that they use. */
    public static final String NODE_DECLARED_FEATURES = "NodeDeclaredFeatures";
    /** Pods of a group are placed together or not at all. */
    public static final String GENERIC_WORKLOAD = "GenericWorkload";
    /** Pods of a group are placed close to each other. */
    public static final String TOPOLOGY_AWARE_WORKLOAD_SCHEDULING = "TopologyAwareWorkloadScheduling";
    /** Groups of pods may themselves be grouped. */
    public static final String COMPOSITE_POD_GROUP = "CompositePodGroup";
    /** A group says itself whether it preempts others. */
    public static final String POD_GROUP_PREEMPTION_POLICY = "PodGroupPreemptionPolicy";
    /** The pods of a group may share claims of devices that are made for the group. */
    public static final String DRA_WORKLOAD_RESOURCE_CLAIMS = "DRAWorkloadResourceClaims";
    /** The controller of jobs makes a group for the pods of a job. */
    public static final String WORKLOAD_WITH_JOB = "WorkloadWithJob";
    /** Tolerations may compare numbers, with the operators {@code Lt} and {@code Gt}. */
    public static final String TAINT_TOLERATION_COMPARISON_OPERATORS = "TaintTolerationComparisonOperators";
    /** Devices stand in for extended resources. */
    public static final String DRA_EXTENDED_RESOURCE = "DRAExtendedResource";
    /** Requests for devices may name alternatives. */
    public static final String DRA_PRIORITIZED_LIST = "DRAPrioritizedList";
    /** Several claims may share a device and use up its capacity. */
    public static final String DRA_CONSUMABLE_CAPACITY = "DRAConsumableCapacity";
    /** Devices are only given to requests that tolerate their taints. */
    public static final String DRA_DEVICE_TAINTS = "DRADeviceTaints";
    /** Objects of their own taint devices. */
    public static final String DRA_DEVICE_TAINT_RULES = "DRADeviceTaintRules";
    /** Pods are only bound when their devices are ready. */
    public static final String DRA_DEVICE_BINDING_CONDITIONS = "DRADeviceBindingConditions";
    /** Claims tell the state of the devices that they were given. */
    public static final String DRA_RESOURCE_CLAIM_DEVICE_STATUS = "DRAResourceClaimDeviceStatus";
    /** The shares of a device that claims request may be counted in thousandths. */
    public static final String DRA_FRACTIONAL_CAPACITY_RANGE = "DRAFractionalCapacityRange";
    /** What is known of devices may be several values. */
    public static final String DRA_LIST_TYPE_ATTRIBUTES = "DRAListTypeAttributes";
    /** Requests for devices may derive what is compared among devices. */
    public static final String DRA_DERIVED_ATTRIBUTES = "DRADerivedAttributes";
    /** Devices may be parts of others. */
    public static final String DRA_PARTITIONABLE_DEVICES = "DRAPartitionableDevices";
    /** Parts of a device are only given out together if they go together. */
    public static final String DRA_DEVICE_COMPATIBILITY_GROUPS = "DRADeviceCompatibilityGroups";
    /** Devices may do without what nodes do to prepare them. */
    public static final String DRA_OPTIONAL_NODE_OPERATIONS = "DRAOptionalNodeOperations";
    /** What devices take of their node counts among what pods take of it. */
    public static final String DRA_NODE_ALLOCATABLE_RESOURCES = "DRANodeAllocatableResources";
    /** The search for devices has a limit in time. */
    public static final String DRA_SCHEDULER_FILTER_TIMEOUT = "DRASchedulerFilterTimeout";
    /** Nodes are scored by how well the storage that is left there, or the volumes, suit what a pod asks for. */
    public static final String STORAGE_CAPACITY_SCORING = "StorageCapacityScoring";
    /** Pods only go to nodes that have the storage drivers of their volumes, for drivers that ask for it. */
    public static final String VOLUME_LIMIT_SCALING = "VolumeLimitScaling";
    /** Pods may request resources as a whole, in place of their containers. */
    public static final String POD_LEVEL_RESOURCES = "PodLevelResources";
    /** What such pods leave out is filled in after admission, and also where there are requests but no limits. */
    public static final String POD_LEVEL_RESOURCES_FIX_DEFAULTING = "PodLevelResourcesFixDefaulting";
    /** What a node reports of a pod's resources as a whole counts while they are being changed. */
    public static final String IN_PLACE_POD_LEVEL_RESOURCES_VERTICAL_SCALING =
            "InPlacePodLevelResourcesVerticalScaling";
    /** A running pod whose resize is put off for want of room may preempt others on its node. */
    public static final String IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION =
            "InPlacePodVerticalScalingSchedulerPreemption";
    /** Required terms of pod affinity by host name only look at the pods of the node. */
    public static final String INTER_POD_AFFINITY_HOSTNAME_FAST_PATH = "InterPodAffinityHostnameFastPath";
    /** Spread constraints look at the pods that have the same values of some labels. */
    public static final String MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD = "MatchLabelKeysInPodTopologySpread";
    /** The API server merges the label keys of spread constraints into their selectors. */
    public static final String MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE =
            "MatchLabelKeysInPodTopologySpreadSelectorMerge";

    private static final Set<String> READ_BY_SCHEDULER = new TreeSet<>(List.of(
            SCHEDULER_ASYNC_PREEMPTION,
            SCHEDULER_POP_FROM_BACKOFF_Q,
            SCHEDULER_PRE_QUEUEING_HINTS,
            NOMINATED_NODE_NAME_FOR_EXPECTATION,
            NODE_DECLARED_FEATURES,
            GENERIC_WORKLOAD,
            TOPOLOGY_AWARE_WORKLOAD_SCHEDULING,
            COMPOSITE_POD_GROUP,
            POD_GROUP_PREEMPTION_POLICY,
            DRA_WORKLOAD_RESOURCE_CLAIMS,
            WORKLOAD_WITH_JOB,
            TAINT_TOLERATION_COMPARISON_OPERATORS,
            DRA_EXTENDED_RESOURCE,
            DRA_PRIORITIZED_LIST,
            DRA_CONSUMABLE_CAPACITY,
            DRA_DEVICE_TAINTS,
            DRA_DEVICE_TAINT_RULES,
            DRA_DEVICE_BINDING_CONDITIONS,
            DRA_RESOURCE_CLAIM_DEVICE_STATUS,
            DRA_FRACTIONAL_CAPACITY_RANGE,
            DRA_LIST_TYPE_ATTRIBUTES,
            DRA_DERIVED_ATTRIBUTES,
            DRA_PARTITIONABLE_DEVICES,
            DRA_DEVICE_COMPATIBILITY_GROUPS,
            DRA_OPTIONAL_NODE_OPERATIONS,
            DRA_NODE_ALLOCATABLE_RESOURCES,
            DRA_SCHEDULER_FILTER_TIMEOUT,
            STORAGE_CAPACITY_SCORING,
            VOLUME_LIMIT_SCALING,
            POD_LEVEL_RESOURCES,
            POD_LEVEL_RESOURCES_FIX_DEFAULTING,
            IN_PLACE_POD_LEVEL_RESOURCES_VERTICAL_SCALING,
            IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION,
            INTER_POD_AFFINITY_HOSTNAME_FAST_PATH,
            MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD,
            MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE));
    private static final Map<String, Gate> KNOWN = read();
    private static final Map<Stage, String> SWITCH_BY_STAGE = Map.of(Stage.ALPHA, "AllAlpha", Stage.BETA, "AllBeta");

    /** Every feature as it is without being asked for. */
    public static final FeatureGates DEFAULTS = new FeatureGates(EffectiveVersion.DEFAULT, Map.of());

    private final EffectiveVersion version;
    private final Map<String, Boolean> enabledByName;
    private final Set<String> set;

    /** How far a feature has come. */
    public enum Stage {
        /** Not there yet in the version that is emulated: off, and cannot be set. */
        PRE_ALPHA("PRE-ALPHA"),
        ALPHA("ALPHA"),
        BETA("BETA"),
        GA(""),
        DEPRECATED("DEPRECATED");

        private final String label;

        Stage(String label) {
            this.label = label;
        }

        /** How the metric {@code kubernetes_feature_enabled} names it. */
        public String label() {
            return label;
        }
    }

    /** What holds of a gate from a version on, where the oldest part of the control plane is at least of some version. */
    private record Specification(
            MinorVersion since, MinorVersion minCompatibility, Stage stage, boolean byDefault, boolean isLocked) {
        static final Specification BEFORE_ALL =
                new Specification(new MinorVersion(0, 0), new MinorVersion(0, 0), Stage.PRE_ALPHA, false, false);

        boolean holds(EffectiveVersion version) {
            return version.emulated().isAtLeast(since)
                    && version.minCompatibility().isAtLeast(minCompatibility);
        }
    }

    private record Gate(List<String> dependencies, List<Specification> specifications) {
        // The last that holds, as kube-scheduler has it.
        Specification at(EffectiveVersion version) {
            Specification last = Specification.BEFORE_ALL;
            for (Specification specification : specifications) {
                if (specification.holds(version)) {
                    last = specification;
                }
            }
            return last;
        }
    }

    private FeatureGates(EffectiveVersion version, Map<String, Boolean> settings) {
        this.version = version;
        Map<String, Boolean> enabled = new TreeMap<>();
        KNOWN.forEach((name, gate) -> {
            Specification specification = gate.at(version);
            String all = SWITCH_BY_STAGE.getOrDefault(specification.stage, "");
            enabled.put(name, settings.getOrDefault(name, settings.getOrDefault(all, specification.byDefault)));
        });
        enabledByName = Collections.unmodifiableMap(enabled);
        set = Set.copyOf(settings.keySet());
    }

    /**
     * Gates of which some are set. {@code AllAlpha} and {@code AllBeta} set all of a stage that are not set themselves.
     *
     * @throws IllegalArgumentException in kube-scheduler's words if a gate is not known, is locked to another value, or is
     *     on and depends on one that is off
     */
    public static FeatureGates of(Map<String, Boolean> settings) {
        return of(EffectiveVersion.DEFAULT, settings);
    }

    /**
     * The gates of a version, of which some are set. {@code AllAlpha} and {@code AllBeta} set all of a stage that are not set
     * themselves.
     *
     * @throws IllegalArgumentException in kube-scheduler's words if a gate is not known, came after the version, is locked to another
     *     value, or is on and depends on one that is off
     */
    public static FeatureGates of(EffectiveVersion version, Map<String, Boolean> settings) {
        List<String> refusals = new ArrayList<>();
        new TreeMap<>(settings).forEach((name, value) -> {
            if (!SWITCH_BY_STAGE.containsValue(name)) {
                refusal(name, value, gate(name).at(version), version).ifPresent(refusals::add);
            }
        });
        refuse(refusals);
        FeatureGates gates = new FeatureGates(version, settings);
        refuse(gates.brokenDependencies());
        return gates;
    }

    private static Optional<String> refusal(
            String name, boolean value, Specification specification, EffectiveVersion version) {
        String start = "cannot set feature gate " + name + " to " + value + ", feature is ";
        if (specification.isLocked && specification.byDefault != value) {
            return Optional.of(start + "locked to " + specification.byDefault);
        }
        if (specification.stage == Stage.PRE_ALPHA) {
            return Optional.of(start + "PreAlpha at emulated version " + version.emulated()
                    + ", min compatibility version " + version.minCompatibility());
        }
        return Optional.empty();
    }

    private static void refuse(List<String> refusals) {
        if (!refusals.isEmpty()) {
            throw new IllegalArgumentException(refusals.size() == 1 ? refusals.get(0) : refusals.toString());
        }
    }

    private List<String> brokenDependencies() {
        List<String> broken = new ArrayList<>();
        enabledByName.forEach((name, enabled) -> {
            List<String> off = new ArrayList<>(gate(name).dependencies);
            off.removeIf(this::isEnabled);
            if (enabled && !off.isEmpty()) {
                broken.add(name + " is enabled, but depends on features that are disabled: [" + String.join(" ", off)
                        + "]");
            }
        });
        return broken;
    }

    /** What kube-scheduler warns of when gates are set so, a sentence each. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        List<String> alpha = new ArrayList<>();
        enabledByName.forEach((name, enabled) -> {
            Stage stage = stage(name);
            if (set.contains(name) && (stage == Stage.GA || stage == Stage.DEPRECATED)) {
                warnings.add("setting " + (stage == Stage.GA ? "GA" : "deprecated") + " feature gate " + name + "="
                        + enabled + ". It will be removed in a future release.");
            }
            if (enabled && stage == Stage.ALPHA) {
                alpha.add(name);
            }
        });
        if (!version.emulated().equals(EffectiveVersion.BINARY) && !alpha.isEmpty()) {
            warnings.add(
                    "component has alpha features enabled in emulated version, this is unsupported: features=" + alpha);
        }
        return warnings;
    }

    /** The names of the gates that change what a scheduler decides or does, in order. */
    public static Set<String> readByScheduler() {
        return Collections.unmodifiableSet(READ_BY_SCHEDULER);
    }

    /** The version whose gates these are. */
    public EffectiveVersion version() {
        return version;
    }

    /**
     * Whether a feature is on.
     *
     * @param name the gate's name
     * @throws IllegalArgumentException if there is no gate of that name
     */
    public boolean isEnabled(String name) {
        gate(name);
        return Boolean.TRUE.equals(enabledByName.get(name));
    }

    /**
     * Whether a feature is on unless it is set.
     *
     * @param name the gate's name
     * @throws IllegalArgumentException if there is no gate of that name
     */
    public boolean isEnabledByDefault(String name) {
        return gate(name).at(version).byDefault;
    }

    /**
     * How far a feature has come.
     *
     * @param name the gate's name
     * @throws IllegalArgumentException if there is no gate of that name
     */
    public Stage stage(String name) {
        return gate(name).at(version).stage;
    }

    /** The operators that tolerations may have. */
    public TolerationOperators tolerationOperators() {
        return isEnabled(TAINT_TOLERATION_COMPARISON_OPERATORS)
                ? TolerationOperators.COMPARISON
                : TolerationOperators.EQUALITY;
    }

    /**
     * Whether a pod is tried because of its deferred resize: it has its node, and only what it requests is in question. Only with
     * {@link #IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION}.
     */
    public boolean isTriedForResize(Pod pod) {
        return pod.status().isResizeDeferred() && isEnabled(IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION);
    }

    /** How pod-level requests count. */
    public PodLevelRequests podLevelRequests() {
        if (!isEnabled(POD_LEVEL_RESOURCES)) {
            return PodLevelRequests.IGNORED;
        }
        return isEnabled(IN_PLACE_POD_LEVEL_RESOURCES_VERTICAL_SCALING)
                ? PodLevelRequests.AS_REPORTED
                : PodLevelRequests.AS_SPECIFIED;
    }

    /** These gates with one of them set, whatever depends on it. */
    public FeatureGates with(String name, boolean enabled) {
        gate(name);
        Map<String, Boolean> settings = new HashMap<>(enabledByName);
        settings.keySet().removeIf(other -> isEnabled(other) == isEnabledByDefault(other) && !set.contains(other));
        settings.put(name, enabled);
        return new FeatureGates(version, settings);
    }

    /** Every gate and whether it is on, ordered by name. */
    public Map<String, Boolean> all() {
        return enabledByName;
    }

    private static Gate gate(String name) {
        Gate gate = KNOWN.get(Objects.requireNonNull(name, "name"));
        if (gate == null) {
            throw new IllegalArgumentException("unrecognized feature gate: " + name);
        }
        return gate;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FeatureGates that
                && version.equals(that.version)
                && enabledByName.equals(that.enabledByName);
    }

    @Override
    public int hashCode() {
        return Objects.hash(version, enabledByName);
    }

    /** Only what differs from the version's defaults, as the flag {@code --feature-gates} would have it. */
    @Override
    public String toString() {
        List<String> set = new ArrayList<>();
        enabledByName.forEach((name, enabled) -> {
            if (enabled != isEnabledByDefault(name)) {
                set.add(name + "=" + enabled);
            }
        });
        return String.join(",", set);
    }

    private static Map<String, Gate> read() {
        Map<String, Gate> known = new LinkedHashMap<>();
        try (InputStream table = Objects.requireNonNull(FeatureGates.class.getResourceAsStream("feature-gates.txt"));
                BufferedReader lines = new BufferedReader(new InputStreamReader(table, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    List<String> fields = List.of(line.split(" ", -1));
                    List<String> dependencies = fields.get(1).equals("-")
                            ? List.of()
                            : List.of(fields.get(1).split(",", -1));
                    List<Specification> specifications = fields.subList(2, fields.size()).stream()
                            .map(FeatureGates::specification)
                            .toList();
                    known.put(fields.get(0), new Gate(dependencies, specifications));
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return Collections.unmodifiableMap(known);
    }

    // For example 1.36:beta:true:locked, or 1.37>=1.37:beta:true where the oldest part has to be of some version.
    private static Specification specification(String text) {
        List<String> parts = List.of(text.split(":", -1));
        List<String> versions = List.of(parts.get(0).split(">=", -1));
        return new Specification(
                MinorVersion.parse(versions.get(0)),
                versions.size() > 1 ? MinorVersion.parse(versions.get(1)) : new MinorVersion(0, 0),
                Stage.valueOf(parts.get(1).toUpperCase(Locale.ROOT)),
                parts.get(2).equals("on"),
                parts.size() > 3);
    }
}
