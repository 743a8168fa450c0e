// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.feature;

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
 * The state of kube-scheduler's feature gates, with its names and defaults. Immutable.
 *
 * <p>A plugin reads them once, when it is created. All gates of kube-scheduler are known; a gate that no code reads has
 * no effect. A gate's default, stage and lock depend on the {@link EffectiveVersion}.
 */
public final class FeatureGates {
    /** Preemption evicts pods in the background. */
    public static final String SCHEDULER_ASYNC_PREEMPTION = "SchedulerAsyncPreemption";
    /** If the active queue is empty, pods in backoff after a rejection are tried early. */
    public static final String SCHEDULER_POP_FROM_BACKOFF_Q = "SchedulerPopFromBackoffQ";
    /** Plugins select the candidate pods once per event, so that the queue examines no others. */
    public static final String SCHEDULER_PRE_QUEUEING_HINTS = "SchedulerPreQueueingHints";
    /** While a slow binding is in progress, the pod's status names the expected node. */
    public static final String NOMINATED_NODE_NAME_FOR_EXPECTATION = "NominatedNodeNameForExpectation";
    /** Pods are only scheduled to nodes that declare the features that the pods use. */
    public static final String NODE_DECLARED_FEATURES = "NodeDeclaredFeatures";
    /** Pods of a group are placed together or not at all. */
    public static final String GENERIC_WORKLOAD = "GenericWorkload";
    /** Pods of a group are placed close to each other. */
    public static final String TOPOLOGY_AWARE_WORKLOAD_SCHEDULING = "TopologyAwareWorkloadScheduling";
    /** Groups of pods may themselves be grouped. */
    public static final String COMPOSITE_POD_GROUP = "CompositePodGroup";
    /** A group has its own preemption policy. */
    public static final String POD_GROUP_PREEMPTION_POLICY = "PodGroupPreemptionPolicy";
    /** The pods of a group may share resource claims that are created for the group. */
    public static final String DRA_WORKLOAD_RESOURCE_CLAIMS = "DRAWorkloadResourceClaims";
    /** The job controller creates a group for the pods of a job. */
    public static final String WORKLOAD_WITH_JOB = "WorkloadWithJob";
    /** Tolerations may compare numbers, with the operators {@code Lt} and {@code Gt}. */
    public static final String TAINT_TOLERATION_COMPARISON_OPERATORS = "TaintTolerationComparisonOperators";
    /** Devices can satisfy requests for extended resources. */
    public static final String DRA_EXTENDED_RESOURCE = "DRAExtendedResource";
    /** Requests for devices may name alternatives. */
    public static final String DRA_PRIORITIZED_LIST = "DRAPrioritizedList";
    /** Several claims may share a device and consume its capacity. */
    public static final String DRA_CONSUMABLE_CAPACITY = "DRAConsumableCapacity";
    /** Devices are only allocated to requests that tolerate their taints. */
    public static final String DRA_DEVICE_TAINTS = "DRADeviceTaints";
    /** DeviceTaintRule objects taint devices. */
    public static final String DRA_DEVICE_TAINT_RULES = "DRADeviceTaintRules";
    /** Pods are only bound after their devices are ready. */
    public static final String DRA_DEVICE_BINDING_CONDITIONS = "DRADeviceBindingConditions";
    /** Claims report the status of their allocated devices. */
    public static final String DRA_RESOURCE_CLAIM_DEVICE_STATUS = "DRAResourceClaimDeviceStatus";
    /** Claims may request shares of a device's capacity in thousandths. */
    public static final String DRA_FRACTIONAL_CAPACITY_RANGE = "DRAFractionalCapacityRange";
    /** Device attributes may be lists of values. */
    public static final String DRA_LIST_TYPE_ATTRIBUTES = "DRAListTypeAttributes";
    /** Device requests may derive the attributes by which devices are compared. */
    public static final String DRA_DERIVED_ATTRIBUTES = "DRADerivedAttributes";
    /** Devices may be partitions of other devices. */
    public static final String DRA_PARTITIONABLE_DEVICES = "DRAPartitionableDevices";
    /** Partitions of a device are only allocated together if they are compatible. */
    public static final String DRA_DEVICE_COMPATIBILITY_GROUPS = "DRADeviceCompatibilityGroups";
    /** Devices may skip operations with which nodes prepare them. */
    public static final String DRA_OPTIONAL_NODE_OPERATIONS = "DRAOptionalNodeOperations";
    /** Node allocatable resources that devices consume count as usage of their pods. */
    public static final String DRA_NODE_ALLOCATABLE_RESOURCES = "DRANodeAllocatableResources";
    /** The search for devices has a timeout. */
    public static final String DRA_SCHEDULER_FILTER_TIMEOUT = "DRASchedulerFilterTimeout";
    /** Nodes are scored by how well their free storage or existing volumes match the pod's request. */
    public static final String STORAGE_CAPACITY_SCORING = "StorageCapacityScoring";
    /** Pods are only scheduled to nodes that have the CSI drivers of their volumes, for drivers that require it. */
    public static final String VOLUME_LIMIT_SCALING = "VolumeLimitScaling";
    /** Pods may request resources at pod level instead of per container. */
    public static final String POD_LEVEL_RESOURCES = "PodLevelResources";
    /** Unset pod-level resources are defaulted after admission, also for pods with requests but no limits. */
    public static final String POD_LEVEL_RESOURCES_FIX_DEFAULTING = "PodLevelResourcesFixDefaulting";
    /** During a resize, the pod-level resources in the pod's status count. */
    public static final String IN_PLACE_POD_LEVEL_RESOURCES_VERTICAL_SCALING =
            "InPlacePodLevelResourcesVerticalScaling";
    /** A running pod whose resize is deferred for lack of room may preempt others on its node. */
    public static final String IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION =
            "InPlacePodVerticalScalingSchedulerPreemption";
    /** Required pod affinity terms with the hostname topology only examine the pods of the node. */
    public static final String INTER_POD_AFFINITY_HOSTNAME_FAST_PATH = "InterPodAffinityHostnameFastPath";
    /** Topology spread constraints only count pods with the same values of some labels. */
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

    /** The defaults of all gates. */
    public static final FeatureGates DEFAULTS = new FeatureGates(EffectiveVersion.DEFAULT, Map.of());

    private final EffectiveVersion version;
    private final Map<String, Boolean> enabledByName;
    private final Set<String> set;

    /** The maturity of a feature. */
    public enum Stage {
        /** Not available in the emulated version: off, and cannot be set. */
        PRE_ALPHA("PRE-ALPHA"),
        ALPHA("ALPHA"),
        BETA("BETA"),
        GA(""),
        DEPRECATED("DEPRECATED");

        private final String label;

        Stage(String label) {
            this.label = label;
        }

        /** Returns the stage's name in the metric {@code kubernetes_feature_enabled}. */
        public String label() {
            return label;
        }
    }

    /** A gate's state from an emulated version on, if the minimum compatibility version is recent enough. */
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
        // Returns the last specification that applies, as kube-scheduler does.
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
     * Returns the gates of the default version with some of them set. {@code AllAlpha} and {@code AllBeta} set all
     * gates of a stage that are not set individually.
     *
     * @throws IllegalArgumentException in kube-scheduler's words, if a gate is unknown, is locked to another value, or
     *     is on and depends on a gate that is off
     */
    public static FeatureGates of(Map<String, Boolean> settings) {
        return of(EffectiveVersion.DEFAULT, settings);
    }

    /**
     * Returns the gates of a version with some of them set. {@code AllAlpha} and {@code AllBeta} set all gates of a
     * stage that are not set individually.
     *
     * @throws IllegalArgumentException in kube-scheduler's words, if a gate is unknown, is newer than the version, is
     *     locked to another value, or is on and depends on a gate that is off
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

    /** Returns kube-scheduler's warnings about the gates that are set, one sentence each. */
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

    /** Returns the names of the gates that affect the scheduler, in order. */
    public static Set<String> readByScheduler() {
        return Collections.unmodifiableSet(READ_BY_SCHEDULER);
    }

    /** Returns the version whose gates these are. */
    public EffectiveVersion version() {
        return version;
    }

    /**
     * Returns whether a feature is on.
     *
     * @param name the gate's name
     * @throws IllegalArgumentException if there is no gate with that name
     */
    public boolean isEnabled(String name) {
        gate(name);
        return Boolean.TRUE.equals(enabledByName.get(name));
    }

    /**
     * Returns whether a feature is on by default.
     *
     * @param name the gate's name
     * @throws IllegalArgumentException if there is no gate with that name
     */
    public boolean isEnabledByDefault(String name) {
        return gate(name).at(version).byDefault;
    }

    /**
     * Returns the stage of a feature.
     *
     * @param name the gate's name
     * @throws IllegalArgumentException if there is no gate with that name
     */
    public Stage stage(String name) {
        return gate(name).at(version).stage;
    }

    /** Returns the operators that tolerations may have. */
    public TolerationOperators tolerationOperators() {
        return isEnabled(TAINT_TOLERATION_COMPARISON_OPERATORS)
                ? TolerationOperators.COMPARISON
                : TolerationOperators.EQUALITY;
    }

    /**
     * Returns whether a pod is in the queue because of its deferred resize: it already has a node, and only its
     * requests are checked. Always false unless {@link #IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION} is on.
     */
    public boolean isTriedForResize(Pod pod) {
        return pod.status().isResizeDeferred() && isEnabled(IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION);
    }

    /** Returns how pod-level requests count. */
    public PodLevelRequests podLevelRequests() {
        if (!isEnabled(POD_LEVEL_RESOURCES)) {
            return PodLevelRequests.IGNORED;
        }
        return isEnabled(IN_PLACE_POD_LEVEL_RESOURCES_VERTICAL_SCALING)
                ? PodLevelRequests.AS_REPORTED
                : PodLevelRequests.AS_SPECIFIED;
    }

    /** Returns these gates with one of them set, without checking the gates that depend on it. */
    public FeatureGates with(String name, boolean enabled) {
        gate(name);
        Map<String, Boolean> settings = new HashMap<>(enabledByName);
        settings.keySet().removeIf(other -> isEnabled(other) == isEnabledByDefault(other) && !set.contains(other));
        settings.put(name, enabled);
        return new FeatureGates(version, settings);
    }

    /** Returns every gate and whether it is on, ordered by name. */
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

    /** Returns the gates that differ from the version's defaults, in the format of the flag {@code --feature-gates}. */
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

    // Parses for example 1.36:beta:true:locked, or 1.37>=1.37:beta:true, where >= precedes the minimum compatibility
    // version.
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
