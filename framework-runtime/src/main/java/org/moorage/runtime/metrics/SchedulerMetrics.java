// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.metrics;

import org.moorage.api.Code;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.QueuedPod;
import org.moorage.runtime.decision.Decision;

/**
 * Is told how often things happen in a scheduler and how long they take, for metrics like those of kube-scheduler.
 *
 * <p>Called on the scheduler's threads, in part under the queue's lock: it must be quick, wait for nothing and throw nothing. Times are
 * in nanoseconds. Names of extension points are kube-scheduler's, such as {@code PreFilter}.
 */
public interface SchedulerMetrics {
    /** Metrics that nobody reads. */
    SchedulerMetrics NONE = new SchedulerMetrics() {};

    /**
     * Whether the calls of single plugins are timed in the run of an extension point that begins. kube-scheduler does so in one of
     * ten cycles, since to read the clock twice for each plugin and node costs time.
     */
    default boolean timesPlugins() {
        return false;
    }

    /** An attempt ended: in a failure, or with the pod bound. */
    default void attempted(String profile, Decision.Outcome outcome, long nanos) {}

    /** A pod was bound. */
    default void scheduled(QueuedPod pod) {}

    /** A pod was bound that had waited for an event for so long that it was tried without one. */
    default void scheduledAfterFlush() {}

    /** A node was looked for, with or without success. */
    default void algorithmRan(long nanos) {}

    /** The plugins of an extension point were run for a pod. */
    default void extensionPointRan(String profile, String point, Code status, long nanos) {}

    /**
     * A plugin was called. Told only where {@link #timesPlugins} has said so; of Filter for the first nodes of a cycle, of Score
     * once for several nodes, with the mean of their times.
     */
    default void pluginRan(String plugin, String point, Code status, long nanos) {}

    /**
     * A plugin was called.
     *
     * @param times how often: at Filter and Score once for each node
     */
    default void pluginEvaluated(String profile, String plugin, String point, int times) {}

    /**
     * A call of a plugin failed, so that the attempt ends in an error.
     *
     * @param method kube-scheduler's name of the method, such as {@code Filter}
     */
    default void pluginFailed(String plugin, String method) {}

    /**
     * A PostFilter plugin was asked how room can be made for a pod.
     *
     * @param status what it answered; an error if it failed
     */
    default void postFilterRan(String plugin, Code status, long nanos) {}

    /**
     * A PostFilter or PodGroupPostFilter plugin makes room.
     *
     * @param preemptor what for: {@code pod}, {@code podgroup} or {@code compositepodgroup}
     * @param victims how many pods have to leave; more than 0
     * @param groupDisruptions how many of the groups that they are part of are disrupted
     * @param pdbViolations how many of them violate a pod disruption budget by leaving
     */
    default void preempted(String preemptor, int victims, int groupDisruptions, long pdbViolations) {}

    /**
     * A plugin has evicted the pods that have to leave, or has failed to. Not told if all of them were leaving already.
     *
     * @param preemptor as in {@link #preempted}
     * @param result {@code success} or {@code error}
     */
    default void preemptionExecuted(String preemptor, String result, long nanos) {}

    /** A change of an object was handled. */
    default void eventHandled(String event, long nanos) {}

    /**
     * A queueing hint was asked.
     *
     * @param hint {@code Queue}, {@code QueueSkip} or {@code Error}
     */
    default void hintRan(String plugin, String event, String hint, long nanos) {}

    /**
     * A plugin was asked beforehand which pods a change is about.
     *
     * @param hasNarrowed whether it has named some, as opposed to all
     */
    default void preHintRan(String plugin, boolean hasNarrowed) {}

    /**
     * A pod came to a part of the queue. Called under the queue's lock.
     *
     * @param queue {@code active}, {@code backoff}, {@code unschedulable} or {@code gated}
     * @param event why: the label of an event, such as {@code NodeAdd}, or {@code ScheduleAttemptFailure} and the like
     */
    default void podQueued(Pod pod, String queue, String event) {}

    /**
     * A pod on its own, or a group of pods, came to a part of the queue that is not the one that its hints asked for, or nothing asked
     * for one. Called under the queue's lock.
     *
     * @param queue {@code active}, {@code backoff}, {@code unschedulable} or {@code gated}
     * @param event as in {@link #podQueued}
     * @param type {@code pod} or {@code podgroup}
     */
    default void entityQueued(String queue, String event, String type) {}

    /** A pod has waited for its permit. */
    default void permitWaited(Code status, long nanos) {}

    /** A task of several that run at once began; {@code operation} is what it is about, such as {@code binding}. */
    default void taskStarted(String operation) {}

    /** Such a task ended. */
    default void taskEnded(String operation) {}

    /**
     * An attempt to schedule a group of pods ended.
     *
     * @param result {@code scheduled}, {@code unschedulable}, {@code waiting_on_preemption} or {@code error}
     */
    default void groupAttempted(String profile, String result, long nanos) {}

    /** Nodes were looked for, for all pods of a group. */
    default void groupAlgorithmRan(long nanos) {}

    /**
     * A PodGroupPostFilter plugin was asked how room can be made for a group.
     *
     * @param status what it answered; an error if it failed
     */
    default void podGroupPostFilterRan(String plugin, Code status, long nanos) {}

    /** Placements were made that a pod group may be placed in. */
    default void placementsGenerated(String profile, int placements) {}

    /** A pod group was tried in a placement. */
    default void placementEvaluated(String profile, boolean isFeasible, long nanos) {}
}
