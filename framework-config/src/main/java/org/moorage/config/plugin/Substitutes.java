// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Substitutes for plugins that public configurations name but Moorage does not have. */
public final class Substitutes {
    /** The page that lists them. */
    public static final String PAGE = "docs/operate/plugin-substitutes.md";

    private static final List<String> SIGS = List.of(
            "CapacityScheduling",
            "Coscheduling",
            "LoadVariationRiskBalancing",
            "LowRiskOverCommitment",
            "NetworkOverhead",
            "NodeResourceTopologyMatch",
            "NodeResourcesAllocatable",
            "Peaks",
            "PodState",
            "PreemptionToleration",
            "QOSSort",
            "SySched",
            "TargetLoadPacking",
            "TopologicalSort");
    private static final Map<String, String> HINTS = hints();

    private Substitutes() {}

    private static Map<String, String> hints() {
        Map<String, String> hints = new TreeMap<>();
        String limits = "removed in Kubernetes 1.32; NodeVolumeLimits, which is enabled by default, applies the limits"
                + " of CSI drivers: delete the entry";
        for (String plugin : new String[] {"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"}) {
            hints.put(plugin, limits);
        }
        String spread = "removed after v1beta2; PodTopologySpread spreads the pods of a Service or"
                + " controller by default: delete the entry";
        hints.put("SelectorSpread", spread);
        hints.put("DefaultPodTopologySpread", spread);
        String strategy = "removed after v1beta1; the argument scoringStrategy of NodeResourcesFit has the type ";
        hints.put("NodeResourcesLeastAllocated", strategy + "LeastAllocated, which is the default");
        hints.put("NodeResourcesMostAllocated", strategy + "MostAllocated");
        hints.put("RequestedToCapacityRatio", strategy + "RequestedToCapacityRatio");
        hints.put("NodeLabel", "removed after v1beta1; the argument addedAffinity of NodeAffinity requires labels");
        hints.put("ServiceAffinity", "removed after v1beta1; podAffinity in the pods replaces it");
        hints.put("NodePreferAvoidPods", "removed after v1beta1; taints with PreferNoSchedule replace it");
        hints.put("NodeResourceLimits", "removed after v1beta1; nothing replaces it");

        // scheduler-plugins of kubernetes-sigs
        for (String plugin : SIGS) {
            hints.put(plugin, "the jar plugins-sigs has it; --plugin-dir adds the jar");
        }
        String gang = "GangScheduling with a PodGroup of scheduling.k8s.io schedules groups of pods together";
        hints.put("gang", gang);
        hints.put("KusciaScheduling", gang);
        hints.put("YodaScheduling", gang);
        String quota = "no plugin shares out quotas; Kueue admits workloads by quota before they are scheduled";
        hints.put("ElasticQuota", quota);
        String numa = "no plugin matches NUMA nodes; devices with DRA (DynamicResources) can be aligned by attributes";
        hints.put("NodeNUMAResource", numa);
        String load = "SafeOverload and SafeBalance of plugins-safe score nodes by measured use";
        hints.put("LoadAwareScheduling", load);
        hints.put("LoadAware", load);
        hints.put("Dynamic", load);
        hints.put("DiskIO", "nothing replaces it");
        hints.put("CrossNodePreemption", "DefaultPreemption preempts the pods of one node");
        hints.put("Reservation", "no plugin reserves room; pods of low priority that are preempted keep room free");
        String share = "no plugin shares a GPU between pods; DRA (DynamicResources) shares devices by claims";
        hints.put("DeviceShare", share);
        hints.put("Open-Gpu-Share", share);
        hints.put("gpu-share", share);
        hints.put("Open-Local", "storage capacity of CSI drivers (VolumeBinding) replaces it");
        hints.put("Simon", "NodeResourcesFit with scoringStrategy scores nodes by their resources");
        return hints;
    }

    /** Returns a clause on what to use in place of a plugin; empty if none is known. */
    public static Optional<String> of(String plugin) {
        return Optional.ofNullable(HINTS.get(plugin));
    }

    /** Returns the plugins with a known substitute. */
    public static Iterable<String> plugins() {
        return HINTS.keySet();
    }
}
