// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.HintEvaluation.PluginHint;
import org.moorage.runtime.internal.queue.QueueingHintMap.QueueingHintFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges what an event means for rejected pods: of the plugins that rejected a pod, those that registered the event are
 * asked whether it helps.
 *
 * <p>Judges only, and changes no pod. Guarded by the queue's lock, {@link #isAwaited} and {@link #hints} excepted.
 */
final class QueueingHints {
    private static final Logger LOG = LoggerFactory.getLogger(QueueingHints.class);

    private final QueueingHintMap interests;
    private final QueueObserver observer;

    /** A parked pod that an event wakes. */
    record Woken(QueuedPodInfo entry, QueueingStrategy verdict) {}

    QueueingHints(Map<String, QueueProfile> profiles, QueueObserver observer) {
        interests = new QueueingHintMap(profiles);
        this.observer = observer;
    }

    /** Whether a plugin of any profile registered the event. May be asked from any thread. */
    boolean isAwaited(ClusterEvent event) {
        return interests.any(event);
    }

    /** The parked pods that what happened wakes, in the order of their groups and of their coming. */
    List<Woken> woken(UnschedulablePods parked, QueueEvent happening, Predicate<QueuedPodInfo> only) {
        List<Woken> woken = new ArrayList<>();
        for (UnschedulablePods.GroupKey cause : parked.causes()) {
            wake(parked, cause, happening, only, woken);
        }
        return woken;
    }

    private void wake(
            UnschedulablePods parked,
            UnschedulablePods.GroupKey cause,
            QueueEvent happening,
            Predicate<QueuedPodInfo> only,
            List<Woken> woken) {
        ClusterEvent event = happening.event();
        if (cause.isGate() && !interests.isOf(cause.profile(), cause.gatedBy(), event)) {
            return;
        }
        List<QueueingHintFunction> asked = interests.of(cause.profile(), cause.rejectors(), event);
        if (asked.isEmpty() && !event.isWildcard()) {
            return;
        }
        for (QueuedPodInfo entry : parked.of(cause)) {
            if (only.test(entry)) {
                QueueingStrategy verdict = verdict(entry, happening, asked);
                if (verdict != QueueingStrategy.QUEUE_SKIP) {
                    woken.add(new Woken(entry, verdict));
                }
            }
        }
    }

    /** The most urgent verdict of those on all that happened. */
    QueueingStrategy verdict(QueuedPodInfo entry, List<QueueEvent> happenings) {
        QueueingStrategy highest = QueueingStrategy.QUEUE_SKIP;
        for (QueueEvent happening : happenings) {
            QueueingStrategy verdict = verdict(entry, happening);
            highest = verdict.compareTo(highest) > 0 ? verdict : highest;
            if (isHighestFor(entry, highest)) {
                break;
            }
        }
        return highest;
    }

    QueueingStrategy verdict(QueuedPodInfo entry, QueueEvent happening) {
        return verdict(
                entry,
                happening,
                interests.of(entry.pod().spec().schedulerName(), entry.rejectors(), happening.event()));
    }

    private QueueingStrategy verdict(QueuedPodInfo entry, QueueEvent happening, List<QueueingHintFunction> asked) {
        ObjectChange<Object> change = happening.change();
        if (change == null || happening.event().isWildcard()) {
            return happening.isMeantFor(entry) ? QueueingStrategy.QUEUE_AFTER_BACKOFF : QueueingStrategy.QUEUE_SKIP;
        }
        QueueingStrategy highest = QueueingStrategy.QUEUE_SKIP;
        for (int i = 0; i < asked.size() && !isHighestFor(entry, highest); i++) {
            QueueingHintFunction interest = asked.get(i);
            if (ask(interest, entry.pod(), happening.event(), change) == Hint.QUEUE) {
                highest = entry.rejectors().pending().contains(interest.plugin())
                        ? QueueingStrategy.QUEUE_IMMEDIATELY
                        : QueueingStrategy.QUEUE_AFTER_BACKOFF;
            }
        }
        return highest;
    }

    // Only a plugin whose verdict was pending can spare a pod the backoff.
    private static boolean isHighestFor(QueuedPodInfo entry, QueueingStrategy verdict) {
        return verdict == QueueingStrategy.QUEUE_IMMEDIATELY
                || verdict == QueueingStrategy.QUEUE_AFTER_BACKOFF
                        && entry.rejectors().pending().isEmpty();
    }

    /** What the plugins of the pod's profile that registered the event say to it. May be asked from any thread. */
    List<PluginHint> hints(Pod pod, ClusterEvent event, ObjectChange<Object> change) {
        List<PluginHint> hints = new ArrayList<>();
        for (QueueingHintFunction interest : interests.of(pod.spec().schedulerName(), event)) {
            hints.add(
                    new PluginHint(interest.plugin(), event, interest.registered(), ask(interest, pod, event, change)));
        }
        return hints;
    }

    private Hint ask(QueueingHintFunction interest, Pod pod, ClusterEvent event, ObjectChange<Object> change) {
        long start = System.nanoTime();
        Hint hint = Hint.QUEUE;
        String result = QueueObserver.HINT_ERROR;
        try {
            hint = Objects.requireNonNull(interest.hint().hint(pod, change), "hint");
            result = hint.toString();
        } catch (RuntimeException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue("plugin", interest.plugin())
                    .addKeyValue("event", event)
                    .addKeyValue("pod", pod)
                    .log("Queueing hint failed; the pod is tried again");
        }
        observer.hinted(interest.plugin(), event, result, System.nanoTime() - start);
        return hint;
    }
}
