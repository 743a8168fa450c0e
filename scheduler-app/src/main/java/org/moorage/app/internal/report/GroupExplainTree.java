// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.TreeMap;
import org.moorage.api.model.Pod;
import org.moorage.api.model.ResourceName;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.decision.GroupEvaluation.Attempt;
import org.moorage.runtime.decision.GroupEvaluation.Best;
import org.moorage.runtime.decision.GroupEvaluation.Member;
import org.moorage.runtime.decision.GroupEvaluation.Placement;
import org.moorage.runtime.decision.GroupEvaluation.Stop;
import org.moorage.simulation.GroupExplanation;

/** What a {@link GroupExplainReport} says, for programs: with every placement, pod and node. */
final class GroupExplainTree {
    private GroupExplainTree() {}

    static ObjectNode of(GroupExplanation explanation, List<String> notes) {
        GroupEvaluation evaluation = explanation.evaluation();
        ObjectNode tree = JsonNodeFactory.instance
                .objectNode()
                .put("kind", GroupTable.kind(evaluation.group()))
                .put(
                        "group",
                        evaluation.group().namespace() + "/"
                                + evaluation.group().name());
        tree.put(
                "moment",
                switch (explanation.moment()) {
                    case TURN -> "turn";
                    case END -> "end";
                    case NOW -> "now";
                });
        tree.put("attempts", explanation.attempts());
        tree.put("podsBefore", explanation.podsBefore());
        explanation.outcome().ifPresent(outcome -> tree.set("outcome", GroupTable.tree(outcome)));
        tree.put("fits", evaluation.fits());
        tree.put("message", evaluation.message());
        notes.forEach(tree.putArray("notes")::add);
        evaluation.pods().forEach(keysOf(tree.putArray("pods"))::add);
        evaluation.attempt().ifPresent(attempt -> tree.set("attempt", tree(attempt)));
        evaluation
                .postFilter()
                .ifPresent(answer -> tree.putObject("postFilter")
                        .put("plugin", answer.plugin())
                        .put("code", answer.status().code().toString())
                        .put("message", answer.status().message()));
        evaluation.victims().forEach(keysOf(tree.putArray("victims"))::add);
        return tree;
    }

    /** Adds pods to an array by their keys. */
    private interface Keys {
        void add(Pod pod);
    }

    private static Keys keysOf(ArrayNode array) {
        return pod -> array.add(pod.key());
    }

    private static ObjectNode tree(Attempt attempt) {
        ObjectNode tree = JsonNodeFactory.instance
                .objectNode()
                .put("kind", GroupTable.kind(attempt.group()))
                .put(
                        "group",
                        attempt.group().namespace() + "/" + attempt.group().name())
                .put("needed", attempt.needed())
                .put("placedBefore", attempt.placedBefore())
                .put("missing", attempt.missing())
                .put("fits", attempt.fits())
                .put("message", attempt.message());
        ArrayNode placements = tree.putArray("placements");
        attempt.placements().forEach(placement -> placements.add(tree(placement)));
        attempt.best().ifPresent(best -> tree.set("best", tree(best)));
        return tree;
    }

    private static ObjectNode tree(Placement placement) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("placement", placement.name())
                .put("nodes", placement.nodes())
                .put("placed", placement.placed())
                .put("pods", placement.pods())
                .put("fits", placement.fits())
                .put("message", placement.message());
    }

    private static ObjectNode tree(Best best) {
        ObjectNode tree = JsonNodeFactory.instance
                .objectNode()
                .put("placement", best.placement().name());
        ArrayNode members = tree.putArray("members");
        for (Member member : best.members()) {
            members.addObject()
                    .put("pod", member.pod().key())
                    .put("node", member.nodeName())
                    .put("message", member.message());
        }
        ArrayNode children = tree.putArray("children");
        best.children().forEach(child -> children.add(tree(child)));
        best.stop().ifPresent(stop -> tree.set("stop", tree(stop)));
        return tree;
    }

    private static ObjectNode tree(Stop stop) {
        ObjectNode tree = JsonNodeFactory.instance
                .objectNode()
                .put("pod", stop.pod().key())
                .put("message", stop.message());
        stop.preFilterRejection()
                .ifPresent(rejection -> tree.putObject("preFilter")
                        .put("plugin", rejection.plugin())
                        .put("code", rejection.status().code().toString())
                        .put("message", rejection.status().message()));
        RejectedNodes.putAll(tree.putArray("rejections"), RejectedNodes.of(stop.objections()));
        ArrayNode free = tree.putArray("free");
        new TreeMap<>(stop.free()).forEach((node, left) -> {
            ObjectNode amounts = free.addObject().put("node", node).putObject("resources");
            for (ResourceName name : AmountFormat.names(stop.pod().spec().requests())) {
                amounts.put(AmountFormat.key(name), left.amount(name));
            }
        });
        return tree;
    }
}
