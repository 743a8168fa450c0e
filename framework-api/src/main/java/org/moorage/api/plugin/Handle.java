// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
import org.moorage.api.annotation.Experimental;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.api.plugin.cluster.ObjectLister;
import org.moorage.api.plugin.point.PreBindPlugin;
import org.moorage.api.plugin.point.QueuedPod;

/**
 * A plugin's access to its scheduler. Passed to {@link PluginFactory#create}. The listers are empty until the scheduler
 * starts.
 */
public interface Handle {
    /** Returns the name of the plugin's profile, which pods use as their scheduler name. */
    String profileName();

    /**
     * Returns the cluster as the current scheduling cycle sees it. Read it only in the extension points of the
     * scheduling cycle, PreFilter to Permit: it changes afterwards.
     *
     * @throws IllegalStateException on a thread that does not take part in a scheduling cycle
     */
    Snapshot snapshot();

    /** Returns the objects of the cluster: listers, changes, and the writer. */
    Cluster cluster();

    /** Returns the pending pods, to retry some of them. */
    Queue queue();

    /** Returns the pods that are being bound, to allow, reject or cancel them, or to wait for something. */
    Binding binding();

    /** Returns simulations of changes, and the pods and extenders that they depend on. */
    Preemption preemption();

    /** Returns executors for work outside the calls of the plugin. */
    Tasks tasks();

    /**
     * Returns a value that plugins of all profiles share, such as a record of changes in progress.
     *
     * @param key the key of the value; plugins that share it use the same key
     * @param make creates the value on first use
     */
    <T> T shared(StateKey<T> key, Supplier<T> make);

    /** Returns the feature gates, which are constant for the plugin's lifetime. */
    FeatureGates featureGates();

    /**
     * Returns the wall clock, for times that are written to the cluster or compared with times in it. It may be set
     * forward and back.
     */
    InstantSource clock();

    /**
     * Returns a clock that is never set, for measuring: deadlines, waits, ages of cached values. It starts at the time
     * of day at which the process started, and diverges from it when the wall clock is set. The times of
     * {@link QueuedPod} are from this clock.
     */
    InstantSource monotonicClock();

    /** Returns the plugin's logger. */
    PluginLogger logger();

    /** Returns the source of random numbers, which is seeded in tests and simulations. */
    RandomGenerator random();

    /** The objects of the cluster. */
    interface Cluster {
        /**
         * Returns a lister of the objects of a kind, as last seen. A plugin calls this while it is created, which makes
         * the scheduler watch the kind, and keeps the lister.
         *
         * @throws IllegalStateException if no plugin requested the kind before the scheduler started, so that it is not
         *     watched
         */
        <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind);

        /**
         * Registers a callback for changes of a kind that the plugin has a lister of; it runs after the lister reflects
         * the change. Call this while the plugin is created. Calls for one kind are sequential; they must not block.
         */
        <T extends ClusterObject> void onChange(ObjectKind<T> kind, Consumer<ObjectChange<T>> listener);

        /**
         * Reads the current state of an object from the API server, to check the result of a change whose
         * {@linkplain ClusterException#outcome outcome} is unknown. For all other purposes, use a lister.
         *
         * @param namespace its namespace; empty for cluster-scoped objects
         * @return the object; empty if it does not exist
         * @throws ClusterException if the object cannot be read
         */
        <T extends ClusterObject> Optional<T> read(ObjectKind<T> kind, String namespace, String name);

        /** Returns the writer for changes of the cluster. */
        ClusterWriter writer();

        /**
         * Returns the current pod groups, as an immutable state: call this again for later ones.
         * {@link Snapshot#podGroups} returns the groups as the cycle sees them.
         */
        @Experimental
        PodGroupLister podGroups();
    }

    /** The pending pods. */
    interface Queue {
        /** Retries these pods as soon as possible, regardless of which plugin rejected them. */
        void activate(Collection<Pod> pods);

        /**
         * Retries these pods after their backoff, regardless of which plugin rejected them. Intended for retries after
         * a failure.
         */
        void activateAfterBackoff(Collection<Pod> pods);
    }

    /** The pods that are being bound. */
    interface Binding {
        /** Returns the pods that wait in Permit. */
        Collection<WaitingPod> waitingPods();

        /** Returns the pod with that uid if it waits in Permit, or empty. */
        Optional<WaitingPod> waitingPod(String uid);

        /** Returns the pod with that uid if its PreBind is in progress, so that its binding can be cancelled. */
        Optional<PodInPreBind> podInPreBind(String uid);

        /**
         * Waits before the next check of an external condition. Call this only in {@link PreBindPlugin#preBind}, which
         * may block. A simulation has no external components and does not wait at all, so limit the number of checks
         * rather than the time.
         *
         * @param pod the pod that is being bound
         * @param time how long to wait
         * @throws CancellationException if the pod's binding is cancelled, see {@link PodInPreBind}; rethrow it,
         *     possibly wrapped
         * @throws IllegalStateException if the scheduler stops in the meantime
         */
        void pause(Pod pod, Duration time);

        /**
         * Reads an object as {@link Cluster#read} does, during the PreBind of a pod. If the object cannot be read,
         * waits as {@link #pause} does and retries, for at most one minute.
         */
        <T extends ClusterObject> Optional<T> readInPreBind(Pod pod, ObjectKind<T> kind, String namespace, String name);
    }

    /** The simulation of pods that are added to, or removed from, nodes, as preemption needs it. */
    interface Preemption {
        /** Returns the configured extenders, in the order in which they are called. */
        List<Extender> extenders();

        /** Returns the pods that are nominated to this node and not yet assigned to it. */
        List<Pod> nominatedPods(String nodeName);

        /**
         * Returns all nominated pods by node name, as a map that does not change. It is usually empty, while asking
         * about each node takes time. A node may have left the snapshot.
         */
        Map<String, List<Pod>> nominatedPods();

        /**
         * Runs the profile's filters for a node with the nominated pods of the node that are at least as important as
         * this one, and without them. The pod must pass both.
         *
         * @param state the cycle's state, or a fork of it
         * @param pod the pod
         * @param node a node of the cycle's snapshot, or of a {@link Trial}
         * @return success, or the first rejection
         */
        Status filterWithNominatedPods(CycleState state, Pod pod, NodeInfo node);

        /**
         * Starts a simulation of adding pods to, and removing them from, nodes.
         *
         * @param state the cycle's state, or a fork of it
         * @param pod the pod to schedule
         */
        Trial trial(CycleState state, Pod pod);
    }

    /** Work outside the calls of the plugin. */
    interface Tasks {
        /**
         * Returns an executor for background work. An exception from a task is logged and reported to the scheduler's
         * listener; a plugin that must react to failures catches them itself.
         */
        Executor background();

        /**
         * Runs a task on {@link #background} after a delay; the task is dropped if the scheduler stops before. The
         * delay is measured by {@link Handle#monotonicClock}: in a simulation it is virtual, and does not pass during a
         * call of a plugin.
         */
        void backgroundAfter(Duration delay, Runnable task);
    }
}
