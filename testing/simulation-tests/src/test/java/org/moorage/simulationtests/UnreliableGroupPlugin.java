// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PlacementScores;
import org.moorage.api.PodGroupAssignments;
import org.moorage.api.PodGroupInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.group.PlacementScorePlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterPlugin;
import org.moorage.api.plugin.group.PodGroupPostFilterResult;
import org.moorage.api.plugin.group.PodGroupTrial;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PermitPlugin;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.PreBindPreFlightResult;
import org.moorage.api.plugin.point.ReservePlugin;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * A plugin that randomly throws, rejects, delays, or returns invalid results, for the pods of a group and in the
 * methods for whole groups. It ignores pods without a group: no event would requeue the pods that it rejected.
 */
final class UnreliableGroupPlugin
        implements FilterPlugin,
                ScorePlugin,
                ReservePlugin,
                PermitPlugin,
                PreBindPlugin,
                PlacementScorePlugin,
                PodGroupPostFilterPlugin {
    static final String NAME = "UnreliableForGroups";

    private final Handle handle;
    private final Faults faults;
    private final RandomGenerator random;

    private UnreliableGroupPlugin(Handle handle, Faults faults, RandomGenerator random) {
        this.handle = handle;
        this.faults = faults;
        this.random = random;
    }

    static PluginFactory<?> factory(Faults faults, RandomGenerator random) {
        return PluginFactory.of(
                NAME, UnreliableGroupPlugin.class, handle -> new UnreliableGroupPlugin(handle, faults, random));
    }

    @Override
    public String name() {
        return NAME;
    }

    private boolean fails(Pod pod) {
        return !pod.spec().podGroupName().isEmpty() && faults.happens(Faults.Kind.FAILED_MEMBER);
    }

    private static IllegalStateException thrown() {
        return new IllegalStateException("thrown by the simulation");
    }

    @SuppressWarnings("NullAway") // null is what no plugin may answer
    private Status answer() {
        return switch (random.nextInt(5)) {
            case 0 -> throw thrown();
            case 1 -> throw new StackOverflowError("thrown by the simulation");
            case 2 -> Status.unschedulable("rejected by the simulation");
            case 3 -> Status.unresolvable("rejected permanently by the simulation");
            default -> null;
        };
    }

    @Override
    public Status filter(CycleState state, Pod pod, NodeInfo node) {
        return fails(pod) && random.nextInt(3) == 0 ? answer() : Status.success();
    }

    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        if (!fails(pod) || random.nextInt(4) != 0) {
            return 0;
        }
        return switch (random.nextInt(3)) {
            case 0 -> -5;
            case 1 -> 101;
            default -> throw thrown();
        };
    }

    @Override
    public Status reserve(CycleState state, Pod pod, String nodeName) {
        return fails(pod) ? answer() : Status.success();
    }

    @Override
    public void unreserve(CycleState state, Pod pod, String nodeName) {
        if (fails(pod)) {
            throw thrown();
        }
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public PermitResult permit(CycleState state, Pod pod, String nodeName) {
        if (!fails(pod)) {
            return PermitResult.allow();
        }
        return switch (random.nextInt(4)) {
            case 0 -> throw thrown();
            case 1 -> PermitResult.rejected(Status.unschedulable("rejected by the simulation"));
            case 2 -> PermitResult.waitAtMost(Duration.ofMillis(random.nextInt(1, 20_000)));
            default -> null;
        };
    }

    @Override
    public PreBindPreFlightResult preBindPreFlight(CycleState state, Pod pod, String nodeName) {
        return PreBindPreFlightResult.run();
    }

    @Override
    public Status preBind(CycleState state, Pod pod, String nodeName) {
        if (!fails(pod)) {
            return Status.success();
        }
        handle.binding().pause(pod, Duration.ofMillis(random.nextInt(1, 30_000)));
        return random.nextInt(3) == 0 ? Status.success() : answer();
    }

    @Override
    public long scorePlacement(CycleState state, PodGroupInfo group, PodGroupAssignments assignments) {
        if (!faults.happens(Faults.Kind.FAILED_GROUP)) {
            return 0;
        }
        return switch (random.nextInt(3)) {
            case 0 -> -1;
            case 1 -> 1000;
            default -> throw thrown();
        };
    }

    @Override
    public PlacementScores normalizePlacementScores(CycleState state, PodGroupInfo group, PlacementScores scores) {
        if (!faults.happens(Faults.Kind.FAILED_GROUP)) {
            return scores;
        }
        long[] changed = scores.toArray();
        changed[0] = 200;
        return scores.with(changed);
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public PodGroupPostFilterResult podGroupPostFilter(CycleState state, PodGroupInfo group, PodGroupTrial trial) {
        if (faults.happens(Faults.Kind.FAILED_GROUP)) {
            leaveChanges(trial);
            switch (random.nextInt(4)) {
                case 0 -> throw thrown();
                case 1 -> {
                    return null;
                }
                case 2 -> {
                    return PodGroupPostFilterResult.nominated(wrong(group), List.of(), "simulated");
                }
                default -> {}
            }
        }
        return PodGroupPostFilterResult.rejected(Status.unschedulable("not by the simulation"));
    }

    // Leaves changes in the trial, which the caller of the plugin must revert.
    private void leaveChanges(PodGroupTrial trial) {
        for (NodeInfo node : trial.snapshot().nodes()) {
            for (Pod pod : List.copyOf(node.pods())) {
                if (random.nextBoolean()) {
                    trial.remove(List.of(pod), node.name());
                }
            }
        }
        if (random.nextBoolean()) {
            trial.schedule();
        }
        if (random.nextBoolean()) {
            trial.holds();
        }
    }

    private Map<String, Nomination> wrong(PodGroupInfo group) {
        Map<String, Nomination> nominations = new HashMap<>();
        nominations.put("no-such-uid", Nomination.to("no-such-node"));
        for (Pod pod : group.unscheduledPods()) {
            if (random.nextBoolean()) {
                nominations.put(pod.uid(), Nomination.to("no-such-node"));
            }
        }
        return nominations;
    }

    @Override
    public CompletionStage<?> execute(CycleState state, PodGroupInfo group, PodGroupPostFilterResult result) {
        if (faults.happens(Faults.Kind.FAILED_GROUP)) {
            throw thrown();
        }
        return CompletableFuture.completedStage(null);
    }
}
