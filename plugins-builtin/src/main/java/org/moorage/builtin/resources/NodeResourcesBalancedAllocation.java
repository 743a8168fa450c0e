// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.ScorePlugin;

/**
 * Prefers nodes whose resources the pod would leave used in more even parts than they are now. Same decisions as
 * kube-scheduler's NodeResourcesBalancedAllocation.
 */
public final class NodeResourcesBalancedAllocation implements PreScorePlugin, ScorePlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeResourcesBalancedAllocation";
    /** Makes the plugin. */
    public static final PluginFactory<Args> FACTORY = PluginFactory.of(
            NAME, NodeResourcesBalancedAllocation.class, Args.class, NodeResourcesBalancedAllocation::new);

    /**
     * The plugin's arguments.
     *
     * @param resources the resources to look at; cpu and memory if there are none
     */
    public record Args(List<ResourceSpec> resources) implements PluginArgs {
        /** Cpu and memory. */
        public static final Args DEFAULTS = new Args(List.of());

        public Args {
            resources = resources.isEmpty() ? ResourceSpec.CPU_AND_MEMORY : List.copyOf(resources);
        }

        @Override
        public void validate(Problems problems) {
            Set<String> names = new HashSet<>();
            for (int i = 0; i < resources.size(); i++) {
                ResourceSpec resource = resources.get(i);
                Problems at = problems.at("resources").at(i);
                if (!names.add(resource.name())) {
                    at.at("name").invalid(resource.name(), "each resource once");
                }
                if (resource.weight() != 1) {
                    at.at("weight").invalid(resource.weight(), "1");
                }
            }
        }
    }

    private static final StateKey<ScoredRequest> REQUEST = StateKey.of(NAME + "/request");

    private final ResourceName[] resources;
    private final boolean[] scalar;
    private final DeviceResources devices;

    NodeResourcesBalancedAllocation(Args args, Handle handle) {
        devices = DeviceResources.of(handle);
        resources = new ResourceName[args.resources().size()];
        scalar = new boolean[resources.length];
        for (int i = 0; i < resources.length; i++) {
            String name = args.resources().get(i).name();
            resources[i] = ResourceName.of(name);
            scalar[i] = ResourceName.isScalar(name);
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        ScoredRequest request = requestOf(pod, nodes);
        if (request.isEmpty()) {
            return Status.skip();
        }
        state.put(REQUEST, request);
        return Status.success();
    }

    /** 50 to 100; 75 if the pod makes no difference to how even the parts are. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Optional<ScoredRequest> known = state.find(REQUEST);
        ScoredRequest request = known.isPresent() ? known.get() : requestOf(pod, List.of(node));
        long with = evenness(node, request, 1);
        long without = evenness(node, request, 0);
        return NodeScores.MAX / 2 + (NodeScores.MAX / 2 + with - without) / 2;
    }

    private ScoredRequest requestOf(Pod pod, List<NodeInfo> nodes) {
        long[] requests = new long[resources.length];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = pod.requests().amount(resources[i]);
        }
        return devices.request(resources, requests, nodes);
    }

    // 100 if all resources are used in equal parts, less by the standard deviation of the parts.
    private long evenness(NodeInfo node, ScoredRequest request, int copies) {
        int parts = 0;
        double sum = 0;
        double first = 0;
        double second = 0;
        for (int i = 0; i < resources.length; i++) {
            if (counts(node, request, i)) {
                double part = part(node, request, i, copies);
                first = parts == 0 ? part : first;
                second = parts == 1 ? part : second;
                sum += part;
                parts++;
            }
        }
        double deviation = 0;
        if (parts == 2) {
            deviation = Math.abs((first - second) / 2);
        } else if (parts > 2) {
            deviation = deviation(node, request, copies, parts, sum / parts);
        }
        return (long) ((1 - deviation) * NodeScores.MAX);
    }

    private double deviation(NodeInfo node, ScoredRequest request, int copies, int parts, double mean) {
        double squares = 0;
        for (int i = 0; i < resources.length; i++) {
            if (counts(node, request, i)) {
                double distance = part(node, request, i, copies) - mean;
                squares += distance * distance;
            }
        }
        return Math.sqrt(squares / parts);
    }

    private boolean counts(NodeInfo node, ScoredRequest request, int i) {
        return request.capacity(node, i) != 0 && !(scalar[i] && request.amount(i) == 0);
    }

    private double part(NodeInfo node, ScoredRequest request, int i, int copies) {
        long used = request.isByDevices(node, i) ? request.taken(node, i) : node.requested(resources[i]);
        return Math.min(1, (double) (used + copies * request.amount(i)) / (double) request.capacity(node, i));
    }
}
