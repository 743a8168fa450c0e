// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
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
import org.moorage.api.GroupKey;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Nomination;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.debug.SchedulerDump.PendingPod;
import org.moorage.runtime.decision.HintEvaluation.PluginHint;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.queue.QueueingHints.Moved;
import org.moorage.runtime.metrics.SchedulerMetrics;

/**
 * The waiting pods: those that are ready to be tried, those that back off, those that wait for an event, and those that are
 * being scheduled. Same decisions as kube-scheduler's scheduling queue.
 *
 * <p>With the feature {@link FeatureGates#GENERIC_WORKLOAD}, the members of a pod group are not queued on their own: all those of a
 * group that has no parent are one {@link QueuedPodGroupInfo}, which is popped as a whole and returns with {@link
 * #addAttemptedPodGroup}. It does not wait for events, but backs off after each failure.
 *
 * <p>Pods come with {@link #add}, leave with {@link #pop}, and after a failed attempt return with {@link #addUnschedulable}. A
 * pod that plugins rejected is then unschedulable until {@link #moveAllToActiveOrBackoff} is called for an event that one of
 * these plugins registered, and whose hint for that pod is not to skip it. Such events are also kept while pods are in flight,
 * so that a pod that returns misses none. Pods that failed otherwise only back off.
 *
 * <p>Safe for use by several threads. Plugins are called under the queue's lock.
 */
public final class SchedulingQueue implements PodActivation, AutoCloseable {
    private static final Log LOG = Log.of(SchedulingQueue.class);

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
    final SubQueues queued;

    @GuardedBy("lock")
    final PodGroupMembers members;

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
        maxInUnschedulable = settings.maxInUnschedulable();
        this.clock = Objects.requireNonNull(clock, "clock");
        this.nominator = Objects.requireNonNull(nominator, "nominator");
        backoffTimes = settings.backoff();
        hints = new QueueingHints(
                known,
                settings.narrowsEvents(),
                waiting -> backoffTimes.lasts(waiting.backoffEnd(), clock.instant()),
                metrics);
        queued = new SubQueues(
                Objects.requireNonNull(sort, "sort"),
                settings,
                new PreEnqueue(known, metrics, preEnqueueFailures),
                clock,
                podReady::signal,
                metrics);
        members = new PodGroupMembers(settings.featureGates(), queued);
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
            Optional<QueuedPodInfo> known = find(pod);
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
     * Takes a change of a waiting pod into account. An unschedulable pod, or the gated group that it is a member of, may be tried again
     * for it; for a pod in flight it is kept as an event; an unknown pod is added.
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

    // The waiting pod of that namespace and name, which may have another uid.
    @GuardedBy("lock")
    private Optional<QueuedPodInfo> find(Pod pod) {
        return members.isMember(pod) ? members.find(pod) : queued.findPod(pod.key());
    }

    @GuardedBy("lock")
    private void addNew(Pod pod) {
        Optional<QueuedPodInfo> namesake = find(pod);
        if (namesake.isPresent()) {
            remove(namesake.get().pod());
        }
        // Also of a pod that is gated: what is kept free for it stays so.
        nominator.add(pod, Nomination.keep());
        QueuedPodInfo added = new QueuedPodInfo(pod, clock.instant(), ++lastNumber);
        if (members.isMember(pod)) {
            members.add(added);
        } else {
            queued.toActive(added, WellKnownEvents.UNSCHEDULED_POD_ADD.label());
        }
    }

    @GuardedBy("lock")
    private void updateKnown(Pod before, Pod after) {
        if (inFlight.contains(after.uid())) {
            for (ClusterEvent event : PodEvents.ofTarget(before, after)) {
                inFlight.record(new QueueEvent(event, ObjectChange.<Object>updated(before, after)));
            }
            return;
        }
        boolean wasMember = members.isMember(before);
        if (wasMember != members.isMember(after)
                || wasMember
                        && !before.spec().podGroupName().equals(after.spec().podGroupName())) {
            // The API server lets no pod change its group, so it is another pod of that name.
            remove(before);
        }
        Optional<QueuedPodInfo> known = find(after);
        if (known.isEmpty() || !known.get().isSamePod(after)) {
            addNew(after);
            return;
        }
        known.get().replacePod(after);
        nominator.update(before, after);
        if (!members.isMember(after)) {
            wake(known.get(), before, after);
            return;
        }
        Optional<QueuedPodGroupInfo> group = members.queuedGroup(after);
        if (group.isPresent()) {
            wake(group.get(), before, after);
        }
    }

    @GuardedBy("lock")
    private void wake(QueuedEntity updated, Pod before, Pod after) {
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
            remove(pod);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void remove(Pod pod) {
        nominator.delete(pod);
        if (members.isMember(pod) && members.remove(pod)) {
            return;
        }
        Optional<QueuedPodInfo> known = queued.findPod(pod.key());
        if (known.isPresent() && known.get().isSamePod(pod)) {
            queued.remove(known.get());
        }
    }

    /**
     * Adds a pod group or a composite pod group, or takes a change of it into account. Pods that waited for it are tried, if no other
     * group above them is missing.
     */
    public void putGroup(SchedulingGroup group) {
        lock.lock();
        try {
            members.put(group);
        } finally {
            lock.unlock();
        }
    }

    /** Removes a pod group or a composite pod group that is gone. The waiting pods below it are not tried until it is there again. */
    public void deleteGroup(SchedulingGroup group) {
        lock.lock();
        try {
            members.delete(group);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes what is to be tried next, a pod or a group of pods: the first of the active ones. If there is none, it is the first of the
     * pods that back off after a rejection, unless the feature {@link FeatureGates#SCHEDULER_POP_FROM_BACKOFF_Q} is off, or too many of
     * those were rejected again. A pod, also a member of a group, is in flight until {@link #done} or {@link #addUnschedulable} is called
     * for it; a group until {@link #addAttemptedPodGroup} is.
     *
     * @param atMost how long to wait for one, by the system's clock
     * @return empty if there was none in that time, the queue is closed, or the thread was interrupted, which it then still
     *     is
     */
    public Optional<QueuedEntity> pop(Duration atMost) {
        long nanos = TimeUnit.NANOSECONDS.convert(atMost);
        lock.lock();
        try {
            while (true) {
                Optional<QueuedEntity> popped = take();
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
    public Optional<QueuedEntity> poll() {
        return pop(Duration.ZERO);
    }

    @GuardedBy("lock")
    private Optional<QueuedEntity> take() {
        while (!closed) {
            Optional<QueuedEntity> next = queued.removeNext();
            if (next.isEmpty() || isToBeTried(next.get())) {
                return next;
            }
        }
        return Optional.empty();
    }

    // A pod that is in flight is discarded. It returns by itself.
    @GuardedBy("lock")
    private boolean isToBeTried(QueuedEntity popped) {
        if (popped instanceof QueuedPodGroupInfo group) {
            return members.pop(group, inFlight);
        }
        if (!(popped instanceof QueuedPodInfo pod)) {
            return false;
        }
        if (inFlight.contains(pod.pod().uid())) {
            LOG.atError()
                    .addKeyValue("pod", pod.pod())
                    .addKeyValue("uid", pod.pod().uid())
                    .log("Discarding the popped pod, since it is being scheduled already");
            return false;
        }
        pod.startAttempt();
        inFlight.add(pod);
        return true;
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
     * The attempt failed and the pod returns, unless it was queued again in the meantime. It is {@link #done} afterwards. A member of a
     * group joins the others: whether it is tried with them at once or after a backoff does not depend on what rejected it.
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
        if (find(current).isPresent()) {
            LOG.atWarn().addKeyValue("pod", current).log("Pod is already queued, so its failed attempt is forgotten");
            return;
        }
        queued.rejected(popped);
        popped.failed(current, rejectors, clock.instant(), ++lastNumber, backoffTimes);
        if (members.isMember(current)) {
            members.add(popped);
            return;
        }
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
                .log(SubQueues.MOVED);
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
     * Whether pods of a group have come since it was popped that can be tried together with its other pods.
     *
     * @param popped what {@link #pop} returned
     */
    public boolean hasNewcomers(QueuedPodGroupInfo popped) {
        lock.lock();
        try {
            return !closed && members.hasNewcomers(popped);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a member of a group whose attempt is repeated, as if it had not been popped. It is {@link #done} afterwards, and tried again
     * once {@link #addAttemptedPodGroup} is called for the group.
     *
     * @param popped the member as it was popped; not to be used any more
     * @param current the pod as it is now
     */
    public void addUntried(QueuedPodInfo popped, Pod current) {
        lock.lock();
        try {
            inFlight.remove(popped);
            if (!closed && find(current).isEmpty()) {
                popped.untried(current);
                members.add(popped);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The attempt at a group is over. If it has waiting members, which returned from it or have come meanwhile, it goes back into the
     * queue with them: after a success at once, otherwise after a backoff. To be called once, after all its members were dealt with that
     * do not go on to their binding.
     *
     * @param popped what {@link #pop} returned
     * @param outcome how the attempt ended
     */
    public void addAttemptedPodGroup(QueuedPodGroupInfo popped, PodGroupOutcome outcome) {
        lock.lock();
        try {
            if (!closed) {
                members.attempted(popped, outcome, clock.instant(), ++lastNumber, backoffTimes);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has these pods tried as soon as possible, whatever rejected them and without backoff, unless a PreEnqueue plugin gates
     * them; a member of a group with all the others. A pod in flight that is rejected backs off instead of being unschedulable. Active
     * and unknown pods are left alone.
     */
    @Override
    public void activate(Collection<Pod> pods) {
        ClusterEvent event = WellKnownEvents.FORCE_ACTIVATE;
        lock.lock();
        try {
            for (Pod pod : pods) {
                Optional<String> key = queuedKey(pod);
                boolean isActivated = key.isPresent() && queued.activate(key.get(), event.label());
                if (!isActivated && inFlight.contains(pod.uid())) {
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
    @Override
    public void activateAfterBackoff(Collection<Pod> pods) {
        lock.lock();
        try {
            for (Pod pod : pods) {
                Optional<String> key = queuedKey(pod);
                boolean isActivated = key.isPresent()
                        && queued.activateAfterBackoff(key.get(), WellKnownEvents.FORCE_ACTIVATE.label());
                if (!isActivated && !members.isMember(pod)) {
                    inFlight.find(pod.uid()).ifPresent(QueuedPodInfo::failWithError);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    // The key of what a pod is queued as, if it is queued.
    @GuardedBy("lock")
    private Optional<String> queuedKey(Pod pod) {
        return members.isMember(pod) ? members.queuedGroup(pod).map(QueuedEntity::key) : Optional.of(pod.key());
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
            move(hints.toMove(queued.unschedulable, queueEvent, only), queueEvent);
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
            move(hints.toMove(queued.unschedulable, event, pod -> true), event);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void move(List<Moved> all, QueueEvent event) {
        for (Moved moved : all) {
            queued.requeue(moved.queued(), moved.strategy(), event.event().label());
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

    /** Returns whether {@link #poll} has something to try. */
    public boolean isReady() {
        lock.lock();
        try {
            return !closed && queued.hasNext();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when {@link #flushBackoff} has one of these pods to make active; empty if none is in backoff. */
    public Optional<Instant> nextBackoffFlush(Predicate<Pod> which) {
        lock.lock();
        try {
            return queued.backoff.all().stream()
                    .filter(waiting -> isAny(waiting, which))
                    .map(waiting -> backoffTimes.completion(waiting.backoffEnd()))
                    .min(Comparator.naturalOrder());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the unschedulable and gated pods, those of groups among them. */
    public List<PodState.Unschedulable> unschedulablePods() {
        lock.lock();
        try {
            List<PodState.Unschedulable> pods = new ArrayList<>();
            for (QueuedEntity waiting : queued.unschedulable.values()) {
                Instant flushedAfter = waiting.waitingSince().plus(maxInUnschedulable);
                podsOf(waiting)
                        .forEach(pod -> pods.add(new PodState.Unschedulable(pod, waiting.isGated(), flushedAfter)));
            }
            return pods;
        } finally {
            lock.unlock();
        }
    }

    private static boolean isAny(QueuedEntity waiting, Predicate<Pod> which) {
        return podsOf(waiting).stream().anyMatch(which);
    }

    private static List<Pod> podsOf(QueuedEntity waiting) {
        return waiting instanceof QueuedPodGroupInfo group
                ? group.members().stream().map(QueuedPodInfo::pod).toList()
                : List.of(((QueuedPodInfo) waiting).pod());
    }

    /** As {@link #flushUnschedulable(Predicate)}, for all pods. */
    public void flushUnschedulable() {
        flushUnschedulable(pod -> true);
    }

    /**
     * Retries those of these pods that have been unschedulable or gated for too long without an event. To be called every 30 seconds.
     *
     * @param which selects pods; a group is selected if one of its pods is
     */
    public void flushUnschedulable(Predicate<Pod> which) {
        lock.lock();
        try {
            Instant now = clock.instant();
            QueueEvent timeout = new QueueEvent(WellKnownEvents.UNSCHEDULABLE_TIMEOUT, null);
            List<Moved> late = new ArrayList<>();
            for (QueuedEntity waiting : queued.unschedulable.values()) {
                if (hasWaitedTooLong(waiting, now) && isAny(waiting, which)) {
                    waiting.flushed(now);
                    late.add(new Moved(waiting, QueueingStrategy.QUEUE_AFTER_BACKOFF));
                }
            }
            if (!late.isEmpty()) {
                move(late, timeout);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasWaitedTooLong(QueuedEntity waiting, Instant now) {
        return Duration.between(waiting.waitingSince(), now).compareTo(maxInUnschedulable) > 0;
    }

    /** Whether a plugin of any profile registered the event. If not, {@link #moveAllToActiveOrBackoff} ignores it. */
    public boolean isRegistered(ClusterEvent event) {
        return hints.isRegistered(event);
    }

    /** All pods of the queue, and those that are being scheduled. */
    public SchedulerDump.Queue dump() {
        lock.lock();
        try {
            Instant now = clock.instant();
            List<PendingPod> pods = queued.dump(now);
            members.forEachOutsideSubQueues((in, waiting) -> waiting.forEach(member -> pods.add(new PendingPod(
                    member.pod(), in.toString(), "", Duration.between(member.timestamp(), now), member.attempts()))));
            return new SchedulerDump.Queue(pods, inFlight.pods(), inFlight.eventCounts(), members.areGrouped());
        } finally {
            lock.unlock();
        }
    }

    /** The answer of the PreEnqueue plugin that gates a pod, or a member of its group and all with it; empty if none does. */
    public Optional<PluginStatus> gate(Pod pod) {
        lock.lock();
        try {
            Optional<QueuedPodInfo> known = find(pod).filter(waiting -> waiting.isSamePod(pod));
            return members.isMember(pod)
                    ? known.flatMap(waiting -> members.queuedGroup(pod))
                            .flatMap(group -> Optional.ofNullable(group.gate()))
                    : known.flatMap(waiting -> Optional.ofNullable(waiting.gate()));
        } finally {
            lock.unlock();
        }
    }

    /** Whether a pod is being scheduled, alone or with its group. */
    public boolean isInFlight(Pod pod) {
        lock.lock();
        try {
            return inFlight.contains(pod.uid());
        } finally {
            lock.unlock();
        }
    }

    /** How a pod waits; empty if it is not in the queue. */
    public Optional<PodState.Queued> state(Pod pod) {
        lock.lock();
        try {
            Optional<QueuedPodInfo> known = find(pod).filter(waiting -> waiting.isSamePod(pod));
            if (known.isEmpty()) {
                return Optional.empty();
            }
            QueuedEntity tried = known.get();
            String in = queued.placeOf(tried).toString();
            if (members.isMember(pod)) {
                tried = members.queuedGroup(pod).map(QueuedEntity.class::cast).orElse(tried);
                in = members.queuedGroup(pod)
                        .map(group -> queued.placeOf(group).toString())
                        .orElseGet(() -> members.placeOutsideSubQueues(pod).toString());
            }
            Instant now = clock.instant();
            Duration backoff = Duration.between(now, tried.backoffEnd());
            RejectorPlugins rejectors = known.get().rejectors();
            return Optional.of(new PodState.Queued(
                    in,
                    Duration.between(tried.timestamp(), now),
                    known.get().attempts(),
                    tried.backoffEnd().equals(PodBackoff.NONE) || backoff.isNegative() ? Duration.ZERO : backoff,
                    Optional.ofNullable(tried.gate()),
                    rejectors.sorted(),
                    hints.eventsByPlugin(pod.spec().schedulerName(), rejectors)));
        } finally {
            lock.unlock();
        }
    }

    /**
     * The group above a group that has no parent, or the group itself, with those below it and their pods that wait, in the order in which
     * they would be tried. Nothing leaves the queue.
     *
     * @return empty if one of the groups up to that one is not known
     */
    public Optional<QueuedPodGroupInfo.Group> tree(GroupKey group) {
        lock.lock();
        try {
            return members.tree(group);
        } finally {
            lock.unlock();
        }
    }

    /** How many pods there are in which sub-queue, which plugins rejected them, and which events are kept. */
    public QueueGauges gauges() {
        lock.lock();
        try {
            return QueueGauges.of(queued, members, inFlight);
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
        LOG.atDebug().log("Scheduling queue is closed");
    }
}
