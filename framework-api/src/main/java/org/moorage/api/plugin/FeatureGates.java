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
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.moorage.api.model.PodLevelRequests;
import org.moorage.api.model.TolerationOperators;

/**
 * Which of kube-scheduler's features are on: its feature gates, with its names and defaults. Immutable.
 *
 * <p>A plugin reads them once, when it is made. Every gate that kube-scheduler knows is known here; one that nothing asks for
 * has no effect.
 */
public final class FeatureGates {
    /** Preemption evicts pods in the background. */
    public static final String SCHEDULER_ASYNC_PREEMPTION = "SchedulerAsyncPreemption";
    /** With no pod ready, one that backs off after a rejection is tried early. */
    public static final String SCHEDULER_POP_FROM_BACKOFF_Q = "SchedulerPopFromBackoffQ";
    /** A pod whose binding takes its time is said to be expected on its node. */
    public static final String NOMINATED_NODE_NAME_FOR_EXPECTATION = "NominatedNodeNameForExpectation";
    /** Pods only go to nodes that declare the features that they use. */
    public static final String NODE_DECLARED_FEATURES = "NodeDeclaredFeatures";
    /** Pods of a group are placed together or not at all. */
    public static final String GANG_SCHEDULING = "GangScheduling";
    /** Pods of a group are placed close to each other. */
    public static final String TOPOLOGY_AWARE_WORKLOAD_SCHEDULING = "TopologyAwareWorkloadScheduling";
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
    /** What is known of devices may be several values. */
    public static final String DRA_LIST_TYPE_ATTRIBUTES = "DRAListTypeAttributes";
    /** Devices may be parts of others. */
    public static final String DRA_PARTITIONABLE_DEVICES = "DRAPartitionableDevices";
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
    /** What a node reports of a pod's resources as a whole counts while they are being changed. */
    public static final String IN_PLACE_POD_LEVEL_RESOURCES_VERTICAL_SCALING =
            "InPlacePodLevelResourcesVerticalScaling";
    /** Spread constraints look at the pods that have the same values of some labels. */
    public static final String MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD = "MatchLabelKeysInPodTopologySpread";
    /** The API server merges the label keys of spread constraints into their selectors. */
    public static final String MATCH_LABEL_KEYS_IN_POD_TOPOLOGY_SPREAD_SELECTOR_MERGE =
            "MatchLabelKeysInPodTopologySpreadSelectorMerge";

    private static final Map<String, Gate> KNOWN = read();
    private static final Map<String, String> SWITCH_BY_STAGE = Map.of("alpha", "AllAlpha", "beta", "AllBeta");

    /** Every feature as it is without being asked for. */
    public static final FeatureGates DEFAULTS = new FeatureGates(Map.of());

    private final Map<String, Boolean> enabledByName;

    private record Gate(String stage, boolean byDefault, boolean locked, List<String> dependencies) {}

    private FeatureGates(Map<String, Boolean> settings) {
        Map<String, Boolean> enabled = new TreeMap<>();
        KNOWN.forEach((name, gate) -> {
            String all = SWITCH_BY_STAGE.getOrDefault(gate.stage, "");
            enabled.put(name, settings.getOrDefault(name, settings.getOrDefault(all, gate.byDefault)));
        });
        enabledByName = Collections.unmodifiableMap(enabled);
    }

    /**
     * Gates of which some are set. {@code AllAlpha} and {@code AllBeta} set all of a stage that are not set themselves.
     *
     * @throws IllegalArgumentException in kube-scheduler's words if a gate is not known, is locked to another value, or is
     *     on and depends on one that is off
     */
    public static FeatureGates of(Map<String, Boolean> settings) {
        settings.forEach((name, value) -> {
            Gate gate = KNOWN.get(name);
            if (gate == null && !SWITCH_BY_STAGE.containsValue(name)) {
                throw new IllegalArgumentException("unrecognized feature gate: " + name);
            }
            if (gate != null && gate.locked && gate.byDefault != value) {
                throw new IllegalArgumentException("cannot set feature gate " + name + " to " + value
                        + ", feature is locked to " + gate.byDefault);
            }
        });
        FeatureGates gates = new FeatureGates(settings);
        gates.checkDependencies();
        return gates;
    }

    private void checkDependencies() {
        List<String> broken = new ArrayList<>();
        enabledByName.forEach((name, enabled) -> {
            List<String> off = new ArrayList<>(gate(name).dependencies);
            off.removeIf(this::isEnabled);
            if (enabled && !off.isEmpty()) {
                broken.add(name + " is enabled, but depends on features that are disabled: " + off);
            }
        });
        if (!broken.isEmpty()) {
            throw new IllegalArgumentException(broken.size() == 1 ? broken.get(0) : broken.toString());
        }
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
     * How far a feature has come: {@code alpha}, {@code beta}, {@code ga} or {@code deprecated}.
     *
     * @param name the gate's name
     * @throws IllegalArgumentException if there is no gate of that name
     */
    public String stage(String name) {
        return gate(name).stage;
    }

    /** The operators that tolerations may have. */
    public TolerationOperators tolerationOperators() {
        return isEnabled(TAINT_TOLERATION_COMPARISON_OPERATORS)
                ? TolerationOperators.COMPARISON
                : TolerationOperators.EQUALITY;
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
        settings.put(name, enabled);
        return new FeatureGates(settings);
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
        return other instanceof FeatureGates that && enabledByName.equals(that.enabledByName);
    }

    @Override
    public int hashCode() {
        return enabledByName.hashCode();
    }

    /** Only what differs from the defaults, as the flag {@code --feature-gates} would have it. */
    @Override
    public String toString() {
        List<String> set = new ArrayList<>();
        enabledByName.forEach((name, enabled) -> {
            if (enabled != gate(name).byDefault) {
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
                    String[] fields = line.split(" ", -1);
                    List<String> dependencies = fields[4].equals("-") ? List.of() : List.of(fields[4].split(",", -1));
                    known.put(
                            fields[0],
                            new Gate(fields[1], fields[2].equals("true"), fields[3].equals("locked"), dependencies));
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return Collections.unmodifiableMap(known);
    }
}
