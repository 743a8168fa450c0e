// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.ResourceName;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.PreScorePlugin;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.ScorePlugin;
import org.moorage.api.plugin.SignPlugin;
import org.moorage.api.plugin.Signature;

/**
 * Prefers nodes whose resources the pod would leave used in more even parts than they are now. Same decisions as
 * kube-scheduler's NodeResourcesBalancedAllocation.
 */
public final class NodeResourcesBalancedAllocation implements PreScorePlugin, ScorePlugin, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "NodeResourcesBalancedAllocation";

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

    private static final StateKey<long[]> REQUESTS = StateKey.of(NAME + "/requests");

    private final ResourceName[] resources;
    private final boolean[] scalar;

    private NodeResourcesBalancedAllocation(Args args) {
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
        long[] requests = requestsOf(pod);
        for (long request : requests) {
            if (request != 0) {
                state.put(REQUESTS, requests);
                return Status.success();
            }
        }
        return Status.skip();
    }

    /** 50 to 100; 75 if the pod makes no difference to how even the parts are. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Optional<long[]> known = state.find(REQUESTS);
        long[] requests = known.isPresent() ? known.get() : requestsOf(pod);
        long with = evenness(node, requests, 1);
        long without = evenness(node, requests, 0);
        return NodeScores.MAX / 2 + (NodeScores.MAX / 2 + with - without) / 2;
    }

    @Override
    public Signature sign(Pod pod) {
        return NodeResourcesFit.signature(pod);
    }

    private long[] requestsOf(Pod pod) {
        long[] requests = new long[resources.length];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = pod.requests().amount(resources[i]);
        }
        return requests;
    }

    // 100 if all resources are used in equal parts, less by the standard deviation of the parts.
    private long evenness(NodeInfo node, long[] requests, int copies) {
        int parts = 0;
        double sum = 0;
        double first = 0;
        double second = 0;
        for (int i = 0; i < resources.length; i++) {
            if (counts(node, requests, i)) {
                double part = part(node, requests, i, copies);
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
            deviation = deviation(node, requests, copies, parts, sum / parts);
        }
        return (long) ((1 - deviation) * NodeScores.MAX);
    }

    private double deviation(NodeInfo node, long[] requests, int copies, int parts, double mean) {
        double squares = 0;
        for (int i = 0; i < resources.length; i++) {
            if (counts(node, requests, i)) {
                double distance = part(node, requests, i, copies) - mean;
                squares += distance * distance;
            }
        }
        return Math.sqrt(squares / parts);
    }

    private boolean counts(NodeInfo node, long[] requests, int i) {
        return node.allocatable(resources[i]) != 0 && !(scalar[i] && requests[i] == 0);
    }

    private double part(NodeInfo node, long[] requests, int i, int copies) {
        long requested = node.requested(resources[i]) + copies * requests[i];
        return Math.min(1, (double) requested / (double) node.allocatable(resources[i]));
    }

    /** Makes the plugin. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public NodeResourcesBalancedAllocation create(Args args, Handle handle) {
            return new NodeResourcesBalancedAllocation(args);
        }
    }
}
