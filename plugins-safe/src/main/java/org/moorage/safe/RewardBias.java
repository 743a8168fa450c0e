// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Prefers the nodes on which pods of the same type have run well. It learns from the pods that it watches: a pod that
 * fails lowers the reward of its type on its node, and a running pod raises it. The type is a label of the pod.
 *
 * <p>Same rewards and averages as kubeRL of kube-safe-scheduler, in one process rather than three. A type that never
 * ran on a node has the best score there; with {@code originalBehavior} it has the worst, and scores are truncated to 0
 * to 10.
 */
public final class RewardBias implements ScorePlugin {
    static final String NAME = "RewardBias";
    private static final StateKey<Map<Args, Rewards>> SHARED = StateKey.of(NAME + "/rewards");

    private final Args args;
    private final Rewards rewards;

    /**
     * The arguments.
     *
     * @param weight the weight of one outcome, above 0 and up to 1
     * @param running the reward of a running pod
     * @param unseen the reward of a container that terminated for the first time, or again after a long time
     * @param failed the reward of a pod that failed, or of a container that terminated again soon
     * @param mttf the time between two terminations of a container above which the later one is not a failure
     * @param namespaces the namespaces whose pods are watched; empty for all
     * @param typeLabels the labels that define a pod's type, in order of precedence; the type of a pod without any of
     *     them is its name
     * @param file the file that persists the rewards; empty for none
     * @param configMap the ConfigMap that persists the rewards, as {@code namespace/name}; empty for none
     * @param originalBehavior whether to score from 0 to 10, to score 0 on nodes where the type never ran, and to let
     *     the last container decide
     */
    public record Args(
            double weight,
            double running,
            double unseen,
            double failed,
            Duration mttf,
            List<String> namespaces,
            List<String> typeLabels,
            String file,
            String configMap,
            boolean originalBehavior)
            implements PluginArgs {
        /** The default arguments: the original's constants. */
        public static final Args DEFAULTS = new Args(
                0.1,
                1,
                0.5,
                0,
                Duration.ofSeconds(600),
                List.of("default"),
                List.of("podtype", "app", "name"),
                "",
                "",
                false);

        @Override
        public void validate(Problems problems) {
            if (!(weight > 0 && weight <= 1)) {
                problems.at("weight").invalid(weight, "above 0 and up to 1");
            }
            fraction(running, problems.at("running"));
            fraction(unseen, problems.at("unseen"));
            fraction(failed, problems.at("failed"));
            if (mttf.isNegative()) {
                problems.at("mttf").invalid(mttf, ">= 0");
            }
            if (!configMap.isEmpty() && !configMap.matches("[^/]+/[^/]+")) {
                problems.at("configMap").invalid(configMap, "namespace/name");
            }
            if (!file.isEmpty() && !configMap.isEmpty()) {
                problems.at("configMap").invalid(configMap, "empty if file is set");
            }
        }

        private static void fraction(double value, Problems problems) {
            if (!(value >= 0 && value <= 1)) {
                problems.invalid(value, "0 to 1");
            }
        }

        private RewardStore store(Handle handle) {
            if (!file.isEmpty()) {
                return new RewardStore.InFile(Path.of(file));
            }
            if (configMap.isEmpty()) {
                return RewardStore.NONE;
            }
            String[] parts = configMap.split("/", 2);
            return new RewardStore.InConfigMap(handle, parts[0], parts[1]);
        }
    }

    private RewardBias(Args args, Handle handle) {
        this.args = args;
        // Profiles with the same arguments share one watch.
        rewards = handle.<Map<Args, Rewards>>shared(SHARED, ConcurrentHashMap::new)
                .computeIfAbsent(args, any -> RewardMonitor.start(args, args.store(handle), handle));
    }

    /** Returns the type of a pod: the value of the first of the labels that the pod has, else its name. */
    static String type(Pod pod, List<String> labels) {
        for (String label : labels) {
            String value = pod.labels().get(label);
            if (value != null) {
                return value;
            }
        }
        return pod.name();
    }

    /** Returns the rewards learned so far. */
    Rewards rewards() {
        return rewards;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        String type = type(pod, args.typeLabels());
        if (!args.originalBehavior()) {
            return Math.round(NodeScores.MAX * rewards.of(type, node.name()));
        }
        return rewards.knows(type, node.name()) ? (long) (10 * rewards.of(type, node.name())) : 0;
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}. */
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
        public Plugin create(Args args, Handle handle) {
            return new RewardBias(args, handle);
        }
    }
}
