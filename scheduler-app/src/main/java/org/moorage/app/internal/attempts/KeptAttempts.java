// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.attempts;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.runtime.metrics.SchedulerListener;

/**
 * A store of the last attempts at each pod and group that merges consecutive attempts with the same result. Over the
 * limits it drops the entries whose last attempt is oldest. Safe for use by several threads.
 */
public final class KeptAttempts implements SchedulerListener {
    private static final int MOST_PODS = 20_000;
    private static final long MOST_BYTES = 64L << 20;
    private static final int MOST_REASONS = 20;
    private static final int LONGEST_MESSAGE = 2_048;
    private static final int LONGEST_REASON = 300;
    /**
     * The maximum number of undecided attempts; one that ends without a decision leaves its details behind.
     */
    private static final int MOST_PENDING = 1_000;

    private static final AttemptDetails NO_DETAILS = new AttemptDetails(List.of(), List.of(), Optional.empty(), "");

    private final int mostPerPod;
    private final int mostPods;
    private final long mostBytes;
    private final InstantSource clock;

    /** The details of attempts that are not decided yet, by the pod's uid. */
    @GuardedBy("this")
    private final Map<String, AttemptDetails> pending = new LinkedHashMap<>();

    /** The attempts by the key of the pod or group, the most recently tried last. */
    @GuardedBy("this")
    private final Map<String, Tried> triedByKey = new LinkedHashMap<>();

    @GuardedBy("this")
    private long bytes;

    /** The attempts at a pod or group, the last one first. */
    private static final class Tried {
        private final String uid;
        private final Deque<Attempt> attempts = new ArrayDeque<>();

        Tried(String uid) {
            this.uid = uid;
        }
    }

    /**
     * Creates a store with a number of attempts per pod.
     *
     * @param mostPerPod more than 0
     * @param clock the time of day
     */
    public KeptAttempts(int mostPerPod, InstantSource clock) {
        this(mostPerPod, MOST_PODS, MOST_BYTES, clock);
    }

    KeptAttempts(int mostPerPod, int mostPods, long mostBytes, InstantSource clock) {
        this.mostPerPod = mostPerPod;
        this.mostPods = mostPods;
        this.mostBytes = mostBytes;
        this.clock = clock;
    }

    @Override
    public boolean takesDetails() {
        return true;
    }

    @Override
    public synchronized void explained(Pod pod, AttemptDetails details) {
        if (pending.size() >= MOST_PENDING) {
            pending.clear();
        }
        pending.put(pod.uid(), details);
    }

    @Override
    public void decided(Decision decision) {
        Instant now = clock.instant();
        synchronized (this) {
            AttemptDetails told = pending.remove(decision.pod().uid());
            AttemptDetails details = told == null ? NO_DETAILS : told;
            add(
                    decision.pod().key(),
                    decision.pod().uid(),
                    new Attempt(
                            now,
                            now,
                            1,
                            decision.attempts(),
                            result(decision, details),
                            decision.nodeName(),
                            cut(decision.message(), LONGEST_MESSAGE),
                            decision.evaluatedNodes(),
                            decision.feasibleNodes(),
                            cut(details.reasons()),
                            details.best(),
                            details.postFilter().map(KeptAttempts::text),
                            details.nominatedNode()));
        }
    }

    private static String text(PluginStatus answer) {
        return cut(
                answer.isSuccess()
                        ? answer.plugin() + " makes room"
                        : answer.status().message(),
                LONGEST_REASON);
    }

    private static Attempt.Result result(Decision decision, AttemptDetails details) {
        return switch (decision.outcome()) {
            case SCHEDULED -> Attempt.Result.SCHEDULED;
            case UNSCHEDULABLE ->
                details.nominatedNode().isEmpty() ? Attempt.Result.UNSCHEDULABLE : Attempt.Result.NOMINATED;
            case ERROR -> Attempt.Result.ERROR;
        };
    }

    private static List<NodeReason> cut(List<NodeReason> reasons) {
        if (reasons.isEmpty()) {
            return reasons;
        }
        List<NodeReason> kept = new ArrayList<>();
        for (NodeReason reason : reasons.subList(0, Math.min(MOST_REASONS, reasons.size()))) {
            kept.add(new NodeReason(
                    reason.plugin(), cut(reason.reason(), LONGEST_REASON), reason.nodes(), reason.examples()));
        }
        return kept;
    }

    private static String cut(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest) + "…";
    }

    @Override
    public synchronized void bindingFailed(Pod pod, String nodeName, String message) {
        Tried tried = triedByKey.get(pod.key());
        if (tried == null || !tried.uid.equals(pod.uid())) {
            return;
        }
        Attempt last = tried.attempts.peekFirst();
        if (last == null
                || last.result() != Attempt.Result.SCHEDULED
                || !last.nodeName().equals(nodeName)) {
            return;
        }
        tried.attempts.removeFirst();
        bytes -= last.bytes();
        put(tried, last.bindingFailed(cut(message, LONGEST_MESSAGE)));
    }

    @Override
    public synchronized void groupDecided(GroupKey group, String result, String message) {
        Instant now = clock.instant();
        Attempt.Result ended = switch (result) {
            case "scheduled" -> Attempt.Result.SCHEDULED;
            case "waiting_on_preemption" -> Attempt.Result.NOMINATED;
            case "unschedulable" -> Attempt.Result.UNSCHEDULABLE;
            default -> Attempt.Result.ERROR;
        };
        add(
                group.toString(),
                "",
                new Attempt(
                        now,
                        now,
                        1,
                        0,
                        ended,
                        "",
                        cut(message, LONGEST_MESSAGE),
                        0,
                        0,
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        ""));
    }

    @GuardedBy("this")
    private void add(String key, String uid, Attempt attempt) {
        Tried tried = triedByKey.remove(key);
        if (tried != null && !tried.uid.equals(uid)) {
            forget(tried);
            tried = null;
        }
        Tried current = tried == null ? new Tried(uid) : tried;
        triedByKey.put(key, current);
        put(current, attempt);
        Iterator<Tried> oldest = triedByKey.values().iterator();
        while (triedByKey.size() > mostPods || bytes > mostBytes && triedByKey.size() > 1) {
            forget(oldest.next());
            oldest.remove();
        }
    }

    @GuardedBy("this")
    private void put(Tried tried, Attempt attempt) {
        Attempt before = tried.attempts.peekFirst();
        Attempt newest = attempt;
        if (before != null && attempt.isLike(before)) {
            tried.attempts.removeFirst();
            bytes -= before.bytes();
            newest = attempt.after(before);
        }
        tried.attempts.addFirst(newest);
        bytes += newest.bytes();
        if (tried.attempts.size() > mostPerPod) {
            bytes -= tried.attempts.removeLast().bytes();
        }
    }

    @GuardedBy("this")
    private void forget(Tried tried) {
        tried.attempts.forEach(attempt -> bytes -= attempt.bytes());
    }

    /** Returns how many attempts are kept at each pod. */
    int mostPerPod() {
        return mostPerPod;
    }

    /** The attempts at a pod, by its namespace, a slash and its name, or at a group; the last one first. */
    synchronized List<Attempt> of(String key) {
        @Nullable Tried tried = triedByKey.get(key);
        return tried == null ? List.of() : List.copyOf(tried.attempts);
    }

    /** How many pods and groups there are attempts of, and about how many bytes these take. */
    synchronized String size() {
        return triedByKey.size() + " pods and groups, " + bytes + " bytes";
    }
}
