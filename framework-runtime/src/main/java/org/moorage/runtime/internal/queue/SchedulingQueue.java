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
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Pod;
import org.moorage.api.model.SchedulingGroup;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.debug.SchedulerDump;
import org.moorage.runtime.debug.SchedulerDump.PendingPod;
import org.moorage.runtime.decision.HintEvaluation.PluginHint;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.internal.cache.GroupTree;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.log.Listeners;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.internal.plugin.PluginCaller;
import org.moorage.runtime.internal.plugin.PluginFailure;
import org.moorage.runtime.internal.queue.QueueingHints.Moved;
import org.moorage.runtime.metrics.SchedulerGauges;

/**
 * The queue of pending pods: active pods, pods in backoff, unschedulable pods, and pods in flight. Same decisions as
 * kube-scheduler's scheduling queue.
 *
 * <p>With the feature {@link FeatureGates#GENERIC_WORKLOAD}, the members of a pod group are not queued individually:
 * all members of a group without a parent are one {@link QueuedPodGroupInfo}, which is popped as a whole and returns
 * with {@link #addAttemptedPodGroup}. It does not wait for events, but backs off after each failure.
 *
 * <p>Pods are added with {@link #add}, popped with {@link #pop}, and returned after a failed attempt with {@link
 * #addUnschedulable}. A pod that plugins rejected is then unschedulable until {@link #moveAllToActiveOrBackoff} is
 * called for an event that one of these plugins registered, and whose hint for that pod is not to skip it. Such events
 * are also kept while pods are in flight, so that a pod that returns misses none. Pods that failed otherwise only back
 * off.
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
    final QueuedGroupMembers members;

    @GuardedBy("lock")
    final InFlightPods inFlight;

    @GuardedBy("lock")
    private long lastNumber;

    private volatile boolean closed;

    /**
     * Creates an empty queue.
     *
     * @param sort the order of the active pods
     * @param profiles the profiles by scheduler name; only their pods may be added
     * @param settings backoff times and other settings
     * @param clock for durations; never goes back
     * @param nominator receives the nominations in the status of pods that are added, updated and deleted
     * @param listeners receive the moves of pods, and measurements
     * @param preEnqueueFailures called for pods that are gated because a PreEnqueue plugin failed; must not block,
     *     since the queue's lock is held
     */
    public SchedulingQueue(
            PluginCaller sort,
            Map<String, QueueProfile> profiles,
            QueueSettings settings,
            InstantSource clock,
            Nominator nominator,
            Listeners listeners,
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
                listeners);
        queued = new SubQueues(
                Objects.requireNonNull(sort, "sort"),
                settings,
                new PreEnqueue(known, listeners, preEnqueueFailures),
                clock,
                podReady::signal,
                listeners);
        members = new QueuedGroupMembers(settings.featureGates(), queued);
        inFlight = new InFlightPods();
    }

    /**
     * Adds a new pending pod, or updates it if it is queued already.
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
     * Updates a pending pod. The change may make an unschedulable pod, or the gated group of the pod, active again. For
     * a pod in flight the change is recorded as an event. An unknown pod is added.
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

    // The pending pod of that namespace and name, whose UID may differ.
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
        // Also for a gated pod, so that the resources reserved by its nomination stay reserved.
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
            // The API server forbids changing the group of a pod, so this is another pod of that name.
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
            requeueUpdated(known.get(), before, after);
            return;
        }
        Optional<QueuedPodGroupInfo> group = members.queuedGroup(after);
        if (group.isPresent()) {
            requeueUpdated(group.get(), before, after);
        }
    }

    @GuardedBy("lock")
    private void requeueUpdated(QueuedEntity updated, Pod before, Pod after) {
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

    /** Removes a pod that was deleted or bound. A pod in flight stays in flight until {@link #done}. */
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
     * Adds or updates a pod group or a composite pod group. Pods that waited for it are queued, unless another ancestor
     * group is missing.
     */
    public void putGroup(SchedulingGroup group) {
        lock.lock();
        try {
            members.put(group);
        } finally {
            lock.unlock();
        }
    }

    /** Removes a deleted pod group or composite pod group. Its pending pods are not tried until it is added again. */
    public void deleteGroup(SchedulingGroup group) {
        lock.lock();
        try {
            members.delete(group);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Pops the next pod or group of pods to try: the first active one. If none is active, it pops the first pod in
     * backoff after a rejection, unless the feature {@link FeatureGates#SCHEDULER_POP_FROM_BACKOFF_Q} is off, or too
     * many of these were rejected again. A pod, also a member of a group, is in flight until {@link #done} or {@link
     * #addUnschedulable} is called for it; a group until {@link #addAttemptedPodGroup} is called.
     *
     * @param atMost how long to wait for one, by the system's clock
     * @return empty on timeout, if the queue is closed, or if the thread was interrupted, whose interrupt status stays
     *     set
     */
    public Optional<QueuedEntity> pop(Duration atMost) {
        long nanos = TimeUnit.NANOSECONDS.convert(atMost);
        lock.lock();
        try {
            while (true) {
                Optional<QueuedEntity> popped = popNext(any -> true);
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
        return poll(pod -> true);
    }

    /**
     * As {@link #poll()}, for selected pods only; the others keep their places.
     *
     * @param which selects pods; a group is selected if one of its pods is
     */
    public Optional<QueuedEntity> poll(Predicate<Pod> which) {
        lock.lock();
        try {
            return popNext(waiting -> waiting.hasMember(which));
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Optional<QueuedEntity> popNext(Predicate<QueuedEntity> which) {
        while (!closed) {
            Optional<QueuedEntity> next = queued.removeNext(which);
            if (next.isEmpty() || isToBeTried(next.get())) {
                return next;
            }
        }
        return Optional.empty();
    }

    // A pod that is in flight is discarded; its current attempt returns it.
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

    /**
     * Ends the attempt at a pod that does not return to the queue; events are no longer recorded for it. May be called
     * twice.
     */
    public void done(QueuedPodInfo popped) {
        lock.lock();
        try {
            inFlight.remove(popped);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a pod to the queue after a failed attempt, unless it was queued again in the meantime. It is {@link
     * #done} afterwards. A member of a group joins the others; whether the group is tried immediately or after a
     * backoff does not depend on the plugins that rejected the member.
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
            // Also if an error of the virtual machine passes through a hint; otherwise the pod would be in no
            // sub-queue.
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
     * Returns whether new pods of a group have arrived since it was popped that can be tried together with its other
     * pods.
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
     * Puts back a member of a group whose attempt is repeated, as if it had not been popped. It is {@link #done}
     * afterwards, and retried after {@link #addAttemptedPodGroup} is called for the group.
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
     * Ends the attempt at a group. If the group has pending members, which returned from the attempt or arrived
     * meanwhile, it is queued again with them: immediately after a success, otherwise after a backoff. Must be called
     * once, after all members that do not continue to binding are done or returned.
     *
     * @param popped what {@link #pop} returned
     * @param outcome the outcome of the attempt
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
     * Makes pods active regardless of the plugins that rejected them and without backoff, unless a PreEnqueue plugin
     * gates them; a member of a group with all other members. A pod in flight that is rejected backs off instead of
     * becoming unschedulable. Active and unknown pods are not changed.
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
     * Moves pods to backoff regardless of the plugins that rejected them, unless a PreEnqueue plugin gates them. They
     * are not tried before the end of their backoff, even if no other pod is ready. For a pod in flight this applies
     * when it returns. Active and unknown pods are not changed.
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

    // The key of the queued entity, the pod or its group, if it is queued.
    @GuardedBy("lock")
    private Optional<String> queuedKey(Pod pod) {
        return members.isMember(pod) ? members.queuedGroup(pod).map(QueuedEntity::key) : Optional.of(pod.key());
    }

    /**
     * Moves the unschedulable pods that an event may make schedulable to active or backoff.
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
     * @param only selects the unschedulable pods that it may make schedulable; not applied to pods in flight
     */
    public void moveAllToActiveOrBackoff(ClusterEvent event, ObjectChange<?> change, Predicate<Pod> only) {
        // Checked without the lock, since no plugin registers most events of a cluster.
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
     * Retries the unschedulable pods that may use the resources on a node that were reserved for a nominated pod until
     * now.
     *
     * @param pod the pod
     * @param nodeName the node that it was nominated to; its status may not name it yet, or no longer
     */
    public void nominationEnded(Pod pod, String nodeName) {
        Pod nominated = pod.withStatus(
                pod.status().toBuilder().nominatedNodeName(nodeName).build());
        moveAllToActiveOrBackoff(
                WellKnownEvents.ASSIGNED_POD_DELETE,
                ObjectChange.deleted(nominated),
                other -> Nominator.isKeptFree(other, nominated));
    }

    /** Checks all unschedulable pods against a wildcard event that has no object. */
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

    /** Makes the pods active whose backoff has ended. Must be called every second. */
    public void flushBackoff() {
        lock.lock();
        try {
            queued.flushBackoff();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether {@link #poll(Predicate)} would return an entity. */
    public boolean isReady(Predicate<Pod> which) {
        lock.lock();
        try {
            return !closed && queued.hasNext(waiting -> waiting.hasMember(which));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the first instant at which {@link #flushBackoff} makes one of these pods active; empty if none is in
     * backoff.
     */
    public Optional<Instant> nextBackoffFlush(Predicate<Pod> which) {
        lock.lock();
        try {
            return queued.backoff.all().stream()
                    .filter(waiting -> waiting.hasMember(which))
                    .map(waiting -> backoffTimes.completion(waiting.backoffEnd()))
                    .min(Comparator.naturalOrder());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the unschedulable and gated pods, including members of groups. */
    public List<PodState.Unschedulable> unschedulablePods() {
        lock.lock();
        try {
            List<PodState.Unschedulable> pods = new ArrayList<>();
            for (QueuedEntity waiting : queued.unschedulable.values()) {
                Instant flushedAfter = waiting.waitingSince().plus(maxInUnschedulable);
                for (QueuedPodInfo member : waiting.members()) {
                    pods.add(new PodState.Unschedulable(member.pod(), waiting.isGated(), flushedAfter));
                }
            }
            return pods;
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #flushUnschedulable(Predicate)}, for all pods. */
    public void flushUnschedulable() {
        flushUnschedulable(pod -> true);
    }

    /**
     * Retries the selected pods that have been unschedulable or gated for too long without an event. Must be called
     * every 30 seconds.
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
                if (hasWaitedTooLong(waiting, now) && waiting.hasMember(which)) {
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

    /**
     * Returns whether a plugin of any profile registered the event. If not, {@link #moveAllToActiveOrBackoff} ignores
     * it.
     */
    public boolean isRegistered(ClusterEvent event) {
        return hints.isRegistered(event);
    }

    /** Returns all pods of the queue, and those that are being scheduled. */
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

    /**
     * Returns the status of the PreEnqueue plugin that gates a pod, or that gates its whole group for one of the
     * members; empty if none does.
     */
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

    /** Returns whether a pod is being scheduled, alone or with its group. */
    public boolean isInFlight(Pod pod) {
        lock.lock();
        try {
            return inFlight.contains(pod.uid());
        } finally {
            lock.unlock();
        }
    }

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
     * Returns the topmost ancestor of a group, or the group itself if it has no parent, with its descendants and their
     * pending pods, in the order in which they would be tried. Nothing leaves the queue.
     *
     * @return empty if the group or one of its ancestors is unknown
     */
    public Optional<GroupTree> tree(GroupKey group) {
        lock.lock();
        try {
            return members.tree(group);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the numbers of pods by sub-queue and by rejecting plugin, and of recorded events, with those of the cache. */
    public SchedulerGauges gauges(SchedulerCache.Counts cached) {
        lock.lock();
        try {
            return QueueGauges.of(queued, members, inFlight, cached);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the hints of the plugins of a pod's profile for an event. The pod does not have to be in the queue. */
    public List<PluginHint> hints(Pod pod, ClusterEvent event, ObjectChange<?> change) {
        demandProfile(pod);
        return hints.hints(pod, event, change.as(Object.class));
    }

    /**
     * Returns the pods that a change may concern, as predicates by plugin, for the plugins that narrow them down in
     * advance.
     */
    public Map<String, Predicate<Pod>> candidates(ClusterEvent event, ObjectChange<?> change) {
        return hints.candidates(event, change.as(Object.class));
    }

    /** Returns the thread that holds the queue's lock, or null. */
    public @Nullable Thread holder() {
        return lock.holder();
    }

    /** Returns a number that changes each time a thread acquires the queue's lock. */
    public long acquisitions() {
        return lock.acquisitions();
    }

    /**
     * Closes the queue: {@link #pop} then returns nothing, and pods that return are discarded. Further calls have no
     * effect. It does not wait for a plugin that holds the queue's lock and does not return.
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
