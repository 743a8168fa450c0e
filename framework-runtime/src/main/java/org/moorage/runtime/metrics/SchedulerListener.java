// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.metrics;

import java.util.Collection;
import org.moorage.api.Code;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ControllerPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.runtime.FailurePolicy;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.Decision;

/**
 * A listener for events of a scheduler, for logs, metrics and tests. Called on the scheduler's threads, in part under
 * the queue's lock, so it must be fast and must not block. Exceptions that it throws are logged.
 */
public interface SchedulerListener {
    /** A listener that does nothing. */
    SchedulerListener NONE = new SchedulerListener() {};

    /**
     * Returns whether {@link #explained} is called, at a cost linear in the number of rejected nodes. Called in each
     * attempt.
     */
    default boolean takesDetails() {
        return false;
    }

    /**
     * Called before {@link #decided}, on the same thread, with the details of the decision on a pod. Called only if
     * {@link #takesDetails} returned true, and not for attempts that failed with an error.
     */
    default void explained(Pod pod, AttemptDetails details) {}

    /**
     * Called when an attempt to schedule a group of pods ended, after {@link #decided} for each of its pods.
     *
     * @param group the group that has no parent
     * @param result {@code scheduled}, {@code unschedulable}, {@code waiting_on_preemption} or {@code error}
     * @param message the reason why it is not scheduled
     */
    default void groupDecided(GroupKey group, String result, String message) {}

    /** Called when an attempt to schedule a pod ended. */
    default void decided(Decision decision) {}

    /** Called when a pod was bound. */
    default void bound(Pod pod, String nodeName, Decision decision) {}

    /** Called when a pod for which a node had been chosen was not bound, and is retried. */
    default void bindingFailed(Pod pod, String nodeName, String message) {}

    /**
     * Called under the queue's lock when a pod was added to a part of the queue.
     *
     * @param queue {@code active}, {@code backoff}, {@code unschedulable} or {@code gated}
     * @param event the reason: the label of an event, such as {@code NodeAdd} or {@code ScheduleAttemptFailure}
     */
    default void podQueued(Pod pod, String queue, String event) {}

    /**
     * Called under the queue's lock when an individual pod or a group of pods was added to a part of the queue, unless
     * hints requested exactly this part.
     *
     * @param queue {@code active}, {@code backoff}, {@code unschedulable} or {@code gated}
     * @param event as in {@link #podQueued}
     * @param type {@code pod} or {@code podgroup}
     */
    default void entityQueued(String queue, String event, String type) {}

    /**
     * Called when a PostFilter or PodGroupPostFilter plugin preempts pods.
     *
     * @param plugin the plugin
     * @param preemptor the type of the preemptor: {@code pod}, {@code podgroup} or {@code compositepodgroup}
     * @param victims the number of victims; more than 0
     * @param groupDisruptions the number of disrupted groups among the victims' groups
     * @param pdbViolations the number of victims whose eviction violates a pod disruption budget
     */
    default void preempted(String plugin, String preemptor, int victims, int groupDisruptions, long pdbViolations) {}

    /** Called when a plugin activated pods, which are retried without an event and without backoff. */
    default void activated(String plugin, Collection<Pod> pods) {}

    /** Called when a task of a plugin of that profile on {@link Handle.Tasks#background} threw an exception. */
    default void backgroundTaskFailed(String profileName, Throwable thrown) {}

    /**
     * Called when a {@link ControllerPlugin} has reconciled an object, or failed to; also when it failed to start.
     *
     * @param succeeded false if the scheduler calls it again for the object
     */
    default void reconciled(String plugin, boolean succeeded) {}

    /**
     * Called when a call into a plugin did not return in time. The call continues, and is reported once.
     *
     * @param method kube-scheduler's name of the method, for example {@code Filter}
     */
    default void pluginCallOverdue(String plugin, String method) {}

    /** Called when a plugin failed so often in a row that it is suspended, as its {@link FailurePolicy} allows. */
    default void pluginSuspended(String plugin, String reason) {}

    /** Called when a suspended plugin is resumed. */
    default void pluginResumed(String plugin) {}

    /**
     * Called when a thread of the scheduler met an unexpected exception. The thread continues, or another one replaces
     * it.
     */
    default void threadFailed(String thread, Throwable thrown) {}

    /**
     * The virtual machine is unreliable from now on, as after an {@link OutOfMemoryError}. Called on the thread that met
     * the error, before anything that may need memory. A listener may end the process.
     */
    default void fatalError(Throwable error) {}

    /**
     * Returns whether the methods below are called, with counts and durations for metrics like those of kube-scheduler.
     * Called once, when the scheduler is built. Durations are in nanoseconds. Names of extension points are
     * kube-scheduler's, such as {@code PreFilter}.
     */
    default boolean takesMeasurements() {
        return false;
    }

    /**
     * Returns whether calls of single plugins are timed in the extension point run that begins. kube-scheduler times
     * them in one of ten cycles, since reading the clock twice for each plugin and node is expensive.
     */
    default boolean timesPlugins() {
        return false;
    }

    /** Called when an attempt ended: in a failure, or with the pod bound. */
    default void attempted(String profile, Decision.Outcome outcome, long nanos) {}

    /**
     * Called when a pod was bound.
     *
     * @param wasFlushed whether it had waited for an event for so long that it was tried without one
     */
    default void scheduled(QueuedPod pod, boolean wasFlushed) {}

    /** Called when the scheduling algorithm ran for a pod, with or without success. */
    default void algorithmRan(long nanos) {}

    /** Called when the plugins of an extension point ran for a pod. */
    default void extensionPointRan(String profile, String point, Code status, long nanos) {}

    /**
     * Called when a plugin was called, with its duration. Called only if {@link #timesPlugins} returned true; for
     * Filter only for the first nodes of a cycle, for Score once for several nodes, with the mean duration.
     */
    default void pluginRan(String plugin, String point, Code status, long nanos) {}

    /**
     * Called when a plugin was called.
     *
     * @param times the number of calls; for Filter and Score one for each node
     */
    default void pluginEvaluated(String profile, String plugin, String point, int times) {}

    /**
     * Called when a call of a plugin failed, so that the attempt ends in an error.
     *
     * @param method kube-scheduler's name of the method, such as {@code Filter}
     */
    default void pluginFailed(String plugin, String method) {}

    /**
     * Called when a PostFilter plugin ran for a pod.
     *
     * @param status its status; an error if it failed
     */
    default void postFilterRan(String plugin, Code status, long nanos) {}

    /**
     * Called when a plugin has evicted the victims of a preemption, or has failed to. Not called if all of them were
     * terminating already.
     *
     * @param preemptor as in {@link #preempted}
     * @param result {@code success} or {@code error}
     */
    default void preemptionExecuted(String preemptor, String result, long nanos) {}

    /** Called when a change of an object was handled. */
    default void eventHandled(String event, long nanos) {}

    /**
     * Called when a queueing hint was called.
     *
     * @param hint {@code Queue}, {@code QueueSkip} or {@code Error}
     */
    default void hintRan(String plugin, String event, String hint, long nanos) {}

    /**
     * Called when a pre-queueing hint of a plugin was called, which selects the pods that a change concerns.
     *
     * @param hasNarrowed whether it selected some pods, as opposed to all
     */
    default void preHintRan(String plugin, boolean hasNarrowed) {}

    /** Called when a pod has waited for its permit. */
    default void permitWaited(Code status, long nanos) {}

    /** Called when a concurrent task began; {@code operation} is its type, such as {@code binding}. */
    default void taskStarted(String operation) {}

    /** Called when a concurrent task ended. */
    default void taskEnded(String operation) {}

    /**
     * Called when an attempt to schedule a group of pods ended.
     *
     * @param result {@code scheduled}, {@code unschedulable}, {@code waiting_on_preemption} or {@code error}
     */
    default void groupAttempted(String profile, String result, long nanos) {}

    /** Called when the scheduling algorithm ran for all pods of a group. */
    default void groupAlgorithmRan(long nanos) {}

    /**
     * Called when a PodGroupPostFilter plugin ran for a group.
     *
     * @param status its status; an error if it failed
     */
    default void podGroupPostFilterRan(String plugin, Code status, long nanos) {}

    /** Called when the candidate placements of a pod group were generated. */
    default void placementsGenerated(String profile, int placements) {}

    /** Called when a pod group was tried in a placement. */
    default void placementEvaluated(String profile, boolean isFeasible, long nanos) {}
}
