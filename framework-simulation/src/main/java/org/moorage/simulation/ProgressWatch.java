// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.moorage.api.model.Pod;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;

/**
 * A scheduler listener that detects a lack of progress: a pod that is retried again and again although nothing has
 * changed and no time has passed. Call {@link #check} after each attempt.
 *
 * <p>Safe for use by several threads.
 */
public final class ProgressWatch implements SchedulerListener {
    /** More attempts than the events of one instant can cause. */
    private static final int MOST_ATTEMPTS = 100;

    /** The number of changes so far: pods bound, evicted or created, and changes of other objects. */
    private final AtomicLong progress = new AtomicLong();

    private final Map<String, Attempts> attemptsByUid = new HashMap<>();
    private final Map<String, String> activatorByUid = new ConcurrentHashMap<>();
    private long timesPassed;

    /** The attempts at a pod, by their numbers. */
    private static final class Attempts {
        private long progress = -1;
        private long timesPassed = -1;
        private int firstSinceProgress;
        private int firstAtOnce;
        private int last;
    }

    /** Creates a listener for one scheduler. */
    public ProgressWatch() {}

    @Override
    public void bound(Pod pod, String nodeName, Decision decision) {
        progressed();
    }

    @Override
    public void activated(String plugin, Collection<Pod> pods) {
        pods.forEach(pod -> activatorByUid.put(pod.uid(), plugin));
    }

    /** Records a change that may make pods schedulable. */
    public void progressed() {
        progress.incrementAndGet();
    }

    /** Records that time has passed, so that an attempt may have another result. */
    public synchronized void timePassed() {
        timesPassed++;
    }

    /** Returns a number that increases with each progress. */
    long progress() {
        return progress.get();
    }

    /** Returns how often a pod was tried since the last progress. */
    synchronized int attemptsSinceProgress(Pod pod) {
        Attempts attempts = attemptsByUid.get(pod.uid());
        return attempts == null || attempts.progress != progress()
                ? 0
                : attempts.last - attempts.firstSinceProgress + 1;
    }

    /** Returns how often a pod was tried since the last progress, and since time passed. */
    synchronized int attemptsAtOnce(Pod pod) {
        Attempts attempts = attemptsByUid.get(pod.uid());
        return attempts == null || attempts.progress != progress() || attempts.timesPassed != timesPassed
                ? 0
                : attempts.last - attempts.firstAtOnce + 1;
    }

    @Override
    public synchronized void decided(Decision decision) {
        Attempts attempts = attemptsByUid.computeIfAbsent(decision.pod().uid(), any -> new Attempts());
        attempts.last = decision.attempts();
        if (attempts.progress != progress()) {
            attempts.progress = progress();
            attempts.timesPassed = timesPassed;
            attempts.firstSinceProgress = attempts.last;
            attempts.firstAtOnce = attempts.last;
        } else if (attempts.timesPassed != timesPassed) {
            attempts.timesPassed = timesPassed;
            attempts.firstAtOnce = attempts.last;
        }
    }

    /**
     * Checks a pod after an attempt.
     *
     * @param decision the decision of the attempt
     * @param scheduler the scheduler that tried the pod
     * @throws StalledException if the pod was tried too often without progress
     */
    public synchronized void check(Decision decision, Scheduler scheduler) {
        Pod pod = decision.pod();
        Attempts attempts = attemptsByUid.get(pod.uid());
        if (attempts == null || attempts.last - attempts.firstAtOnce < MOST_ATTEMPTS) {
            return;
        }
        throw new StalledException("no progress: pod " + pod.key() + " was tried " + MOST_ATTEMPTS
                + " times in a row, since " + cause(pod, scheduler) + ". Last result: " + result(decision));
    }

    private String cause(Pod pod, Scheduler scheduler) {
        String activator = activatorByUid.get(pod.uid());
        if (activator != null) {
            return "plugin " + activator + " activates it after each attempt";
        }
        List<String> rejectors = scheduler
                .podState(pod.namespace(), pod.name())
                .flatMap(PodState::queued)
                .map(PodState.Queued::rejectors)
                .orElse(List.of());
        return rejectors.isEmpty()
                ? "each attempt fails and it has no backoff"
                : "each attempt is followed by an event that plugin " + String.join(", ", rejectors) + " waits for";
    }

    private static String result(Decision decision) {
        return decision.nodeName().isEmpty() ? decision.message() : "scheduled to " + decision.nodeName();
    }
}
