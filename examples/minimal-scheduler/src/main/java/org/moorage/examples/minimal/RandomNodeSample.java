// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.minimal;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.NodeStatuses;
import org.moorage.api.plugin.point.PostFilterPlugin;
import org.moorage.api.plugin.point.PostFilterResult;
import org.moorage.api.plugin.point.PreFilterPlugin;
import org.moorage.api.plugin.point.PreFilterResult;

/**
 * Tries each pod on a few random nodes only, as kube-scheduler-rs-reference does: it draws five nodes and takes the
 * first feasible one.
 *
 * <p>What differs: a node is drawn once, unless {@link Args#withReplacement} is set, and a pod that found none is tried
 * on other nodes after its backoff rather than in five minutes. Its event names the nodes that were drawn.
 */
public final class RandomNodeSample implements PreFilterPlugin, PostFilterPlugin, EnqueueExtensions {
    /** The plugin's name. */
    public static final String NAME = "RandomNodeSample";

    private static final Status NO_NODE = Status.unresolvable("no node to draw");
    private static final StateKey<Sample> SAMPLE = StateKey.of("RandomNodeSample/sample");

    private final Args args;
    private final Handle handle;
    private final RandomGenerator random;

    /**
     * The arguments.
     *
     * @param sampleSize how many nodes to draw
     * @param withReplacement whether a node may be drawn again, so that fewer nodes are tried
     * @param seed has the same nodes drawn in each run; without it they are others each time
     * @param retryAfter when to try a pod again that found no node; 0 for its backoff, which grows from 1 to 10 seconds
     * @param originalBehavior as kube-scheduler-rs-reference: five draws with replacement, and a retry after 300
     *     seconds
     */
    public record Args(
            int sampleSize, boolean withReplacement, OptionalLong seed, Duration retryAfter, boolean originalBehavior)
            implements PluginArgs {
        /** Five nodes, each once, tried again after the backoff. */
        public static final Args DEFAULTS = new Args(5, false, OptionalLong.empty(), Duration.ZERO, false);

        private static final Args ORIGINAL = new Args(5, true, OptionalLong.empty(), Duration.ofSeconds(300), true);

        @Override
        public void validate(Problems problems) {
            if (sampleSize < 1) {
                problems.at("sampleSize").report(sampleSize + " (expected: >= 1)");
            }
            if (retryAfter.isNegative()) {
                problems.at("retryAfter").report(retryAfter + " (expected: >= 0s)");
            }
        }
    }

    /**
     * The nodes that were drawn for a pod.
     *
     * @param names their names, in the order of the draws
     * @param isAll whether there are no others
     */
    private record Sample(Set<String> names, boolean isAll) {}

    /** The plugin, for one profile. */
    public RandomNodeSample(Args args, Handle handle) {
        this.args = args.originalBehavior() ? Args.ORIGINAL : args;
        this.handle = handle;
        this.random = args.seed().isPresent() ? new Random(args.seed().getAsLong()) : handle.random();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PreFilterResult preFilter(CycleState state, Pod pod, Snapshot snapshot) {
        List<NodeInfo> nodes = snapshot.nodes();
        if (nodes.isEmpty()) {
            return PreFilterResult.rejected(NO_NODE);
        }
        Set<String> names = args.withReplacement() ? drawWithReplacement(nodes) : draw(nodes);
        state.put(SAMPLE, new Sample(names, names.size() == nodes.size()));
        return PreFilterResult.onlyNodes(names);
    }

    private Set<String> drawWithReplacement(List<NodeInfo> nodes) {
        Set<String> names = new LinkedHashSet<>();
        for (int i = 0; i < args.sampleSize(); i++) {
            names.add(nodes.get(random.nextInt(nodes.size())).name());
        }
        return names;
    }

    // Floyd's way: each set of that size is equally likely, with as many draws as nodes are wanted.
    private Set<String> draw(List<NodeInfo> nodes) {
        Set<String> names = new LinkedHashSet<>();
        for (int last = Math.max(0, nodes.size() - args.sampleSize()); last < nodes.size(); last++) {
            if (!names.add(nodes.get(random.nextInt(last + 1)).name())) {
                names.add(nodes.get(last).name());
            }
        }
        return names;
    }

    // No room is made; this is where a plugin can add to what the pod's event says.
    @Override
    public PostFilterResult postFilter(CycleState state, Pod pod, NodeStatuses statuses) {
        String drawn = state.find(SAMPLE)
                .map(sample -> "nodes drawn: " + String.join(", ", sample.names()))
                .orElse("no node drawn");
        return PostFilterResult.rejected(Status.unschedulable(drawn));
    }

    // Nothing in the cluster needs to change for another draw to succeed; once all nodes were tried, something does.
    // The original retried in both cases.
    @Override
    public CompletionStage<?> execute(CycleState state, Pod pod, PostFilterResult result) {
        boolean isTriedAgain = args.originalBehavior()
                || !state.find(SAMPLE).map(Sample::isAll).orElse(true);
        if (isTriedAgain && args.retryAfter().isZero()) {
            handle.queue().activateAfterBackoff(List.of(pod));
        } else if (isTriedAgain) {
            handle.tasks().backgroundAfter(args.retryAfter(), () -> handle.queue().activate(List.of(pod)));
        }
        return CompletableFuture.completedStage(null);
    }

    @Override
    public List<EventRegistration> eventsToRegister() {
        return List.of(EventRegistration.always(ClusterEvent.of(EventResource.NODE, ActionType.ADD)));
    }

    /** Named in {@code META-INF/services/org.moorage.api.plugin.PluginFactory}, which is how the plugin is found. */
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
            return new RandomNodeSample(args, handle);
        }
    }
}
