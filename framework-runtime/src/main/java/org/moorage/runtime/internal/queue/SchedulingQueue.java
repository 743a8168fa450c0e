// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.QueueSortPlugin;
import org.moorage.runtime.decision.HintEvaluation.PluginHint;
import org.moorage.runtime.internal.queue.QueueingHints.Woken;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waiting pods: those that are ready to be tried, those that back off, those that wait for an event, and those that are
 * being scheduled. Same decisions as kube-scheduler's scheduling queue.
 *
 * <p>Pods come with {@link #add}, leave with {@link #pop}, and after a failed attempt return with {@link #addUnschedulable}. A pod
 * that plugins rejected is parked until {@link #moveAllToActiveOrBackoff} tells of an event that one of them registered and does not wave
 * aside. Such events are also kept while pods are in flight, so that a pod that returns misses none. Pods that failed
 * otherwise only back off.
 *
 * <p>Safe for use by several threads. Plugins are called under the queue's lock.
 */
public final class SchedulingQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingQueue.class);

    private final Set<String> schedulerNames;
    private final QueueingHints hints;
    private final PodBackoff backoffTimes;
    private final Duration maxInUnschedulable;
    private final InstantSource clock;
    private final Nominator nominator;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition podReady = lock.newCondition();

    @GuardedBy("lock")
    private final QueuedPods queued;

    @GuardedBy("lock")
    private final InFlightPods inFlight;

    @GuardedBy("lock")
    private long lastNumber;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * An empty queue.
     *
     * @param sort the order of the active pods
     * @param profiles the profiles by scheduler name; only their pods may be added
     * @param settings how long pods wait
     * @param clock the time
     * @param nominator is told of the nominations in the status of the pods that come, change and go
     * @param observer is told what goes on
     */
    public SchedulingQueue(
            QueueSortPlugin sort,
            Map<String, QueueProfile> profiles,
            QueueSettings settings,
            InstantSource clock,
            Nominator nominator,
            QueueObserver observer) {
        Map<String, QueueProfile> known = Map.copyOf(profiles);
        schedulerNames = known.keySet();
        hints = new QueueingHints(known, Objects.requireNonNull(observer, "observer"));
        maxInUnschedulable = settings.maxInUnschedulable();
        this.clock = Objects.requireNonNull(clock, "clock");
        this.nominator = Objects.requireNonNull(nominator, "nominator");
        backoffTimes = settings.backoff();
        queued = new QueuedPods(
                Objects.requireNonNull(sort, "sort"),
                settings,
                new PreEnqueue(known, observer),
                clock,
                observer,
                podReady::signal);
        inFlight = new InFlightPods(observer);
    }

    /**
     * Takes in a new waiting pod. One that is queued already is taken as changed.
     *
     * @throws IllegalArgumentException if no profile has the pod's scheduler name
     */
    public void add(Pod pod) {
        demandProfile(pod);
        lock.lock();
        try {
            Optional<QueuedPodInfo> known = queued.find(pod.key());
            if (known.isPresent() && known.get().isSamePod(pod)) {
                change(known.get().pod(), pod);
                return;
            }
            enter(pod, WellKnownEvents.UNSCHEDULED_POD_ADD);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes up a change of a waiting pod. A parked pod may leave its place for it; a pod in flight is judged by it when it
     * returns; an unknown one is taken in.
     *
     * @param before the pod as it was
     * @param after the pod as it is now
     * @throws IllegalArgumentException if no profile has the pod's scheduler name
     */
    public void update(Pod before, Pod after) {
        demandProfile(after);
        lock.lock();
        try {
            change(before, after);
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
    private void enter(Pod pod, ClusterEvent event) {
        Optional<QueuedPodInfo> namesake = queued.find(pod.key());
        if (namesake.isPresent()) {
            nominator.delete(namesake.get().pod());
            queued.remove(namesake.get());
        }
        QueuedPodInfo entry = new QueuedPodInfo(pod, clock.instant(), ++lastNumber);
        if (queued.toActive(entry, event.label()) == SubQueue.ACTIVE) {
            nominator.add(pod, Nomination.keep());
        }
    }

    @GuardedBy("lock")
    private void change(Pod before, Pod after) {
        if (inFlight.contains(after.uid())) {
            for (ClusterEvent event : PodEvents.of(before, after)) {
                inFlight.record(new QueueEvent(event, ObjectChange.<Object>updated(before, after)));
            }
            return;
        }
        Optional<QueuedPodInfo> known = queued.find(after.key());
        if (known.isEmpty() || !known.get().isSamePod(after)) {
            enter(after, WellKnownEvents.UNSCHEDULED_POD_UPDATE);
            return;
        }
        QueuedPodInfo entry = known.get();
        entry.replacePod(after);
        nominator.update(before, after);
        if (queued.reorder(entry)) {
            return;
        }
        for (ClusterEvent event : PodEvents.of(before, after)) {
            QueueingStrategy verdict =
                    hints.verdict(entry, new QueueEvent(event, ObjectChange.<Object>updated(before, after)));
            if (verdict != QueueingStrategy.QUEUE_SKIP
                    && queued.place(entry, verdict, event.label()) != SubQueue.GATED) {
                return;
            }
        }
    }

    /** Lets go of a pod that is gone, or has got a node from somebody else. A pod in flight stays so until it is given back. */
    public void delete(Pod pod) {
        lock.lock();
        try {
            nominator.delete(pod);
            Optional<QueuedPodInfo> entry = queued.find(pod.key());
            if (entry.isPresent() && entry.get().isSamePod(pod)) {
                queued.remove(entry.get());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the next pod to be tried: the first of the active ones, or if there is none the first that backs off after a
     * rejection, unless the feature {@link FeatureGates#SCHEDULER_POP_FROM_BACKOFF_Q} is off. Whoever took it must give it back with {@link #done} or {@link #addUnschedulable}.
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
                Optional<QueuedPodInfo> entry = take();
                if (entry.isPresent() || closed || nanos <= 0) {
                    return entry;
                }
                nanos = podReady.awaitNanos(nanos);
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
            QueuedPodInfo entry = next.get();
            if (inFlight.contains(entry.pod().uid())) {
                LOG.atError()
                        .addKeyValue("pod", entry.pod())
                        .addKeyValue("uid", entry.pod().uid())
                        .log("Discarding the popped pod, since it is being scheduled already");
                continue;
            }
            entry.start();
            inFlight.add(entry);
            return next;
        }
        return Optional.empty();
    }

    /** The attempt is over and the pod does not return: events are no longer kept for it. Doing so twice does no harm. */
    public void done(QueuedPodInfo entry) {
        lock.lock();
        try {
            inFlight.remove(entry);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The attempt failed and the pod returns. It is {@link #done} afterwards. If it was queued anew in the meantime, that is
     * all.
     *
     * @param entry what was popped; not to be used any more
     * @param current the pod as it is now
     * @param rejectors the plugins that rejected it
     * @throws IllegalArgumentException if the current pod is not the one that was popped
     */
    public void addUnschedulable(QueuedPodInfo entry, Pod current, RejectorPlugins rejectors) {
        lock.lock();
        try {
            try {
                putBack(entry, current, rejectors);
            } finally {
                inFlight.remove(entry);
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void putBack(QueuedPodInfo entry, Pod current, RejectorPlugins rejectors) {
        if (!entry.isSamePod(current) || !entry.key().equals(current.key())) {
            throw new IllegalArgumentException("current: " + current + " with uid " + current.uid() + " (expected: "
                    + entry + " with uid " + entry.pod().uid() + ")");
        }
        if (closed) {
            return;
        }
        if (queued.find(entry.key()).isPresent()) {
            LOG.atWarn().addKeyValue("pod", current).log("Pod is already queued, so its failed attempt is forgotten");
            return;
        }
        entry.failed(current, rejectors, clock.instant(), ++lastNumber, backoffTimes);
        SubQueue place = queued.putBack(entry, verdictOnReturn(entry), WellKnownEvents.SCHEDULE_ATTEMPT_FAILURE);
        LOG.atDebug()
                .addKeyValue("pod", current)
                .addKeyValue("event", WellKnownEvents.SCHEDULE_ATTEMPT_FAILURE)
                .addKeyValue("queue", place)
                .addKeyValue("unschedulablePlugins", rejectors.unschedulable())
                .addKeyValue("pendingPlugins", rejectors.pending())
                .log(QueuedPods.MOVED);
    }

    @GuardedBy("lock")
    private QueueingStrategy verdictOnReturn(QueuedPodInfo entry) {
        if (entry.rejectors().isEmpty()) {
            return QueueingStrategy.QUEUE_AFTER_BACKOFF;
        }
        if (!inFlight.contains(entry)) {
            LOG.atError()
                    .addKeyValue("pod", entry.pod())
                    .log("Returning pod is not in flight; it is retried after backoff");
            return QueueingStrategy.QUEUE_AFTER_BACKOFF;
        }
        return hints.verdict(entry, inFlight.since(entry));
    }

    /**
     * Has these pods tried as soon as possible, without regard to rejections and backoff; gates still hold. A pod in flight
     * that is rejected will back off instead of being parked. Active and unknown pods are left alone.
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
     * Has these pods tried at the end of their backoff, without regard to rejections; gates still hold. They are not tried before,
     * even if no other pod is ready. A pod in flight does so when it returns. Active and unknown pods are left alone.
     */
    public void activateAfterBackoff(Collection<Pod> pods) {
        lock.lock();
        try {
            for (Pod pod : pods) {
                if (!queued.activateAfterBackoff(pod.key(), WellKnownEvents.FORCE_ACTIVATE.label())) {
                    inFlight.find(pod.key())
                            .filter(entry -> entry.isSamePod(pod))
                            .ifPresent(QueuedPodInfo::failWithError);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Something happened: parked pods are moved for which one of their rejectors takes it to be of use.
     *
     * @param event what happened
     * @param change the object that it happened to
     */
    public void moveAllToActiveOrBackoff(ClusterEvent event, ObjectChange<?> change) {
        moveAllToActiveOrBackoff(event, change, pod -> true);
    }

    /**
     * As {@link #moveAllToActiveOrBackoff(ClusterEvent, ObjectChange)}, for some of the parked pods only.
     *
     * @param event what happened
     * @param change the object that it happened to
     * @param only which parked pods it is of use to; pods in flight are not asked about
     */
    public void moveAllToActiveOrBackoff(ClusterEvent event, ObjectChange<?> change, Predicate<Pod> only) {
        // Without the lock: most of a cluster's events are of no use to anybody.
        if (!isWaitingFor(event)) {
            return;
        }
        QueueEvent happening = new QueueEvent(event, change.as(Object.class));
        lock.lock();
        try {
            wake(hints.woken(queued.parked(), happening, entry -> only.test(entry.pod())), happening);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void wake(List<Woken> woken, QueueEvent happening) {
        for (Woken each : woken) {
            queued.place(each.entry(), each.verdict(), happening.event().label());
        }
        inFlight.record(happening);
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

    /** Has those pods tried that have waited for an event for too long; gates still hold. To be called every 30 seconds. */
    public void flushUnschedulable() {
        lock.lock();
        try {
            Instant now = clock.instant();
            QueueEvent timeout = new QueueEvent(WellKnownEvents.UNSCHEDULABLE_TIMEOUT, null);
            List<Woken> woken = hints.woken(queued.parked(), timeout, entry -> hasWaitedTooLong(entry, now));
            if (!woken.isEmpty()) {
                for (Woken each : woken) {
                    each.entry().flush();
                }
                wake(woken, timeout);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasWaitedTooLong(QueuedPodInfo entry, Instant now) {
        return Duration.between(entry.timestamp(), now).compareTo(maxInUnschedulable) > 0;
    }

    /**
     * The earliest moment at which {@link #flushBackoff} makes a pod active; empty if none backs off. For a simulation that
     * has nothing else to wait for.
     */
    public Optional<Instant> nextBackoffExpiry() {
        lock.lock();
        try {
            return queued.nextBackoffExpiry();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a plugin of any profile registered the event. If not, {@link #moveAllToActiveOrBackoff} does nothing with it. */
    public boolean isWaitingFor(ClusterEvent event) {
        return hints.isAwaited(event);
    }

    /** What the plugins of the pod's profile that registered the event say to it. The pod need not be in the queue. */
    public List<PluginHint> hints(Pod pod, ClusterEvent event, ObjectChange<?> change) {
        demandProfile(pod);
        return hints.hints(pod, event, change.as(Object.class));
    }

    /** How many pods are where. */
    public QueueCounts counts() {
        lock.lock();
        try {
            return new QueueCounts(
                    queued.activeCount(),
                    queued.backoffCount(),
                    queued.parked().unschedulable(),
                    queued.parked().gated(),
                    inFlight.size(),
                    inFlight.eventCount());
        } finally {
            lock.unlock();
        }
    }

    /** What is known of a pod, by {@code namespace/name}; empty if it is neither queued nor in flight. */
    public Optional<PodState> state(String key) {
        lock.lock();
        try {
            Optional<QueuedPodInfo> entry = queued.find(key);
            if (entry.isPresent()) {
                return Optional.of(PodState.of(entry.get(), queued.placeOf(entry.get())));
            }
            return inFlight.find(key).map(popped -> PodState.of(popped, SubQueue.IN_FLIGHT));
        } finally {
            lock.unlock();
        }
    }

    /** What is known of all pods that are queued or in flight, in no particular order. */
    public List<PodState> states() {
        lock.lock();
        try {
            List<PodState> states = new ArrayList<>();
            queued.forEach((entry, place) -> states.add(PodState.of(entry, place)));
            for (QueuedPodInfo entry : inFlight.entries()) {
                states.add(PodState.of(entry, SubQueue.IN_FLIGHT));
            }
            return states;
        } finally {
            lock.unlock();
        }
    }

    /** From now on {@link #pop} returns nothing, and pods that return are forgotten. Calling it again does no harm. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            inFlight.clear();
            podReady.signalAll();
            LOG.debug("Scheduling queue is closed");
        } finally {
            lock.unlock();
        }
    }
}
