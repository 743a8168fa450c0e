// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin;

import java.util.List;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.builtin.affinity.InterPodAffinity;
import org.moorage.builtin.affinity.NodeAffinity;
import org.moorage.builtin.binding.DefaultBinder;
import org.moorage.builtin.group.GangScheduling;
import org.moorage.builtin.group.PodGroupPodsCount;
import org.moorage.builtin.group.TopologyPlacementGenerator;
import org.moorage.builtin.node.ImageLocality;
import org.moorage.builtin.node.NodeDeclaredFeatures;
import org.moorage.builtin.node.NodeName;
import org.moorage.builtin.node.NodePorts;
import org.moorage.builtin.node.NodeUnschedulable;
import org.moorage.builtin.node.TaintToleration;
import org.moorage.builtin.preemption.DefaultPreemption;
import org.moorage.builtin.queue.PrioritySort;
import org.moorage.builtin.queue.SchedulingGates;
import org.moorage.builtin.resources.DeferredPodScheduling;
import org.moorage.builtin.resources.NodeResourcesBalancedAllocation;
import org.moorage.builtin.resources.NodeResourcesFit;
import org.moorage.builtin.spread.PodTopologySpread;
import org.moorage.builtin.volume.VolumeRestrictions;
import org.moorage.builtin.volume.VolumeZone;
import org.moorage.builtin.volume.binding.VolumeBinding;
import org.moorage.builtin.volume.limits.NodeVolumeLimits;

/**
 * kube-scheduler's own plugins that need nothing but the API, among them all default plugins except DynamicResources,
 * which {@code KubeSchedulerPlugins} in {@code plugins-dra} adds.
 */
public final class BuiltinPlugins {
    private static final List<PluginFactory<?>> ALL = List.of(
            SchedulingGates.FACTORY,
            PrioritySort.FACTORY,
            NodeName.FACTORY,
            NodeUnschedulable.FACTORY,
            TaintToleration.FACTORY,
            NodeAffinity.FACTORY,
            NodePorts.FACTORY,
            DeferredPodScheduling.FACTORY,
            NodeResourcesFit.FACTORY,
            VolumeRestrictions.FACTORY,
            NodeVolumeLimits.FACTORY,
            VolumeBinding.FACTORY,
            VolumeZone.FACTORY,
            PodTopologySpread.FACTORY,
            InterPodAffinity.FACTORY,
            DefaultPreemption.FACTORY,
            NodeResourcesBalancedAllocation.FACTORY,
            ImageLocality.FACTORY,
            DefaultBinder.FACTORY,
            NodeDeclaredFeatures.FACTORY,
            GangScheduling.FACTORY,
            TopologyPlacementGenerator.FACTORY,
            PodGroupPodsCount.FACTORY);

    private BuiltinPlugins() {}

    /** Returns the factories of all plugins. The configuration of a profile selects and orders those it uses. */
    public static List<PluginFactory<?>> all() {
        return ALL;
    }
}
