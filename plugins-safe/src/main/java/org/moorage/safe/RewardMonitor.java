// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus.ContainerPhase;
import org.moorage.api.model.PodStatus.ContainerState;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ObjectLister;

/**
 * Watches pods, turns their outcomes into rewards, and persists the rewards. The scheduler does not watch terminated
 * pods, so a pod that disappears from its cache is read once from the API server, in the background.
 */
final class RewardMonitor {
    private static final Duration BETWEEN_SAVES = Duration.ofSeconds(10);

    private final RewardBias.Args args;
    private final Rewards rewards;
    private final RewardStore store;
    private final Handle handle;
    private final ObjectLister<Node> nodes;
    private final Set<String> unsaved = new HashSet<>();
    private boolean isLoaded;
    private boolean isFailing;

    private RewardMonitor(RewardBias.Args args, Rewards rewards, RewardStore store, Handle handle) {
        this.args = args;
        this.rewards = rewards;
        this.store = store;
        this.handle = handle;
        nodes = handle.cluster().lister(ObjectKind.NODE);
    }

    /** Starts to watch pods, and returns the rewards. */
    static Rewards start(RewardBias.Args args, RewardStore store, Handle handle) {
        Rewards rewards = new Rewards(args.weight(), args.running());
        RewardMonitor monitor = new RewardMonitor(args, rewards, store, handle);
        var ignored = handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ObjectKind.POD, monitor::changed);
        handle.cluster().onChange(ObjectKind.NODE, monitor::nodeChanged);
        if (store != RewardStore.NONE) {
            handle.tasks().background().execute(monitor::keep);
        }
        return rewards;
    }

    private void changed(ObjectChange<Pod> change) {
        Pod pod = change.latest();
        if (!pod.isBound() || !isWatched(pod)) {
            return;
        }
        if (change.after().isEmpty()) {
            if (!pod.metadata().isDeleting() && !pod.status().isTerminal()) {
                handle.tasks().background().execute(() -> gone(pod));
            }
        } else if (change.before().isEmpty() || isNews(change.before().get(), pod)) {
            outcome(pod).ifPresent(reward -> add(pod, reward));
        }
    }

    private void nodeChanged(ObjectChange<Node> change) {
        if (change.after().isEmpty()) {
            rewards.forget(change.latest().name());
        }
    }

    private boolean isWatched(Pod pod) {
        return args.namespaces().isEmpty() || args.namespaces().contains(pod.namespace());
    }

    // A change of labels or conditions is not an outcome.
    private static boolean isNews(Pod before, Pod after) {
        return !before.status().phase().equals(after.status().phase())
                || !before.status().containerStates().equals(after.status().containerStates())
                || !before.isBound();
    }

    private void gone(Pod pod) {
        handle.cluster()
                .read(ObjectKind.POD, pod.namespace(), pod.name())
                .filter(now -> now.uid().equals(pod.uid()))
                .ifPresent(now -> outcome(now).ifPresent(reward -> add(now, reward)));
    }

    private void add(Pod pod, double reward) {
        rewards.add(RewardBias.type(pod, args.typeLabels()), pod.nodeName(), reward);
    }

    private OptionalDouble outcome(Pod pod) {
        return switch (pod.status().phase()) {
            case "Failed", "Unknown" -> OptionalDouble.of(args.failed());
            case "Running" -> ofContainers(pod.status().containerStates());
            default -> OptionalDouble.empty();
        };
    }

    // If several containers have terminated, the worst one counts. If none has, a container that is waiting or
    // restarted leaves the outcome open. The original let the last container decide.
    private OptionalDouble ofContainers(List<ContainerState> states) {
        double worst = Double.POSITIVE_INFINITY;
        boolean isUndecided = false;
        for (ContainerState state : states) {
            if (state.phase() == ContainerPhase.TERMINATED) {
                double reward = state.lastFinishedAt().isPresent()
                                && !isLongAfter(state, state.lastFinishedAt().get())
                        ? args.failed()
                        : args.unseen();
                worst = args.originalBehavior() ? reward : Math.min(worst, reward);
                isUndecided = false;
            } else {
                isUndecided = true;
            }
        }
        if (worst < Double.POSITIVE_INFINITY && !(args.originalBehavior() && isUndecided)) {
            return OptionalDouble.of(worst);
        }
        return isUndecided ? OptionalDouble.empty() : OptionalDouble.of(args.running());
    }

    private boolean isLongAfter(ContainerState state, Instant before) {
        Instant end = state.finishedAt().orElse(before);
        return Duration.between(before, end).compareTo(args.mttf()) > 0;
    }

    // Each run schedules the next one when it ends, so runs never overlap. Nothing is saved before the persisted
    // rewards are loaded.
    private void keep() {
        try {
            if (isLoaded) {
                forgetNodes();
            } else {
                rewards.addKept(store.load());
                isLoaded = true;
            }
            unsaved.addAll(rewards.takeChanged());
            if (!unsaved.isEmpty()) {
                store.save(rewards.all(), unsaved);
                unsaved.clear();
            }
            if (isFailing) {
                isFailing = false;
                handle.logger().info("Rewards are kept again");
            }
        } catch (ClusterException | IllegalStateException | UncheckedIOException failed) {
            // Log only the first failure of a series.
            if (!isFailing) {
                isFailing = true;
                handle.logger().warn("Rewards are not kept", "err", failed.getMessage());
            }
            unsaved.retainAll(rewards.all().keySet());
        } finally {
            handle.tasks().backgroundAfter(BETWEEN_SAVES, this::keep);
        }
    }

    // Forgets nodes that were deleted while the scheduler did not run, or whose last outcome came after their deletion.
    private void forgetNodes() {
        Set<String> names = new HashSet<>();
        for (Node node : nodes.all()) {
            names.add(node.name());
        }
        // The lister is empty before the first list.
        if (!names.isEmpty()) {
            rewards.keepNodes(names);
        }
    }
}
