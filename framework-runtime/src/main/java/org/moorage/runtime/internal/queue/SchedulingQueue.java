// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
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
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.moorage.api.plugin.QueueSortPlugin;
import org.moorage.runtime.internal.queue.Interests.Interest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waiting pods: those that are ready to be tried, those that back off, those that wait for an event, and those that are
 * being scheduled. Same decisions as kube-scheduler's scheduling queue.
 *
 * <p>Pods come with {@link #add}, leave with {@link #pop}, and after a failed attempt return with {@link #requeue}. A pod
 * that plugins rejected is parked until {@link #moved} tells of an event that one of them registered and does not wave
 * aside. Such events are also kept while pods are in flight, so that a pod that returns misses none. Pods that failed
 * otherwise only back off.
 *
 * <p>Safe for use by several threads. Plugins are called under the queue's lock.
 */
public final class SchedulingQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulingQueue.class);
    private static final String MOVED = "Pod moved to an internal scheduling queue";

    private final QueueSortPlugin sort;
    private final Map<String, QueueProfile> profiles;
    private final Interests interests;
    private final Backoff backoffTimes;
    private final boolean popsEarly;
    private final Duration maxInUnschedulable;
    private final InstantSource clock;
    private final Nominator nominator;
    private final QueueObserver observer;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition podReady = lock.newCondition();

    @GuardedBy("lock")
    private final IndexedHeap<String, QueueEntry> active;

    @GuardedBy("lock")
    private final IndexedHeap<String, QueueEntry> backoff;

    @GuardedBy("lock")
    private final IndexedHeap<String, QueueEntry> errorBackoff;

    @GuardedBy("lock")
    private final ParkedPods parked = new ParkedPods();

    @GuardedBy("lock")
    private final InFlightPods inFlight;

    @GuardedBy("lock")
    private long lastNumber;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * What the queue must know of a profile.
     *
     * @param preEnqueue the plugins that say whether a pod may be tried at all, in the order of the profile
     * @param events what each plugin that can reject waits for
     */
    public record QueueProfile(List<PreEnqueuePlugin> preEnqueue, List<PluginEvents> events) {
        public QueueProfile {
            preEnqueue = List.copyOf(preEnqueue);
            events = List.copyOf(events);
        }
    }

    /**
     * How long pods wait.
     *
     * @param initialBackoff after the first failed attempt; doubled with each further one
     * @param maxBackoff after a failed attempt at most; zero to have no backoff
     * @param maxInUnschedulable for an event at most
     * @param featureGates whether a pod that backs off may be popped early
     */
    public record Settings(
            Duration initialBackoff, Duration maxBackoff, Duration maxInUnschedulable, FeatureGates featureGates) {
        /** Those of kube-scheduler: one second, ten seconds, five minutes. */
        public static final Settings DEFAULTS = new Settings(
                Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofMinutes(5), FeatureGates.DEFAULTS);

        public Settings {
            demandNotNegative("initialBackoff", initialBackoff);
            demandNotNegative("maxBackoff", maxBackoff);
            demandNotNegative("maxInUnschedulable", maxInUnschedulable);
        }

        private static void demandNotNegative(String name, Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException(name + ": " + value + " (expected: >= 0)");
            }
        }
    }

    /**
     * The plugins that rejected an attempt.
     *
     * @param unschedulable those that did so for good
     * @param pending those that wait for somebody else's work, see {@link Code#PENDING}
     */
    public record Rejectors(Set<String> unschedulable, Set<String> pending) {
        /** No plugin did: the attempt failed otherwise. */
        public static final Rejectors NONE = new Rejectors(Set.of(), Set.of());

        public Rejectors {
            unschedulable = Set.copyOf(unschedulable);
            pending = Set.copyOf(pending);
        }

        /** Whether no plugin rejected the attempt. */
        public boolean isEmpty() {
            return unschedulable.isEmpty() && pending.isEmpty();
        }

        /** Whether the plugin rejected the attempt, in one way or the other. */
        public boolean contains(String plugin) {
            return unschedulable.contains(plugin) || pending.contains(plugin);
        }

        /** All plugins that rejected the attempt, by name. */
        public Set<String> all() {
            Set<String> all = new TreeSet<>(unschedulable);
            all.addAll(pending);
            return all;
        }

        Rejectors withUnschedulable(String plugin) {
            if (unschedulable.contains(plugin)) {
                return this;
            }
            Set<String> more = new HashSet<>(unschedulable);
            more.add(plugin);
            return new Rejectors(more, pending);
        }
    }

    /** What an event means for a parked pod. */
    private enum Verdict {
        STAY,
        TRY_AFTER_BACKOFF,
        TRY_NOW
    }

    /** A parked pod that an event wakes. */
    private record Woken(QueueEntry entry, Verdict verdict) {}

    /**
     * An empty queue that nobody observes.
     *
     * @see #SchedulingQueue(QueueSortPlugin, Map, Settings, InstantSource, Nominator, QueueObserver)
     */
    public SchedulingQueue(
            QueueSortPlugin sort,
            Map<String, QueueProfile> profiles,
            Settings settings,
            InstantSource clock,
            Nominator nominator) {
        this(sort, profiles, settings, clock, nominator, QueueObserver.NONE);
    }

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
            Settings settings,
            InstantSource clock,
            Nominator nominator,
            QueueObserver observer) {
        this.sort = Objects.requireNonNull(sort, "sort");
        this.profiles = Map.copyOf(profiles);
        this.clock = Objects.requireNonNull(clock, "clock");
        this.nominator = Objects.requireNonNull(nominator, "nominator");
        this.observer = Objects.requireNonNull(observer, "observer");
        interests = new Interests(this.profiles);
        popsEarly = settings.featureGates().isEnabled(FeatureGates.SCHEDULER_POP_FROM_BACKOFF_Q);
        backoffTimes = new Backoff(
                settings.initialBackoff(), settings.maxBackoff(), popsEarly ? ChronoUnit.SECONDS : ChronoUnit.NANOS);
        maxInUnschedulable = settings.maxInUnschedulable();
        active = new IndexedHeap<>(QueueEntry::key, this::isTriedBefore);
        backoff = new IndexedHeap<>(
                QueueEntry::key, popsEarly ? this::backsOffBefore : SchedulingQueue::endsBackoffBefore);
        errorBackoff = new IndexedHeap<>(QueueEntry::key, SchedulingQueue::endsBackoffBefore);
        inFlight = new InFlightPods(observer);
    }

    // Ties go to who came first, which makes runs with a clock that stands still repeatable.
    private boolean isTriedBefore(QueueEntry first, QueueEntry second) {
        return sort.less(first, second) || first.number() < second.number() && !sort.less(second, first);
    }

    private boolean backsOffBefore(QueueEntry first, QueueEntry second) {
        int order = first.backoffEndOrNone().compareTo(second.backoffEndOrNone());
        return order != 0 ? order < 0 : isTriedBefore(first, second);
    }

    private static boolean endsBackoffBefore(QueueEntry first, QueueEntry second) {
        int order = first.backoffEndOrNone().compareTo(second.backoffEndOrNone());
        return order != 0 ? order < 0 : first.number() < second.number();
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
            Optional<QueueEntry> known = find(pod.key());
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

    /** Lets go of a pod that is gone, or has got a node from somebody else. A pod in flight stays so until it is given back. */
    public void delete(Pod pod) {
        lock.lock();
        try {
            nominator.delete(pod);
            Optional<QueueEntry> entry = find(pod.key());
            if (entry.isPresent() && entry.get().isSamePod(pod)) {
                drop(entry.get());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the next pod to be tried: the first of the active ones, or if there is none the first that backs off after a
     * rejection, unless the feature {@link FeatureGates#SCHEDULER_POP_FROM_BACKOFF_Q} is off. Whoever took it must give it back with {@link #done} or {@link #requeue}.
     *
     * @param atMost how long to wait for one, by the system's clock
     * @return empty if there was none in that time, the queue is closed, or the thread was interrupted, which it then still
     *     is
     */
    public Optional<QueueEntry> pop(Duration atMost) {
        long nanos = TimeUnit.NANOSECONDS.convert(atMost);
        lock.lock();
        try {
            while (true) {
                Optional<QueueEntry> entry = take();
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
    public Optional<QueueEntry> poll() {
        lock.lock();
        try {
            return take();
        } finally {
            lock.unlock();
        }
    }

    /** The attempt is over and the pod does not return: events are no longer kept for it. Doing so twice does no harm. */
    public void done(QueueEntry entry) {
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
    public void requeue(QueueEntry entry, Pod current, Rejectors rejectors) {
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

    /**
     * Has these pods tried as soon as possible, without regard to rejections and backoff; gates still hold. A pod in flight
     * that is rejected will back off instead of being parked. Active and unknown pods are left alone.
     */
    public void activate(Collection<Pod> pods) {
        lock.lock();
        try {
            for (Pod pod : pods) {
                activate(pod);
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
    public void moved(ClusterEvent event, ObjectChange<?> change) {
        moved(event, change, pod -> true);
    }

    /**
     * As {@link #moved(ClusterEvent, ObjectChange)}, for some of the parked pods only.
     *
     * @param event what happened
     * @param change the object that it happened to
     * @param only which parked pods it is of use to; pods in flight are not asked about
     */
    public void moved(ClusterEvent event, ObjectChange<?> change, Predicate<Pod> only) {
        // Without the lock: most of a cluster's events are of no use to anybody.
        if (!isWaitingFor(event)) {
            return;
        }
        Happening happening = new Happening(event, change.as(Object.class));
        lock.lock();
        try {
            place(wake(happening, entry -> only.test(entry.pod())), happening);
        } finally {
            lock.unlock();
        }
    }

    /** Makes those pods active whose backoff is over. To be called every second. */
    public void flushBackoff() {
        lock.lock();
        try {
            Instant now = clock.instant();
            flush(backoff, now);
            flush(errorBackoff, now);
        } finally {
            lock.unlock();
        }
    }

    /** Has those pods tried that have waited for an event for too long; gates still hold. To be called every 30 seconds. */
    public void flushUnschedulable() {
        lock.lock();
        try {
            Instant now = clock.instant();
            Happening timeout = new Happening(WellKnownEvents.UNSCHEDULABLE_TIMEOUT, null);
            List<Woken> woken = wake(timeout, entry -> hasWaitedTooLong(entry, now));
            if (!woken.isEmpty()) {
                for (Woken each : woken) {
                    each.entry().flush();
                }
                place(woken, timeout);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The earliest moment at which {@link #flushBackoff} makes a pod active; empty if none backs off. For a simulation that
     * has nothing else to wait for.
     */
    public Optional<Instant> nextBackoffExpiry() {
        lock.lock();
        try {
            Instant earliest = Instant.MAX;
            for (IndexedHeap<String, QueueEntry> heap : List.of(backoff, errorBackoff)) {
                Optional<QueueEntry> first = heap.first();
                if (first.isPresent() && first.get().backoffEndOrNone().isBefore(earliest)) {
                    earliest = first.get().backoffEndOrNone();
                }
            }
            return earliest.equals(Instant.MAX) ? Optional.empty() : Optional.of(backoffTimes.over(earliest));
        } finally {
            lock.unlock();
        }
    }

    /** Whether a plugin of any profile registered the event. If not, {@link #moved} does nothing with it. */
    public boolean isWaitingFor(ClusterEvent event) {
        return interests.any(event);
    }

    /** How many pods are where. */
    public QueueCounts counts() {
        lock.lock();
        try {
            return new QueueCounts(
                    active.size(),
                    backoff.size() + errorBackoff.size(),
                    parked.unschedulable(),
                    parked.gated(),
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
            for (QueuePlace place : List.of(QueuePlace.ACTIVE, QueuePlace.BACKOFF, QueuePlace.ERROR_BACKOFF)) {
                Optional<QueueEntry> entry = heap(place).find(key);
                if (entry.isPresent()) {
                    return Optional.of(PodState.of(entry.get(), place));
                }
            }
            Optional<QueueEntry> entry = parked.find(key);
            if (entry.isPresent()) {
                return Optional.of(PodState.of(entry.get(), parkedPlace(entry.get())));
            }
            return inFlight.find(key).map(popped -> PodState.of(popped, QueuePlace.IN_FLIGHT));
        } finally {
            lock.unlock();
        }
    }

    /** What is known of all pods that are queued or in flight, in no particular order. */
    public List<PodState> states() {
        lock.lock();
        try {
            List<PodState> states = new ArrayList<>();
            for (QueuePlace place : List.of(QueuePlace.ACTIVE, QueuePlace.BACKOFF, QueuePlace.ERROR_BACKOFF)) {
                heap(place).forEach(entry -> states.add(PodState.of(entry, place)));
            }
            for (ParkedPods.Cause cause : parked.causes()) {
                for (QueueEntry entry : parked.of(cause)) {
                    states.add(PodState.of(entry, parkedPlace(entry)));
                }
            }
            for (QueueEntry entry : inFlight.entries()) {
                states.add(PodState.of(entry, QueuePlace.IN_FLIGHT));
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

    private void demandProfile(Pod pod) {
        if (!profiles.containsKey(pod.spec().schedulerName())) {
            throw new IllegalArgumentException("pod " + pod + ": spec.schedulerName: \""
                    + pod.spec().schedulerName() + "\" (expected: one of " + new TreeSet<>(profiles.keySet()) + ")");
        }
    }

    private QueueProfile profile(QueueEntry entry) {
        return Objects.requireNonNull(profiles.get(entry.pod().spec().schedulerName()));
    }

    @GuardedBy("lock")
    private IndexedHeap<String, QueueEntry> heap(QueuePlace place) {
        return switch (place) {
            case ACTIVE -> active;
            case BACKOFF -> backoff;
            case ERROR_BACKOFF -> errorBackoff;
            case UNSCHEDULABLE, GATED, IN_FLIGHT ->
                throw new IllegalArgumentException("place: " + place + " (expected: one with an order)");
        };
    }

    private static QueuePlace parkedPlace(QueueEntry entry) {
        return entry.isGated() ? QueuePlace.GATED : QueuePlace.UNSCHEDULABLE;
    }

    @GuardedBy("lock")
    private Optional<QueueEntry> find(String key) {
        for (IndexedHeap<String, QueueEntry> heap : List.of(active, backoff, errorBackoff)) {
            Optional<QueueEntry> entry = heap.find(key);
            if (entry.isPresent()) {
                return entry;
            }
        }
        return parked.find(key);
    }

    @GuardedBy("lock")
    private void drop(QueueEntry entry) {
        if (active.remove(entry.key()).isEmpty()
                && backoff.remove(entry.key()).isEmpty()
                && errorBackoff.remove(entry.key()).isEmpty()) {
            parked.remove(entry.key());
        }
        count(entry, -1);
    }

    private void count(QueueEntry entry, int change) {
        for (String plugin : entry.rejectors().all()) {
            observer.rejected(entry.pod().spec().schedulerName(), plugin, change);
        }
    }

    @GuardedBy("lock")
    private void enter(Pod pod, ClusterEvent event) {
        Optional<QueueEntry> namesake = find(pod.key());
        if (namesake.isPresent()) {
            nominator.delete(namesake.get().pod());
            drop(namesake.get());
        }
        QueueEntry entry = new QueueEntry(pod, clock.instant(), ++lastNumber);
        if (toActive(entry, event.label()) == QueuePlace.ACTIVE) {
            nominator.add(pod, Nomination.KEEP);
        }
    }

    @GuardedBy("lock")
    private void change(Pod before, Pod after) {
        if (inFlight.contains(after.uid())) {
            for (ClusterEvent event : PodEvents.of(before, after)) {
                inFlight.record(new Happening(event, ObjectChange.<Object>updated(before, after)));
            }
            return;
        }
        Optional<QueueEntry> known = find(after.key());
        if (known.isEmpty() || !known.get().isSamePod(after)) {
            enter(after, WellKnownEvents.UNSCHEDULED_POD_UPDATE);
            return;
        }
        QueueEntry entry = known.get();
        entry.replacePod(after);
        nominator.update(before, after);
        for (IndexedHeap<String, QueueEntry> heap : List.of(active, backoff, errorBackoff)) {
            if (heap.find(entry.key()).isPresent()) {
                heap.put(entry);
                return;
            }
        }
        for (ClusterEvent event : PodEvents.of(before, after)) {
            Verdict verdict = verdict(entry, new Happening(event, ObjectChange.<Object>updated(before, after)));
            if (verdict != Verdict.STAY && place(entry, verdict, event.label()) != QueuePlace.GATED) {
                return;
            }
        }
    }

    @GuardedBy("lock")
    private Optional<QueueEntry> take() {
        while (!closed) {
            Optional<QueueEntry> first = active.removeFirst();
            if (first.isEmpty()) {
                if (!popsEarly) {
                    return first;
                }
                first = backoff.removeFirst();
                if (first.isEmpty()) {
                    return first;
                }
                observer.incoming(QueuePlace.ACTIVE, WellKnownEvents.POP_FROM_BACKOFF);
            }
            QueueEntry entry = first.get();
            count(entry, -1);
            if (inFlight.contains(entry.pod().uid())) {
                LOG.atError()
                        .addKeyValue("pod", entry.pod())
                        .addKeyValue("uid", entry.pod().uid())
                        .log("Discarding the popped pod, since it is being scheduled already");
                continue;
            }
            entry.start();
            inFlight.add(entry);
            return first;
        }
        return Optional.empty();
    }

    @GuardedBy("lock")
    private void putBack(QueueEntry entry, Pod current, Rejectors rejectors) {
        if (!entry.isSamePod(current) || !entry.key().equals(current.key())) {
            throw new IllegalArgumentException("current: " + current + " with uid " + current.uid() + " (expected: "
                    + entry + " with uid " + entry.pod().uid() + ")");
        }
        if (closed) {
            return;
        }
        if (find(entry.key()).isPresent()) {
            LOG.atWarn().addKeyValue("pod", current).log("Pod is already queued, so its failed attempt is forgotten");
            return;
        }
        entry.failed(current, rejectors, clock.instant(), ++lastNumber, backoffTimes);
        count(entry, 1);
        QueuePlace place = place(entry, verdictOnReturn(entry), WellKnownEvents.SCHEDULE_ATTEMPT_FAILURE);
        LOG.atDebug()
                .addKeyValue("pod", current)
                .addKeyValue("event", WellKnownEvents.SCHEDULE_ATTEMPT_FAILURE)
                .addKeyValue("queue", place)
                .addKeyValue("unschedulablePlugins", rejectors.unschedulable())
                .addKeyValue("pendingPlugins", rejectors.pending())
                .log(MOVED);
    }

    @GuardedBy("lock")
    private void activate(Pod pod) {
        Optional<QueueEntry> waiting = parked.find(pod.key());
        if (waiting.isPresent()) {
            toActive(waiting.get(), WellKnownEvents.FORCE_ACTIVATE.label());
            return;
        }
        Optional<QueueEntry> backingOff = backoff.remove(pod.key());
        if (backingOff.isEmpty()) {
            backingOff = errorBackoff.remove(pod.key());
        }
        if (backingOff.isPresent()) {
            leaveBackoff(backingOff.get(), WellKnownEvents.FORCE_ACTIVATE.label());
        } else if (inFlight.contains(pod.uid())) {
            inFlight.record(new Happening(WellKnownEvents.FORCE_ACTIVATE, ObjectChange.<Object>added(pod)));
        }
    }

    @GuardedBy("lock")
    private void flush(IndexedHeap<String, QueueEntry> heap, Instant now) {
        Optional<QueueEntry> first = heap.first();
        while (first.isPresent() && !backoffTimes.lasts(first.get().backoffEndOrNone(), now)) {
            heap.removeFirst();
            leaveBackoff(first.get(), WellKnownEvents.BACKOFF_COMPLETE);
            first = heap.first();
        }
    }

    private boolean hasWaitedTooLong(QueueEntry entry, Instant now) {
        return Duration.between(entry.timestamp(), now).compareTo(maxInUnschedulable) > 0;
    }

    @GuardedBy("lock")
    private List<Woken> wake(Happening happening, Predicate<QueueEntry> only) {
        List<Woken> woken = new ArrayList<>();
        for (ParkedPods.Cause cause : parked.causes()) {
            wake(cause, happening, only, woken);
        }
        return woken;
    }

    @GuardedBy("lock")
    private void wake(ParkedPods.Cause cause, Happening happening, Predicate<QueueEntry> only, List<Woken> woken) {
        ClusterEvent event = happening.event();
        if (cause.isGate() && !interests.isOf(cause.profile(), cause.gatedBy(), event)) {
            return;
        }
        List<Interest> asked = interests.of(cause.profile(), cause.rejectors(), event);
        if (asked.isEmpty() && !event.isWildcard()) {
            return;
        }
        for (QueueEntry entry : parked.of(cause)) {
            if (only.test(entry)) {
                Verdict verdict = verdict(entry, happening, asked);
                if (verdict != Verdict.STAY) {
                    woken.add(new Woken(entry, verdict));
                }
            }
        }
    }

    @GuardedBy("lock")
    private void place(List<Woken> woken, Happening happening) {
        for (Woken each : woken) {
            place(each.entry(), each.verdict(), happening.event().label());
        }
        inFlight.record(happening);
    }

    @GuardedBy("lock")
    private Verdict verdictOnReturn(QueueEntry entry) {
        if (entry.rejectors().isEmpty()) {
            return Verdict.TRY_AFTER_BACKOFF;
        }
        if (!inFlight.contains(entry)) {
            LOG.atError()
                    .addKeyValue("pod", entry.pod())
                    .log("Returning pod is not in flight; it is retried after backoff");
            return Verdict.TRY_AFTER_BACKOFF;
        }
        Verdict highest = Verdict.STAY;
        for (Happening happening : inFlight.since(entry)) {
            Verdict verdict = verdict(entry, happening);
            highest = verdict.compareTo(highest) > 0 ? verdict : highest;
            if (isHighestFor(entry, highest)) {
                break;
            }
        }
        return highest;
    }

    private Verdict verdict(QueueEntry entry, Happening happening) {
        return verdict(
                entry,
                happening,
                interests.of(entry.pod().spec().schedulerName(), entry.rejectors(), happening.event()));
    }

    private Verdict verdict(QueueEntry entry, Happening happening, List<Interest> asked) {
        ObjectChange<Object> change = happening.change();
        if (change == null || happening.event().isWildcard()) {
            return happening.isMeantFor(entry) ? Verdict.TRY_AFTER_BACKOFF : Verdict.STAY;
        }
        Verdict highest = Verdict.STAY;
        for (int i = 0; i < asked.size() && !isHighestFor(entry, highest); i++) {
            Interest interest = asked.get(i);
            if (ask(interest, entry, happening.event(), change) == Hint.QUEUE) {
                highest = entry.rejectors().pending().contains(interest.plugin())
                        ? Verdict.TRY_NOW
                        : Verdict.TRY_AFTER_BACKOFF;
            }
        }
        return highest;
    }

    // Only a plugin whose verdict was pending can spare a pod the backoff.
    private static boolean isHighestFor(QueueEntry entry, Verdict verdict) {
        return verdict == Verdict.TRY_NOW
                || verdict == Verdict.TRY_AFTER_BACKOFF
                        && entry.rejectors().pending().isEmpty();
    }

    private Hint ask(Interest interest, QueueEntry entry, ClusterEvent event, ObjectChange<Object> change) {
        long start = System.nanoTime();
        Hint hint = Hint.QUEUE;
        String result = QueueObserver.HINT_ERROR;
        try {
            hint = Objects.requireNonNull(interest.hint().hint(entry.pod(), change), "hint");
            result = hint.toString();
        } catch (RuntimeException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue("plugin", interest.plugin())
                    .addKeyValue("event", event)
                    .addKeyValue("pod", entry.pod())
                    .log("Queueing hint failed; the pod is tried again");
        }
        observer.hinted(interest.plugin(), event, result, System.nanoTime() - start);
        return hint;
    }

    @GuardedBy("lock")
    private QueuePlace place(QueueEntry entry, Verdict verdict, String event) {
        return switch (verdict) {
            case STAY -> {
                parked.put(entry);
                arrived(entry, QueuePlace.UNSCHEDULABLE, event);
                yield QueuePlace.UNSCHEDULABLE;
            }
            case TRY_AFTER_BACKOFF ->
                backoffTimes.lasts(entry.backoffEndOrNone(), clock.instant())
                        ? toBackoff(entry, event)
                        : toActive(entry, event);
            case TRY_NOW -> toActive(entry, event);
        };
    }

    @GuardedBy("lock")
    private QueuePlace toActive(QueueEntry entry, String event) {
        if (isHeldBack(entry, event)) {
            return QueuePlace.GATED;
        }
        pushActive(entry, event);
        return QueuePlace.ACTIVE;
    }

    // Where pods are popped early they have to be past the gates when they begin to back off, otherwise when they have
    // done
    // so.
    @GuardedBy("lock")
    private void leaveBackoff(QueueEntry entry, String event) {
        if (popsEarly) {
            pushActive(entry, event);
        } else {
            toActive(entry, event);
        }
    }

    @GuardedBy("lock")
    private QueuePlace toBackoff(QueueEntry entry, String event) {
        if (popsEarly && isHeldBack(entry, event)) {
            return QueuePlace.GATED;
        }
        parked.remove(entry.key());
        QueuePlace place = entry.rejectors().isEmpty() ? QueuePlace.ERROR_BACKOFF : QueuePlace.BACKOFF;
        heap(place).put(entry);
        arrived(entry, place, event);
        if (popsEarly && place == QueuePlace.BACKOFF) {
            podReady.signal();
        }
        return place;
    }

    @GuardedBy("lock")
    private void pushActive(QueueEntry entry, String event) {
        entry.becameReady(clock.instant());
        active.put(entry);
        arrived(entry, QueuePlace.ACTIVE, event);
        podReady.signal();
    }

    /** Takes the entry out of the parked ones, unless a gate is closed: then it is parked, and the answer is true. */
    @GuardedBy("lock")
    private boolean isHeldBack(QueueEntry entry, String event) {
        boolean wasParked = parked.remove(entry.key()).isPresent();
        askGates(entry);
        if (!entry.isGated()) {
            return false;
        }
        parked.put(entry);
        if (!wasParked) {
            arrived(entry, QueuePlace.GATED, event);
        }
        return true;
    }

    private void arrived(QueueEntry entry, QueuePlace place, String event) {
        observer.incoming(place, event);
        LOG.atTrace()
                .addKeyValue("pod", entry.pod())
                .addKeyValue("event", event)
                .addKeyValue("queue", place)
                .log(MOVED);
    }

    private void askGates(QueueEntry entry) {
        List<PreEnqueuePlugin> gates = profile(entry).preEnqueue();
        String closedGate = entry.gatedBy();
        // Most likely it is closed still, which makes asking the others needless.
        for (PreEnqueuePlugin gate : gates) {
            if (gate.name().equals(closedGate) && !isOpen(gate, entry)) {
                return;
            }
        }
        for (PreEnqueuePlugin gate : gates) {
            if (!gate.name().equals(closedGate) && !isOpen(gate, entry)) {
                return;
            }
        }
        entry.ungate();
    }

    private boolean isOpen(PreEnqueuePlugin gate, QueueEntry entry) {
        Status status = ask(gate, entry.pod());
        if (status.isSuccess()) {
            return true;
        }
        if (!entry.rejectors().contains(gate.name())) {
            observer.rejected(entry.pod().spec().schedulerName(), gate.name(), 1);
        }
        entry.gate(gate.name());
        LOG.atTrace()
                .addKeyValue("pod", entry.pod())
                .addKeyValue("plugin", gate.name())
                .addKeyValue("status", status)
                .log("Status after running PreEnqueue plugin");
        return false;
    }

    private static Status ask(PreEnqueuePlugin gate, Pod pod) {
        try {
            return Objects.requireNonNull(gate.preEnqueue(pod), "status");
        } catch (RuntimeException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue("pod", pod)
                    .addKeyValue("plugin", gate.name())
                    .log("Unexpected error running PreEnqueue plugin");
            return Status.error(String.valueOf(e.getMessage()));
        }
    }
}
