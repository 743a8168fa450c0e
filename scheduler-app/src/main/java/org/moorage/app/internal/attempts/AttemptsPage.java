// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.attempts;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.moorage.api.event.ActionType;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.page.ShownCluster;
import org.moorage.app.internal.report.FittingChangeRows;
import org.moorage.app.internal.serving.Page;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.debug.PodState;
import org.moorage.runtime.decision.AttemptDetails.NodeReason;
import org.moorage.runtime.decision.AttemptDetails.NodeTotal;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;
import org.moorage.simulation.whatif.FittingChange;
import org.moorage.simulation.whatif.FittingChanges;

/**
 * Shows what a pod waits for, and the last attempts at it, or those at a group: {@code ?pod=NAMESPACE/NAME} or {@code
 * ?group=podgroup/NAMESPACE/NAME}. With {@code &now=true} also what an attempt at a pod that waits would find now, and what would make the
 * pod fit, which takes many looks at each node.
 */
public final class AttemptsPage implements Page {
    /** Where it is. */
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
            List<Attempt> attempts = attempts(group.get());
            return attempts.isEmpty()
                    ? Reply.text(404, "group " + group.get() + ": no attempts are kept\n")
                    : Reply.json(200, ofGroup(group.get(), attempts).toString());
        }
        return Reply.text(
                400,
                "nothing is asked (expected: " + PATH + "?pod=NAMESPACE/NAME or " + PATH
                        + "?group=podgroup/NAMESPACE/NAME)\n");
    }

    private List<Attempt> attempts(String key) {
        return kept.map(known -> known.of(key)).orElse(List.of());
    }

    private ObjectNode ofGroup(String key, List<Attempt> attempts) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("group", key);
        return withAttempts(tree, attempts);
    }

    private ObjectNode withAttempts(ObjectNode tree, List<Attempt> attempts) {
        tree.put("keptAttempts", kept.map(KeptAttempts::mostPerPod).orElse(0));
        ArrayNode all = tree.putArray("attempts");
        attempts.forEach(attempt -> all.add(tree(attempt)));
        return tree;
    }

    private Reply ofPod(String key, boolean now) {
        int slash = key.indexOf('/');
        String namespace = slash < 0 ? "default" : key.substring(0, slash);
        String name = key.substring(slash + 1);
        Optional<PodState> state = scheduler.podState(namespace, name);
        List<Attempt> attempts = attempts(namespace + "/" + name);
        if (state.isEmpty() && attempts.isEmpty()) {
            return Reply.text(404, "pod " + namespace + "/" + name + ": the scheduler knows no such pod\n");
        }
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("pod", namespace + "/" + name);
        state.ifPresentOrElse(known -> addState(tree, known), () -> tree.put("state", "gone"));
        withAttempts(tree, attempts);
        if (now && state.isPresent() && state.get().place() == PodState.Place.QUEUED) {
            tree.set("now", now(state.get().pod()));
        }
        return Reply.json(200, tree.toString());
    }

    private void addState(ObjectNode tree, PodState state) {
        Pod pod = state.pod();
        tree.put("uid", pod.uid());
        tree.put("scheduler", pod.spec().schedulerName());
        tree.put("state", name(state.place()));
        tree.put("node", pod.nodeName());
        tree.put("nominatedNode", pod.status().nominatedNodeName());
        tree.put("podGroup", pod.spec().podGroupName());
        state.queued().ifPresent(queued -> tree.set("queue", tree(queued)));
        ArrayNode permits = tree.putArray("permits");
        state.permits()
                .forEach((plugin, left) ->
                        permits.addObject().put("plugin", plugin).put("atMostSeconds", left.toSeconds()));
        String group = pod.spec().podGroupName();
        if (!group.isEmpty()) {
            ArrayNode all = tree.putArray("groupAttempts");
            attempts("podgroup/" + pod.namespace() + "/" + group).forEach(attempt -> all.add(tree(attempt)));
        }
    }

    private static String name(PodState.Place place) {
        return switch (place) {
            case BOUND -> "bound";
            case ENDED -> "ended";
            case OTHER_SCHEDULER -> "otherScheduler";
            case QUEUED -> "queued";
            case IN_FLIGHT -> "inFlight";
            case WAITING_FOR_PERMIT -> "waitingForPermit";
            case ELSEWHERE -> "elsewhere";
        };
    }

    private static ObjectNode tree(PodState.Queued queued) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("in", queued.in());
        tree.put("forSeconds", seconds(queued.since()));
        tree.put("attempts", queued.attempts());
        tree.put("backoffSeconds", seconds(queued.backoffLeft()));
        queued.gate()
                .ifPresent(gate -> tree.putObject("gate")
                        .put("plugin", gate.plugin())
                        .put("message", gate.status().message()));
        ArrayNode rejectors = tree.putArray("rejectedBy");
        for (String plugin : queued.rejectors()) {
            ArrayNode events = rejectors.addObject().put("plugin", plugin).putArray("movedBy");
            for (String event : queued.eventsByPlugin().getOrDefault(plugin, List.of())) {
                events.add(event.replace(ALL_UPDATES, "Update"));
            }
        }
        return tree;
    }

    private static double seconds(Duration duration) {
        return Math.max(0, duration.toMillis()) / 1000.0;
    }

    private static ObjectNode tree(Attempt attempt) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.put("at", text(attempt.last()));
        tree.put("firstAt", text(attempt.first()));
        tree.put("times", attempt.times());
        tree.put("number", attempt.number());
        tree.put("result", attempt.result().toString());
        tree.put("node", attempt.nodeName());
        tree.put("message", attempt.message());
        tree.put("evaluatedNodes", attempt.evaluatedNodes());
        tree.put("feasibleNodes", attempt.feasibleNodes());
        ArrayNode reasons = tree.putArray("reasons");
        for (NodeReason reason : attempt.reasons()) {
            ArrayNode examples = reasons.addObject()
                    .put("plugin", reason.plugin())
                    .put("reason", reason.reason())
                    .put("nodes", reason.nodes())
                    .putArray("examples");
            reason.examples().forEach(examples::add);
        }
        ArrayNode best = tree.putArray("best");
        for (NodeTotal total : attempt.best()) {
            best.addObject().put("node", total.nodeName()).put("score", total.total());
        }
        attempt.postFilter().ifPresent(answer -> tree.put("postFilter", answer));
        tree.put("nominatedNode", attempt.nominatedNode());
        return tree;
    }

    private static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private ObjectNode now(Pod pod) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        try {
            Evaluation evaluation = scheduler.evaluate(pod.withoutNode());
            tree.put("nodes", evaluation.nodeCount());
            tree.put("feasibleNodes", evaluation.feasible().size());
            tree.put("message", evaluation.message());
            evaluation.preemption().ifPresent(preemption -> {
                ObjectNode room = tree.putObject("preemption").put("node", preemption.nodeName());
                room.put("victims", preemption.victims().size());
                ArrayNode examples = room.putArray("examples");
                preemption.victims().stream().limit(MOST_VICTIMS).forEach(victim -> examples.add(victim.key()));
            });
            if (!evaluation.fits()) {
                addChanges(tree, evaluation);
            }
        } catch (RuntimeException failure) {
            // A plugin's failure says something about the pod, and nothing about the page.
            tree.put("error", Thrown.text(failure));
        }
        return tree;
    }

    // By plugins of their own, which do not hold up the scheduler's.
    private void addChanges(ObjectNode tree, Evaluation evaluation) {
        List<Node> nodes = scheduler.dump().nodes().stream()
                .flatMap(cached -> cached.node().stream())
                .toList();
        try (WhatIf cluster = scheduler.whatIf();
                Transaction now = cluster.begin()) {
            FittingChanges changes = new FittingChanges(now, nodes, evaluation).within(ShownCluster.LONGEST_CHANGES);
            List<FittingChange> found = changes.all();
            FittingChangeRows.putCounts(tree.putArray("changes"), found);
            tree.put("changesComplete", changes.isComplete());
        } catch (RuntimeException failure) {
            // A plugin that cannot be made once more, or fails; what it says now is known all the same.
            tree.put("changesError", Thrown.text(failure));
        }
    }
}
