// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.PodGroupLister;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;

/**
 * What a plugin may ask of the scheduler that it is part of. Given to {@link PluginFactory#create}; until the scheduler
 * runs, the listers are empty.
 */
public interface Handle {
    /** The name of the profile that the plugin is part of: what pods name as their scheduler. */
    String profileName();

    /**
     * The cluster as the current scheduling cycle sees it. To be read from the extension points of the scheduling cycle only,
     * PreFilter to Permit: afterwards it changes.
     *
     * @throws IllegalStateException on a thread that does not take part in a scheduling cycle
     */
    Snapshot snapshot();

    /**
     * The objects of a kind, as last seen. A plugin asks for it while it is made, which has the scheduler watch the kind, and
     * keeps it.
     *
     * @throws IllegalStateException if nobody has asked for the kind before the scheduler started, so that it is not watched
     */
    <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind);

    /**
     * Has a plugin told of each change of the objects of a kind that it has a lister of, once the lister shows it. A plugin asks
     * for it while it is made. For one kind the calls come one after the other; they must not wait.
     */
    <T extends ClusterObject> void onChange(ObjectKind<T> kind, Consumer<ObjectChange<T>> listener);

    /**
     * An object as the API server has it now, for finding out what became of a change whose {@linkplain
     * ClusterException#outcome outcome} is unknown. For anything else there are listers.
     *
     * @param namespace its namespace; empty for objects of the whole cluster
     * @return empty if it is not there
     * @throws ClusterException if it cannot be had
     */
    <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name);

    /**
     * As {@link #read}, for a pod in its PreBind: while the object cannot be had, it waits as {@link #pause} does and tries again,
     * for a minute at most.
     */
    <T extends ClusterObject> Optional<T> readInPreBind(Pod pod, ObjectKind<T> kind, String namespace, String name);

    /** The way to change the cluster. */
    ClusterWriter writer();

    /**
     * What plugins of all profiles share, such as knowledge of changes that are under way.
     *
     * @param key names it; plugins that share it use the same key
     * @param make makes it when it is first asked for
     */
    <T> T shared(StateKey<T> key, Supplier<T> make);

    /** Which features are on. The same for the plugin's whole life. */
    FeatureGates featureGates();

    /**
     * Threads for work in the background. What a task throws is logged, and told to the scheduler's listener; a plugin that must
     * react to its failures catches them itself.
     */
    Executor background();

    /**
     * Runs a task by {@link #background} after some time; the task is dropped if the scheduler stops before. The time is that of {@link
     * #monotonicClock}: in a simulation it is virtual, and does not pass during a call of a plugin.
     */
    void backgroundAfter(Duration delay, Runnable task);

    /** The time of day, for what is written to the cluster or compared with what it says. It may be set forward and back. */
    InstantSource clock();

    /**
     * A time that is never set, for whatever measures: deadlines, waits, ages of what the plugin keeps. It begins at the time of day
     * at which the process began, and goes away from it where that is set; {@link QueuedPod}'s times are of this clock.
     */
    InstantSource monotonicClock();

    /**
     * Waits a moment, for a plugin that has to look again until the outside world has done its part. Only in {@link
     * PreBindPlugin#preBind}, which may wait; a simulation, where nobody else does anything, does not wait at all, so count
     * the looks rather than rely on the clock.
     *
     * @param pod the pod that is being bound
     * @param time how long to wait
     * @throws CancellationException if the pod's binding is cancelled, see {@link PodInPreBind}; to be passed on, also wrapped
     * @throws IllegalStateException if the scheduler stops in the meantime
     */
    void pause(Pod pod, Duration time);

    /** The plugin's log. */
    PluginLogger logger();

    /** The source of random numbers; seeded in tests and simulations. */
    RandomGenerator random();

    /** The pods that wait for a permit. */
    Collection<WaitingPod> waitingPods();

    /** The waiting pod of that uid, or empty. */
    Optional<WaitingPod> waitingPod(String uid);

    /** The pod of that uid if its PreBind is under way, so that its binding can be cancelled; or empty. */
    Optional<PodInPreBind> podInPreBind(String uid);

    /** Has these pods tried soon, whatever rejected them. */
    void activate(Collection<Pod> pods);

    /** Has these pods tried again once their backoff is over, whatever rejected them. For a retry after a failure. */
    void activateAfterBackoff(Collection<Pod> pods);

    /** The pods that are likely to get this node and do not have it yet. */
    List<Pod> nominatedPods(String nodeName);

    /**
     * Runs the profile's filters for a node, once with the pods nominated to it that are as important as this one, and once
     * without, so that the pod fits either way.
     *
     * @param state the cycle's state, or a fork of it
     * @param pod the pod
     * @param node a node of the cycle's snapshot, or of a {@link Trial}
     * @return success, or the first rejection
     */
    Status filterWithNominatedPods(CycleState state, Pod pod, NodeInfo node);

    /**
     * The groups of pods as they are now. What is returned does not change: for later ones, ask again. {@link Snapshot#podGroups} has them as
     * the cycle sees them.
     */
    PodGroupLister podGroups();

    /** The extenders of the configuration, in the order in which they are asked. */
    List<Extender> extenders();

    /**
     * Begins to try what would be if other pods were on nodes, or were not.
     *
     * @param state the cycle's state, or a fork of it
     * @param pod the pod to schedule
     */
    Trial trial(CycleState state, Pod pod);
}
