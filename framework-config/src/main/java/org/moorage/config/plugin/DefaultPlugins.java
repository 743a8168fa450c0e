// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.point.ExtensionPoint;

/** The plugins that kube-scheduler enables unless a configuration says otherwise. */
public final class DefaultPlugins {
    /** Binds a pod by one request to the API server. */
    public static final String BINDER = "DefaultBinder";

    private static final String FIT = "NodeResourcesFit";

    private static final List<EnabledPlugin> MULTI_POINT = List.of(
            new EnabledPlugin("SchedulingGates", 0),
            new EnabledPlugin("PrioritySort", 0),
            new EnabledPlugin("NodeName", 0),
            new EnabledPlugin("NodeUnschedulable", 0),
            new EnabledPlugin("TaintToleration", 3),
            new EnabledPlugin("NodeAffinity", 2),
            new EnabledPlugin("NodePorts", 0),
            new EnabledPlugin(FIT, 1),
            new EnabledPlugin("VolumeRestrictions", 0),
            new EnabledPlugin("NodeVolumeLimits", 0),
            new EnabledPlugin("VolumeBinding", 0),
            new EnabledPlugin("VolumeZone", 0),
            new EnabledPlugin("PodTopologySpread", 2),
            new EnabledPlugin("InterPodAffinity", 2),
            new EnabledPlugin("DynamicResources", 2),
            new EnabledPlugin("DefaultPreemption", 0),
            new EnabledPlugin("NodeResourcesBalancedAllocation", 1),
            new EnabledPlugin("ImageLocality", 1),
            new EnabledPlugin(BINDER, 0));

    // The plugins that a feature adds at the end.
    private static final List<Gated> GATED = List.of(
            new Gated(FeatureGates.NODE_DECLARED_FEATURES, new EnabledPlugin("NodeDeclaredFeatures", 0)),
            new Gated(FeatureGates.GENERIC_WORKLOAD, new EnabledPlugin("GangScheduling", 0)),
            new Gated(
                    FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING,
                    new EnabledPlugin("TopologyPlacementGenerator", 0)),
            new Gated(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, new EnabledPlugin("PodGroupPodsCount", 1)));

    // A feature adds it right before NodeResourcesFit; it is known without the feature, too.
    private static final EnabledPlugin DEFERRED_PODS = new EnabledPlugin("DeferredPodScheduling", 0);

    private static final Set<String> WITH_ARGS = Set.of(
            "DefaultPreemption",
            "DynamicResources",
            "InterPodAffinity",
            "NodeAffinity",
            "NodeResourcesBalancedAllocation",
            FIT,
            "PodTopologySpread",
            "VolumeBinding");

    private static final Set<String> REMOVED = Set.of("AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits");

    private record Gated(String feature, EnabledPlugin plugin) {}

    private DefaultPlugins() {}

    /**
     * Returns the plugins of the default {@code multiPoint} list where these features are on, in their order and with
     * their weights.
     */
    public static List<EnabledPlugin> multiPoint(FeatureGates features) {
        List<EnabledPlugin> enabled = new ArrayList<>();
        for (EnabledPlugin plugin : MULTI_POINT) {
            if (plugin.name().equals(FIT)
                    && features.isEnabled(FeatureGates.IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION)) {
                enabled.add(DEFERRED_PODS);
            }
            enabled.add(plugin);
        }
        for (Gated gated : GATED) {
            if (features.isEnabled(gated.feature)) {
                enabled.add(gated.plugin);
            }
        }
        return enabled;
    }

    /** Returns whether kube-scheduler has a plugin of this name, enabled by default or not. */
    public static boolean knows(String name) {
        for (EnabledPlugin plugin : MULTI_POINT) {
            if (plugin.name().equals(name)) {
                return true;
            }
        }
        for (Gated gated : GATED) {
            if (gated.plugin.name().equals(name)) {
                return true;
            }
        }
        return DEFERRED_PODS.name().equals(name);
    }

    /**
     * Returns whether the arguments of kube-scheduler's plugin of this name have an {@code apiVersion} and a {@code
     * kind}.
     */
    public static boolean hasArgsKind(String name) {
        return WITH_ARGS.contains(name);
    }

    /** Returns the plugin for an extension point that each profile must have a plugin for; empty for other points. */
    public static Optional<String> required(ExtensionPoint point) {
        return switch (point) {
            case QUEUE_SORT -> Optional.of("PrioritySort");
            case BIND -> Optional.of(BINDER);
            default -> Optional.empty();
        };
    }

    /** Returns whether it is a plugin that earlier versions had, and that kube-scheduler now refuses by name. */
    public static boolean isRemoved(String name) {
        return REMOVED.contains(name);
    }
}
