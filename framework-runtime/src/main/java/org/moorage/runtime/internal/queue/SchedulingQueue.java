// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Nomination;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.decision.HintEvaluation.PluginHint;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.queue.QueueingHints.MovedPod;
import org.moorage.runtime.metrics.SchedulerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waiting pods: those that are ready to be tried, those that back off, those that wait for an event, and those that are
 * being scheduled. Same decisions as kube-scheduler's scheduling queue.
 *
 * <p>Pods come with {@link #add}, leave with {@link #pop}, and after a failed attempt return with {@link #addUnschedulable}. A
 * pod that plugins rejected is then unschedulable until {@link #moveAllToActiveOrBackoff} is called for an event that one of
 * these plugins registered, and whose hint for that pod is not to skip it. Such events are also kept while pods are in flight,
 * so that a pod that returns misses none. Pods that failed otherwise only back off.
 *
 * <p>Safe for use by several threads. Plugins are called under the queue's lock.
 */
public final class SchedulingQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingQueue.class);

    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(1);

    private final Set<String> schedulerNames;
    private final QueueingHints hints;
    private final PodBackoff backoffTimes;
    private final Duration maxInUnschedulable;
    private final InstantSource clock;
    private final Nominator nominator;

    final WatchedLock lock = new WatchedLock();
    private final Condition podReady = lock.newCondition();

    @GuardedBy("lock")
    final QueuedPods queued;

    @GuardedBy("lock")
    final InFlightPods inFlight;

    @GuardedBy("lock")
    private long lastNumber;

    private volatile boolean closed;

    /**
     * An empty queue.
     *
     * @param sort the order of the active pods
     * @param profiles the profiles by scheduler name; only their pods may be added
     * @param settings how long pods wait
     * @param clock measures, and never goes back
     * @param nominator is told of the nominations in the status of the pods that come, change and go
     * @param metrics is told what happens
     * @param preEnqueueFailures is told of pods that are gated since a PreEnqueue plugin failed; it must not wait, since the queue's
     *     lock is held
     */
    public SchedulingQueue(
            PluginCaller sort,
            Map<String, QueueProfile> profiles,
            QueueSettings settings,
            InstantSource clock,
            Nominator nominator,
            SchedulerMetrics metrics,
            BiConsumer<Pod, PluginFailure> preEnqueueFailures) {
        Map<String, QueueProfile> known = Map.copyOf(profiles);
        schedulerNames = known.keySet();
        hints = new QueueingHints(
                known, settings.featureGates().isEnabled(FeatureGates.SCHEDULER_PRE_QUEUEING_HINTS), metrics);
        maxInUnschedulable = settings.maxInUnschedulable();
        this.clock = Objects.requireNonNull(clock, "clock");
        this.nominator = Objects.requireNonNull(nominator, "nominator");
        backoffTimes = settings.backoff();
        queued = new QueuedPods(
                Objects.requireNonNull(sort, "sort"),
                settings,
                new PreEnqueue(known, metrics, preEnqueueFailures),
                clock,
                podReady::signal,
                metrics);
        inFlight = new InFlightPods();
    }

    /**
     * Adds a new waiting pod. One that is queued already is updated.
     *
     * @throws IllegalArgumentException if no profile has the pod's scheduler name
     */
    public void add(Pod pod) {
        demandProfile(pod);
        lock.lock();
        try {
            Optional<QueuedPodInfo> known = queued.find(pod.key());
            if (known.isPresent() && known.get().isSamePod(pod)) {
                updateKnown(known.get().pod(), pod);
                return;
            }
            addNew(pod);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a change of a waiting pod into account. An unschedulable pod may be tried again for it; for a pod in flight it is
     * kept as an event; an unknown pod is added.
     *
     * @param before the pod as it was
     * @param after the pod as it is now
     * @throws IllegalArgumentException if no profile has the pod's scheduler name
     */
    public void update(Pod before, Pod after) {
        demandProfile(after);
        lock.lock();
        try {
            updateKnown(before, after);
        } finally {
            lock.unlock();
        }
    }

    private void demandProfile(Pod pod) {
        if (!schedulerNames.contains(pod.spec().schedulerName())) {
            throw new IllegalArgumentException("pod " + pod + ": spec.schedulerName: \""
                    + pod.spec().schedulerName() + "\" (expected: one of " + new TreeSet<>(schedulerNames) + ")");
        }
    }

    @GuardedBy("lock")
    private void addNew(Pod pod) {
        Optional<QueuedPodInfo> namesake = queued.find(pod.key());
        if (namesake.isPresent()) {
            nominator.delete(namesake.get().pod());
            queued.remove(namesake.get());
        }
        // Also of a pod that is gated: what is kept free for it stays so.
        nominator.add(pod, Nomination.keep());
        queued.toActive(
                new QueuedPodInfo(pod, clock.instant(), ++lastNumber), WellKnownEvents.UNSCHEDULED_POD_ADD.label());
    }

    @GuardedBy("lock")
    private void updateKnown(Pod before, Pod after) {
        if (inFlight.contains(after.uid())) {
            for (ClusterEvent event : PodEvents.ofTarget(before, after)) {
                inFlight.record(new QueueEvent(event, ObjectChange.<Object>updated(before, after)));
            }
            return;
        }
        Optional<QueuedPodInfo> known = queued.find(after.key());
        if (known.isEmpty() || !known.get().isSamePod(after)) {
            addNew(after);
            return;
        }
        QueuedPodInfo updated = known.get();
        updated.replacePod(after);
        nominator.update(before, after);
        if (queued.reorder(updated)) {
            return;
        }
        for (ClusterEvent event : PodEvents.ofTarget(before, after)) {
            QueueingStrategy strategy =
                    hints.strategy(updated, new QueueEvent(event, ObjectChange.<Object>updated(before, after)));
            if (strategy != QueueingStrategy.QUEUE_SKIP
                    && queued.requeue(updated, strategy, event.label()) != SubQueue.GATED) {
                return;
            }
        }
    }

    /** Removes a pod that is gone, or has a node by now. A pod in flight stays in flight until {@link #done}. */
    public void delete(Pod pod) {
        lock.lock();
        try {
            nominator.delete(pod);
            Optional<QueuedPodInfo> known = queued.find(pod.key());
            if (known.isPresent() && known.get().isSamePod(pod)) {
                queued.remove(known.get());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the next pod to be tried: the first of the active ones. If there is none, it is the first of those that back off
     * after a rejection, unless the feature {@link FeatureGates#SCHEDULER_POP_FROM_BACKOFF_Q} is off, or too many of those were rejected
     * again. The pod is in flight until {@link #done} or {@link #addUnschedulable} is called for it.
     *
     * @param atMost how long to wait for one, by the system's clock
     * @return empty if there was none in that time, the queue is closed, or the thread was interrupted, which it then still
     *     is
     */
    public Optional<QueuedPodInfo> pop(Duration atMost) {
        long nanos = TimeUnit.NANOSECONDS.convert(atMost);
        lock.lock();
        try {
            while (true) {
                Optional<QueuedPodInfo> popped = take();
                if (popped.isPresent() || closed || nanos <= 0) {
                    return popped;
                }
                long wait = queued.nanosToNext(nanos);
                nanos -= wait - podReady.awaitNanos(wait);
                lock.acquired();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #pop} without waiting. */
    public Optional<QueuedPodInfo> poll() {
        return pop(Duration.ZERO);
    }

    @GuardedBy("lock")
    private Optional<QueuedPodInfo> take() {
        while (!closed) {
            Optional<QueuedPodInfo> next = queued.removeNext();
            if (next.isEmpty()) {
                return next;
            }
            QueuedPodInfo popped = next.get();
            if (inFlight.contains(popped.pod().uid())) {
                LOG.atError()
                        .addKeyValue("pod", popped.pod())
                        .addKeyValue("uid", popped.pod().uid())
                        .log("Discarding the popped pod, since it is being scheduled already");
                continue;
            }
            popped.startAttempt();
            inFlight.add(popped);
            return next;
        }
        return Optional.empty();
    }

    /** The attempt is over and the pod does not return, so that no events are kept for it. May be called twice. */
    public void done(QueuedPodInfo popped) {
        lock.lock();
        try {
            inFlight.remove(popped);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The attempt failed and the pod returns, unless it was queued again in the meantime. It is {@link #done} afterwards.
     *
     * @param popped what {@link #pop} returned; not to be used any more
     * @param current the pod as it is now
     * @param rejectors the plugins that rejected it
     * @throws IllegalArgumentException if the current pod is not the one that was popped
     */
    public void addUnschedulable(QueuedPodInfo popped, Pod current, RejectorPlugins rejectors) {
        lock.lock();
        try {
            try {
                putBack(popped, current, rejectors);
            } finally {
                inFlight.remove(popped);
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void putBack(QueuedPodInfo popped, Pod current, RejectorPlugins rejectors) {
        if (!popped.isSamePod(current) || !popped.key().equals(current.key())) {
            throw new IllegalArgumentException("current: " + current + " with uid " + current.uid() + " (expected: "
                    + popped + " with uid " + popped.pod().uid() + ")");
        }
        if (closed) {
            return;
        }
        if (queued.find(popped.key()).isPresent()) {
            LOG.atWarn().addKeyValue("pod", current).log("Pod is already queued, so its failed attempt is forgotten");
            return;
        }
        queued.rejected(popped);
        popped.failed(current, rejectors, clock.instant(), ++lastNumber, backoffTimes);
        QueueingStrategy strategy = QueueingStrategy.QUEUE_AFTER_BACKOFF;
        SubQueue subQueue;
        try {
            strategy = strategyAfterFailure(popped);
        } finally {
            // Also where an error of the virtual machine passes through a hint, or the pod would be in no sub-queue.
            subQueue = queued.requeue(popped, strategy, WellKnownEvents.SCHEDULE_ATTEMPT_FAILURE);
        }
        if (subQueue == SubQueue.GATED) {
            queued.keepRejectors(popped, rejectors);
        }
        LOG.atDebug()
                .addKeyValue("pod", current)
                .addKeyValue("event", WellKnownEvents.SCHEDULE_ATTEMPT_FAILURE)
                .addKeyValue("queue", subQueue)
                .addKeyValue("unschedulablePlugins", rejectors.unschedulable())
                .addKeyValue("pendingPlugins", rejectors.pending())
                .log(QueuedPods.MOVED);
    }

    @GuardedBy("lock")
    private QueueingStrategy strategyAfterFailure(QueuedPodInfo popped) {
        if (popped.rejectors().isEmpty()) {
            return QueueingStrategy.QUEUE_AFTER_BACKOFF;
        }
        if (!inFlight.contains(popped)) {
            LOG.atError()
                    .addKeyValue("pod", popped.pod())
                    .log("Returning pod is not in flight; it is retried after backoff");
            return QueueingStrategy.QUEUE_AFTER_BACKOFF;
        }
        return hints.strategy(popped, inFlight.since(popped));
    }

    /**
     * Has these pods tried as soon as possible, whatever rejected them and without backoff, unless a PreEnqueue plugin gates
     * them. A pod in flight that is rejected backs off instead of being unschedulable. Active and unknown pods are left alone.
     */
    public void activate(Collection<Pod> pods) {
        ClusterEvent event = WellKnownEvents.FORCE_ACTIVATE;
        lock.lock();
        try {
            for (Pod pod : pods) {
                if (!queued.activate(pod.key(), event.label()) && inFlight.contains(pod.uid())) {
                    inFlight.record(new QueueEvent(event, ObjectChange.<Object>added(pod)));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has these pods tried at the end of their backoff, whatever rejected them, unless a PreEnqueue plugin gates them. They are
     * not tried before, even if no other pod is ready. For a pod in flight this holds when it returns. Active and unknown pods
     * are left alone.
     */
    public void activateAfterBackoff(Collection<Pod> pods) {
        lock.lock();
        try {
            for (Pod pod : pods) {
                if (!queued.activateAfterBackoff(pod.key(), WellKnownEvents.FORCE_ACTIVATE.label())) {
                    inFlight.find(pod.uid()).ifPresent(QueuedPodInfo::failWithError);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has those unschedulable pods tried again, at once or after their backoff, that an event may make schedulable.
     *
     * @param event the event
     * @param change the object that it is about
     */
    public void moveAllToActiveOrBackoff(ClusterEvent event, ObjectChange<?> change) {
        moveAllToActiveOrBackoff(event, change, pod -> true);
    }

    /**
     * As {@link #moveAllToActiveOrBackoff(ClusterEvent, ObjectChange)}, for some of the unschedulable pods only.
     *
     * @param event the event
     * @param change the object that it is about
     * @param only which unschedulable pods it may make schedulable; not asked about pods in flight
     */
    public void moveAllToActiveOrBackoff(ClusterEvent event, ObjectChange<?> change, Predicate<Pod> only) {
        // Without the lock: no plugin registers most of a cluster's events.
        if (!isRegistered(event)) {
            return;
        }
        QueueEvent queueEvent = new QueueEvent(event, change.as(Object.class));
        lock.lock();
        try {
            move(hints.podsToMove(queued.unschedulable, queueEvent, pod -> only.test(pod.pod())), queueEvent);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has those unschedulable pods tried again that may use what was kept free on a node for a nominated pod, and no longer is.
     *
     * @param pod the pod
     * @param nodeName the node that it was nominated to; its status may not name it yet, or not any more
     */
    public void nominationEnded(Pod pod, String nodeName) {
        Pod nominated = pod.withStatus(
                pod.status().toBuilder().nominatedNodeName(nodeName).build());
        moveAllToActiveOrBackoff(
                WellKnownEvents.ASSIGNED_POD_DELETE,
                ObjectChange.deleted(nominated),
                other -> Nominator.isKeptFree(other, nominated));
    }

    /** Has all unschedulable pods looked at again, for a wildcard event that is about no object. */
    public void moveAllToActiveOrBackoff(ClusterEvent wildcard) {
        QueueEvent event = new QueueEvent(wildcard, null);
        lock.lock();
        try {
            move(hints.podsToMove(queued.unschedulable, event, pod -> true), event);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void move(List<MovedPod> pods, QueueEvent event) {
        for (MovedPod pod : pods) {
            queued.requeue(pod.queued(), pod.strategy(), event.event().label());
        }
        inFlight.record(event);
    }

    /** Makes those pods active whose backoff is over. To be called every second. */
    public void flushBackoff() {
        lock.lock();
        try {
            queued.flushBackoff();
        } finally {
            lock.unlock();
        }
    }

    /** Has those unschedulable pods tried again that have waited for an event for too long. To be called every 30 seconds. */
    public void flushUnschedulable() {
        lock.lock();
        try {
            Instant now = clock.instant();
            QueueEvent timeout = new QueueEvent(WellKnownEvents.UNSCHEDULABLE_TIMEOUT, null);
            List<MovedPod> pods = hints.podsToMove(queued.unschedulable, timeout, pod -> hasWaitedTooLong(pod, now));
            pods.forEach(pod -> pod.queued().flushed(now));
            if (!pods.isEmpty()) {
                move(pods, timeout);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasWaitedTooLong(QueuedPodInfo pod, Instant now) {
        return Duration.between(pod.waitingSince(), now).compareTo(maxInUnschedulable) > 0;
    }

    /** Whether a plugin of any profile registered the event. If not, {@link #moveAllToActiveOrBackoff} ignores it. */
    public boolean isRegistered(ClusterEvent event) {
        return hints.isRegistered(event);
    }

    /** All pods of the queue, and those that are being scheduled. */
    public SchedulerDump.Queue dump() {
        lock.lock();
        try {
            return new SchedulerDump.Queue(queued.dump(), inFlight.pods(), inFlight.eventCounts());
        } finally {
            lock.unlock();
        }
    }

    /** The answer of the PreEnqueue plugin that gates a pod; empty if none does. */
    public Optional<PluginStatus> gate(Pod pod) {
        lock.lock();
        try {
            return queued.find(pod.key())
                    .filter(known -> known.isSamePod(pod))
                    .flatMap(known -> Optional.ofNullable(known.gate()));
        } finally {
            lock.unlock();
        }
    }

    /** How many pods there are in which sub-queue, which plugins rejected them, and which events are kept. */
    public QueueGauges gauges() {
        lock.lock();
        try {
            return QueueGauges.of(queued, inFlight);
        } finally {
            lock.unlock();
        }
    }

    /** The hints for an event of the plugins of the pod's profile. The pod need not be in the queue. */
    public List<PluginHint> hints(Pod pod, ClusterEvent event, ObjectChange<?> change) {
        demandProfile(pod);
        return hints.hints(pod, event, change.as(Object.class));
    }

    /** What plugins say beforehand of the pods that a change is about: for each that says so, which they are. */
    public Map<String, Predicate<Pod>> candidates(ClusterEvent event, ObjectChange<?> change) {
        return hints.candidates(event, change.as(Object.class));
    }

    /** The thread that works in the queue and keeps all others out, or null. */
    public @Nullable Thread holder() {
        return lock.holder();
    }

    /** A new number each time that a thread begins to work in the queue. */
    public long acquisitions() {
        return lock.acquisitions();
    }

    /**
     * From now on {@link #pop} returns nothing, and pods that return are forgotten. Calling it again does no harm. It does not wait
     * for a plugin that holds the queue's lock and does not return.
     */
    @Override
    public void close() {
        closed = true;
        try {
            if (lock.tryLock(LONGEST_CLOSE.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    lock.acquired();
                    inFlight.clear();
                    podReady.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LOG.debug("Scheduling queue is closed");
    }
}
