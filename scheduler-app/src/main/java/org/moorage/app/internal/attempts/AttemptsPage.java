// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.attempts;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.moorage.api.event.ActionType;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.answer.PodChange;
import org.moorage.app.internal.attempts.AttemptsAnswer.Gate;
import org.moorage.app.internal.attempts.AttemptsAnswer.Now;
import org.moorage.app.internal.attempts.AttemptsAnswer.PastAttempt;
import org.moorage.app.internal.attempts.AttemptsAnswer.Permit;
import org.moorage.app.internal.attempts.AttemptsAnswer.Queue;
import org.moorage.app.internal.attempts.AttemptsAnswer.Rejector;
import org.moorage.app.internal.attempts.AttemptsAnswer.Room;
import org.moorage.app.internal.attempts.AttemptsAnswer.Score;
import org.moorage.app.internal.page.ShownCluster;
import org.moorage.app.internal.report.AnswerJson;
import org.moorage.app.internal.serving.Page;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.whatif.FittingChanges;

/**
 * A page that shows why a pod is pending, and the last attempts to schedule it, or those of a group:
 * {@code ?pod=NAMESPACE/NAME} or {@code ?group=podgroup/NAMESPACE/NAME}. With {@code &now=true} it also evaluates a
 * pending pod now and lists changes that would make it fit, which takes many evaluations of each node.
 */
public final class AttemptsPage implements Page {
    /** The path of the page. */
    public static final String PATH = "/debug/attempts";

    private static final int MOST_VICTIMS = 10;
    private static final String ALL_UPDATES =
            ActionType.UPDATE.stream().map(ActionType::toString).collect(Collectors.joining("|"));

    private final Scheduler scheduler;
    private final Optional<KeptAttempts> kept;

    /**
     * The page of a scheduler.
     *
     * @param kept its attempts; empty if none are kept
     */
    public AttemptsPage(Scheduler scheduler, Optional<KeptAttempts> kept) {
        this.scheduler = scheduler;
        this.kept = kept;
    }

    @Override
    public Reply reply(Query query) {
        Optional<String> pod = query.value("pod");
        Optional<String> group = query.value("group");
        if (pod.isPresent()) {
            return ofPod(pod.get(), query.value("now").equals(Optional.of("true")));
        }
        if (group.isPresent()) {
            List<PastAttempt> attempts = attempts(group.get());
            return attempts.isEmpty()
                    ? Reply.text(404, "group " + group.get() + ": no attempts are kept\n")
                    : json(AttemptsAnswer.ofGroup(group.get(), keptAttempts(), attempts));
        }
        return Reply.text(
                400,
                "nothing is asked (expected: " + PATH + "?pod=NAMESPACE/NAME or " + PATH
                        + "?group=podgroup/NAMESPACE/NAME)\n");
    }

    private static Reply json(AttemptsAnswer answer) {
        return Reply.json(200, AnswerJson.line(answer));
    }

    private int keptAttempts() {
        return kept.map(KeptAttempts::mostPerPod).orElse(0);
    }

    private List<PastAttempt> attempts(String key) {
        return kept.map(known -> known.of(key)).orElse(List.of()).stream()
                .map(AttemptsPage::past)
                .toList();
    }

    private Reply ofPod(String key, boolean now) {
        int slash = key.indexOf('/');
        String namespace = slash < 0 ? "default" : key.substring(0, slash);
        String pod = namespace + "/" + key.substring(slash + 1);
        Optional<PodState> state = scheduler.podState(namespace, key.substring(slash + 1));
        List<PastAttempt> attempts = attempts(pod);
        if (state.isEmpty()) {
            return attempts.isEmpty()
                    ? Reply.text(404, "pod " + pod + ": the scheduler knows no such pod\n")
                    : json(AttemptsAnswer.ofGonePod(pod, keptAttempts(), attempts));
        }
        return json(answer(state.get(), attempts, now));
    }

    private AttemptsAnswer answer(PodState state, List<PastAttempt> attempts, boolean now) {
        Pod pod = state.pod();
        String group = pod.spec().podGroupName();
        return new AttemptsAnswer(
                Optional.of(pod.key()),
                Optional.empty(),
                Optional.of(AnswerJson.name(state.place())),
                Optional.of(pod.uid()),
                Optional.of(pod.spec().schedulerName()),
                Optional.of(pod.nodeName()),
                Optional.of(pod.status().nominatedNodeName()),
                Optional.of(group),
                state.queued().map(AttemptsPage::queue),
                Optional.of(state.permits().entrySet().stream()
                        .map(permit ->
                                new Permit(permit.getKey(), permit.getValue().toSeconds()))
                        .toList()),
                group.isEmpty() ? Optional.empty() : Optional.of(attempts("podgroup/" + pod.namespace() + "/" + group)),
                keptAttempts(),
                attempts,
                now && state.place() == PodState.Place.QUEUED ? Optional.of(now(pod)) : Optional.empty());
    }

    private static Queue queue(PodState.Queued queued) {
        return new Queue(
                queued.in(),
                seconds(queued.since()),
                queued.attempts(),
                seconds(queued.backoffLeft()),
                queued.gate().map(gate -> new Gate(gate.plugin(), gate.status().message())),
                queued.rejectors().stream()
                        .map(plugin -> new Rejector(
                                plugin,
                                queued.eventsByPlugin().getOrDefault(plugin, List.of()).stream()
                                        .map(event -> event.replace(ALL_UPDATES, "Update"))
                                        .toList()))
                        .toList());
    }

    private static double seconds(Duration duration) {
        return Math.max(0, duration.toMillis()) / 1000.0;
    }

    private static PastAttempt past(Attempt attempt) {
        return new PastAttempt(
                text(attempt.last()),
                text(attempt.first()),
                attempt.times(),
                attempt.number(),
                attempt.result(),
                attempt.nodeName(),
                attempt.message(),
                attempt.evaluatedNodes(),
                attempt.feasibleNodes(),
                attempt.reasons(),
                attempt.best().stream()
                        .map(total -> new Score(total.nodeName(), total.total()))
                        .toList(),
                attempt.postFilter(),
                attempt.nominatedNode());
    }

    private static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private Now now(Pod pod) {
        try {
            Evaluation evaluation = scheduler.evaluate(pod.withoutNode());
            Optional<Changes> changes = evaluation.fits() ? Optional.empty() : Optional.of(changes(evaluation));
            return new Now(
                    Optional.of(evaluation.nodeCount()),
                    Optional.of(evaluation.feasible().size()),
                    Optional.of(evaluation.message()),
                    evaluation
                            .preemption()
                            .map(preemption -> new Room(
                                    preemption.nodeName(),
                                    preemption.victims().size(),
                                    preemption.victims().stream()
                                            .limit(MOST_VICTIMS)
                                            .map(Pod::key)
                                            .toList())),
                    changes.flatMap(Changes::found),
                    changes.flatMap(Changes::isComplete),
                    changes.flatMap(Changes::error),
                    Optional.empty());
        } catch (RuntimeException failure) {
            // A plugin's failure is an answer about the pod, and no failure of the page.
            return Now.failed(Thrown.text(failure));
        }
    }

    /** Changes that make a pod fit, or the reason why they could not be tried. */
    private record Changes(
            Optional<List<PodChange.Short>> found, Optional<Boolean> isComplete, Optional<String> error) {}

    // Uses separate plugin instances, so that the scheduler's plugins are not delayed.
    private Changes changes(Evaluation evaluation) {
        List<Node> nodes = scheduler.dump().nodes().stream()
                .flatMap(cached -> cached.node().stream())
                .toList();
        try (WhatIf cluster = scheduler.whatIf();
                Transaction now = cluster.begin()) {
            FittingChanges changes = new FittingChanges(now, nodes, evaluation).within(ShownCluster.LONGEST_CHANGES);
            List<PodChange.Short> found = PodChange.inShort(changes.all());
            return new Changes(Optional.of(found), Optional.of(changes.isComplete()), Optional.empty());
        } catch (RuntimeException failure) {
            // A plugin cannot be created a second time, or fails; the evaluation stays valid.
            return new Changes(Optional.empty(), Optional.empty(), Optional.of(Thrown.text(failure)));
        }
    }
}
