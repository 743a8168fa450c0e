// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.api.model.Pod;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.HowMany;
import org.moorage.runtime.whatif.PlacedPods;
import org.moorage.runtime.whatif.Transaction;
import org.moorage.runtime.whatif.WhatIf;

/**
 * Answers the questions of a file, like {@code testing/benchmarks/whatif/main.go}. Pods are identified by namespace and
 * name.
 */
final class WhatIfAnswers {
    private final JsonMapper json = JsonMapper.builder().build();
    private final WhatIf cluster;
    private final Map<String, Pod> podByKey = new HashMap<>();

    WhatIfAnswers(WhatIf cluster, List<Pod> pods) {
        this.cluster = cluster;
        pods.forEach(pod -> podByKey.put(pod.key(), pod));
    }

    /** Returns the answer, in JSON like the question. */
    String answer(String question) throws JsonProcessingException {
        JsonNode asked = json.readTree(question);
        String kind = asked.path("question").asText();
        ObjectNode answer = switch (kind) {
            case "fits" -> fits(pending(asked.path("pod").asText(), 0));
            case "howmany" ->
                placed(howMany(asked.path("pod").asText(), asked.path("max").asInt()));
            case "place" -> placed(place(asked));
            case "check" -> check(asked);
            default -> throw new IllegalArgumentException("\"" + kind + "\" (expected: fits, howmany, place or check)");
        };
        return answer.toString();
    }

    private ObjectNode fits(Pod pod) {
        Fit fit = cluster.fits(pod);
        ObjectNode answer = json.createObjectNode();
        if (fit.fits()) {
            ArrayNode feasible = answer.putArray("feasible");
            fit.feasible().stream().sorted().forEach(feasible::add);
        }
        if (!fit.rejections().isEmpty()) {
            ObjectNode whyNot = answer.putObject("whyNot");
            new TreeMap<>(fit.rejections())
                    .forEach((node, rejection) ->
                            whyNot.put(node, rejection.status().message()));
        }
        return answer;
    }

    /** Returns the node of each pod, which the count does not contain. */
    private List<String> howMany(String key, int most) {
        HowMany many = cluster.howMany(pending(key, 0), most);
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < many.count(); i++) {
            pods.add(pending(key, i));
        }
        List<String> placed = nodes(cluster.place(pods));
        Map<String, Integer> byNode = new HashMap<>();
        placed.forEach(node -> byNode.merge(node, 1, Integer::sum));
        if (!byNode.equals(many.byNode())) {
            throw new IllegalStateException(
                    "howMany: " + many.byNode() + " (expected: as when placed one by one: " + byNode + ")");
        }
        return placed;
    }

    private List<String> place(JsonNode asked) {
        try (Transaction transaction = begin(asked)) {
            return nodes(transaction.place(pods(asked)));
        }
    }

    /** Places each pod on its given node, and reports the pods for which that node is not feasible. */
    private ObjectNode check(JsonNode asked) {
        List<Pod> pods = pods(asked);
        List<String> on = texts(asked, "on");
        ObjectNode refused = json.createObjectNode();
        try (Transaction transaction = begin(asked)) {
            for (int i = 0; i < pods.size(); i++) {
                Fit fit = transaction.fits(pods.get(i));
                String node = on.get(i);
                if (fit.feasible().contains(node)) {
                    transaction.with(pods.get(i).withNode(node));
                } else if (!node.isEmpty()) {
                    refused.put(
                            "" + i,
                            fit.whyNot(node)
                                    .map(rejection -> rejection.status().message())
                                    .orElse(fit.message()));
                } else if (fit.fits()) {
                    refused.put("" + i, "fits " + fit.feasible().get(0));
                }
            }
        }
        ObjectNode answer = json.createObjectNode();
        if (!refused.isEmpty()) {
            answer.set("refused", refused);
        }
        return answer;
    }

    private Transaction begin(JsonNode asked) {
        Transaction transaction = cluster.begin();
        transaction.evict(texts(asked, "evict").stream().map(podByKey::get).toList());
        List<String> without = texts(asked, "without");
        if (!without.isEmpty()) {
            Set<String> others = new LinkedHashSet<>(cluster.nodeNames());
            without.forEach(others::remove);
            transaction.among(others);
        }
        return transaction;
    }

    private List<Pod> pods(JsonNode asked) {
        List<Pod> pods = new ArrayList<>();
        for (String key : texts(asked, "pods")) {
            pods.add(pending(key, pods.size()));
        }
        return pods;
    }

    /** Returns a copy of a pod without its node; each number makes a different pod. */
    private Pod pending(String key, int number) {
        Pod pod = podByKey.get(key);
        if (pod == null) {
            throw new IllegalArgumentException("pod: \"" + key + "\" (expected: a pod of the file)");
        }
        return pod.withoutNode()
                .withMetadata(pod.metadata().toBuilder(pod.name() + "-" + number)
                        .uid("asked-" + number)
                        .build());
    }

    private static List<String> texts(JsonNode asked, String field) {
        List<String> texts = new ArrayList<>();
        asked.path(field).forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static List<String> nodes(PlacedPods placement) {
        return placement.pods().stream().map(pod -> pod.nodeName().orElse("")).toList();
    }

    private ObjectNode placed(List<String> nodes) {
        ObjectNode answer = json.createObjectNode();
        if (!nodes.isEmpty()) {
            ArrayNode placed = answer.putArray("placed");
            nodes.forEach(placed::add);
        }
        return answer;
    }
}
