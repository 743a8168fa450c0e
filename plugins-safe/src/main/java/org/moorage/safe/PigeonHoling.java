// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.PreScorePlugin;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Scores nodes by an objective for the cluster as a whole. For each node, the objective is computed over all candidates
 * as if the pod ran on that node; the node with the lowest value has the best score. LOAD_BALANCE evens out the
 * utilization of one resource, CONSOLIDATE fills few nodes, and A_BINPACK shifts between the two with the variability
 * of pod demand, which it learns.
 *
 * <p>Same objectives as the agent {@code pigeon-holing} of kube-safe-scheduler. Usage is the sum of requests in the
 * scheduler's cache, assumed pods included; pods without requests count as in kube-scheduler's scores. With {@code
 * originalBehavior}, usage comes from annotations and scores are 0 to 10. In both modes a retried pod counts once.
 */
public final class PigeonHoling implements PreScorePlugin, ScorePlugin {
    static final String NAME = "PigeonHoling";
    private static final StateKey<Scores> SCORES = StateKey.of(NAME + "/scores");
    // Objectives are sums of roots; smaller differences are rounding errors.
    private static final double EQUAL = 1e-9;

    /**
     * The arguments. An argument that is not set takes the value of its environment variable, else that of the file,
     * else the original's default.
     *
     * @param objective LOAD_BALANCE, CONSOLIDATE or A_BINPACK; by default {@code POLICY_OBJECTIVE}, else A_BINPACK
     * @param resources the resources that count, in this order; by default the first {@code NUM_RESOURCES}, else 2, of
     *     cpu, memory, pods, nvidia.com/gpu and ephemeral-storage
     * @param primeResource the resource of LOAD_BALANCE and CONSOLIDATE; by default the first
     * @param smoothing the minimum weight of a pod in the demand statistics, above 0 and up to 1
     * @param configFile a {@code pigeon.cfg} in the original's format; by default the one in the working directory, if
     *     it exists
     * @param demandFile the file that persists the demand statistics; empty to start anew with each process
     * @param originalBehavior whether usage comes from annotations, and scores are 0 to 10
     */
    public record Args(
            Optional<String> objective,
            List<String> resources,
            Optional<String> primeResource,
            double smoothing,
            Optional<String> configFile,
            String demandFile,
            boolean originalBehavior)
            implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS =
                new Args(Optional.empty(), List.of(), Optional.empty(), 0.01, Optional.empty(), "", false);

        @Override
        public void validate(Problems problems) {
            if (objective.isPresent() && Objective.named(objective.get()).isEmpty()) {
                problems.at("objective").invalid(objective.get(), Objective.NAMES);
            }
            for (int i = 0; i < resources.size(); i++) {
                if (resources.get(i).isEmpty() || resources.indexOf(resources.get(i)) < i) {
                    problems.at("resources").at(i).invalid(resources.get(i), "the name of a resource, once");
                }
            }
            if (primeResource.isPresent() && !resources.isEmpty() && !resources.contains(primeResource.get())) {
                problems.at("primeResource").invalid(primeResource.get(), "one of " + String.join(", ", resources));
            }
            if (!(smoothing > 0 && smoothing <= 1)) {
                problems.at("smoothing").invalid(smoothing, "above 0 and up to 1");
            }
        }
    }

    /** The scores of the candidates, by the nodes' indexes in the snapshot. Never modified after it is stored. */
    private record Scores(long[] byIndex) {}

    private final Objective objective;
    private final PigeonResource[] resources;
    private final int prime;
    private final boolean originalBehavior;
    private final DemandStatistics demands;

    private PigeonHoling(Args args, Environment environment, Handle handle) {
        PigeonConfig config = args.configFile().isPresent()
                ? PigeonConfig.read(Path.of(args.configFile().get()))
                : PigeonConfig.readIfPresent(Path.of(PigeonConfig.NAME));
        originalBehavior = args.originalBehavior();
        objective = Objective.named(args.objective()
                        .orElseGet(() -> environment.text("POLICY_OBJECTIVE").orElse(config.objective())))
                .orElse(Objective.A_BINPACK);
        resources = resources(args, environment);
        prime = prime(args, config);
        demands = args.demandFile().isEmpty()
                ? new DemandStatistics(resources.length, args.smoothing())
                : DemandFile.statistics(Path.of(args.demandFile()), List.of(resources), args.smoothing(), handle);
    }

    private static PigeonResource[] resources(Args args, Environment environment) {
        List<PigeonResource> all = new ArrayList<>();
        if (args.resources().isEmpty()) {
            int count = environment.number("NUM_RESOURCES", 1, PigeonResource.NAMES.size(), 2);
            PigeonResource.NAMES
                    .subList(0, count)
                    .forEach(name -> all.add(PigeonResource.of(name, args.originalBehavior())));
        } else {
            args.resources().forEach(name -> all.add(PigeonResource.of(name, args.originalBehavior())));
        }
        return all.toArray(new PigeonResource[0]);
    }

    private int prime(Args args, PigeonConfig config) {
        if (args.primeResource().isEmpty()) {
            return config.resourceIndex() < resources.length ? config.resourceIndex() : 0;
        }
        for (int i = 0; i < resources.length; i++) {
            if (resources[i].name().equals(args.primeResource().get())) {
                return i;
            }
        }
        return 0;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Status preScore(CycleState state, Pod pod, List<NodeInfo> nodes) {
        state.put(SCORES, scores(pod, nodes));
        return Status.success();
    }

    private Scores scores(Pod pod, List<NodeInfo> nodes) {
        double[] demand = new double[resources.length];
        for (int j = 0; j < resources.length; j++) {
            demand[j] = resources[j].demand(pod);
        }
        double[][] capacity = new double[nodes.size()][resources.length];
        double[][] usage = new double[nodes.size()][resources.length];
        for (int i = 0; i < capacity.length; i++) {
            NodeInfo node = nodes.get(i);
            for (int j = 0; j < resources.length; j++) {
                capacity[i][j] = resources[j].capacity(node);
                usage[i][j] = resources[j].usage(node);
            }
        }
        DemandStatistics.Moments moments = demands.add(pod.uid(), demand);
        return scores(nodes, objective.values(new Candidates(capacity, usage, demand, prime), moments));
    }

    private Scores scores(List<NodeInfo> nodes, double[] values) {
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        int size = 0;
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                least = Math.min(least, values[i]);
                most = Math.max(most, values[i]);
            }
            size = Math.max(size, nodes.get(i).index() + 1);
        }
        long best = originalBehavior ? 10 : NodeScores.MAX;
        long[] byIndex = new long[size];
        for (int i = 0; i < values.length; i++) {
            byIndex[nodes.get(i).index()] = score(values[i], least, most, best);
        }
        return new Scores(byIndex);
    }

    // A node that the pod does not fit on scores 0; the worst node that it fits on scores 1.
    private static long score(double value, double least, double most, long best) {
        if (Double.isNaN(value)) {
            return 0;
        }
        return most - least <= EQUAL ? best : Math.round(1 + (best - 1) * (most - value) / (most - least));
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Scores known = state.find(SCORES).orElse(null);
        return known == null ? 0 : known.byIndex()[node.index()];
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        if (state.find(SCORES).isPresent()) {
            return scores;
        }
        // A profile may enable the plugin only at Score.
        List<NodeInfo> nodes = new ArrayList<>(scores.size());
        for (int i = 0; i < scores.size(); i++) {
            nodes.add(scores.node(i));
        }
        Scores known = scores(pod, nodes);
        long[] byPosition = new long[scores.size()];
        for (int i = 0; i < byPosition.length; i++) {
            byPosition[i] = known.byIndex()[scores.node(i).index()];
        }
        return scores.with(byPosition);
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}. */
    public static final class Factory implements PluginFactory<Args> {
        private final Environment environment;

        /** Uses the environment of the process. */
        public Factory() {
            this(Environment.ofProcess());
        }

        Factory(Environment environment) {
            this.environment = environment;
        }

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
            return new PigeonHoling(args, environment, handle);
        }
    }
}
