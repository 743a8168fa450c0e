// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Evaluation;
import org.moorage.runtime.decision.PluginStatus;

/**
 * Compares one decision with kube-scheduler's.
 *
 * <p>A plugin that is not registered can neither reject nor score. Values that depend on such a plugin are open, and so
 * are their consequences: a node that only it rejects is feasible here, so scores are scaled over other nodes, and
 * preemption has other candidates.
 */
final class DecisionComparison {
    private static final String PASSES = "passes";
    private static final String EXTENDER = "Extender";
    private static final String LEFT_OUT = "removed by an extender";
    private static final String ALL_NODES = "all";
    private static final String PREEMPTION = "DefaultPreemption";
    private static final String NO_PREEMPTION = "no victims";
    private static final String PREEMPTION_SAYS = "preemption: ";

    // The only plugin besides NodeAffinity whose PreFilter restricts the nodes; a recorded case does not contain which
    // of the two did.
    private static final String NAMES_NODES = "VolumeBinding";

    // Allocates extended resources that are backed by devices. NodeResourcesFit skips these resources; without this
    // plugin, pods would be scheduled without devices.
    private static final String ALLOCATES_DEVICES = "DynamicResources";

    private final JsonNode expect;
    private final Set<String> missing;
    private final Situation situation;
    private final UnaryOperator<String> asRecorded;
    private final Comparisons comparisons;
    private final Set<String> openNodes = new HashSet<>();

    /**
     * Creates a comparison.
     *
     * @param expect kube-scheduler's result
     * @param missing the plugins of its profile that are not registered here
     * @param situation the features of the case that make a missing plugin relevant beyond Filter and Score
     * @param asRecorded converts Moorage's texts to the recorded form
     */
    DecisionComparison(JsonNode expect, Set<String> missing, Situation situation, UnaryOperator<String> asRecorded) {
        this.expect = expect;
        this.missing = missing;
        this.situation = situation;
        this.asRecorded = asRecorded;
        comparisons = new Comparisons(asRecorded);
    }

    /**
     * The features of a case that make missing plugins relevant.
     *
     * @param deviceResources the extended resources that are backed by devices
     * @param claimsVolumes whether the pod has volumes with claims, which may be bound to nodes
     */
    record Situation(Set<String> deviceResources, boolean claimsVolumes) {}

    /** kube-scheduler's status at an extension point. */
    private record Said(String code, String plugin, List<String> reasons) {
        static Said of(JsonNode status) {
            return new Said(
                    status.path("code").asText(),
                    status.path("plugin").asText(""),
                    JsonText.texts(status.path("reasons")));
        }

        static Said of(String plugin, Status status) {
            return new Said(status.code().toString(), plugin, status.reasons());
        }

        boolean is(Code other) {
            return code.equals(other.toString());
        }

        String text() {
            String who = plugin.isEmpty() ? "" : " by " + plugin;
            return reasons.isEmpty() ? code + who : code + who + ": " + JsonText.quoted(reasons);
        }
    }

    /**
     * Compares an evaluation.
     *
     * @param rawScores the scores before normalization, by node and plugin
     */
    List<Comparison> of(Evaluation got, Map<String, Map<String, Long>> rawScores) {
        if (isPreFilterOpen(got)) {
            return comparisons.all();
        }
        boolean sameNodes = preFilterNodes(got);
        filter(got);
        if (sameFeasible(got)) {
            rawScores(rawScores);
            scores(got);
        }
        if (sameNodes && openNodes.isEmpty()) {
            comparisons.compare("message", expect.path("message").asText(""), got.message());
            postFilter(got);
        }
        return comparisons.all();
    }

    /**
     * Returns the result of a case in which the recorded scheduler crashed, or refused the score of its plugin; empty
     * for other cases. Moorage's scheduler must not crash.
     */
    static Optional<List<Comparison>> ofRecordedFailure(JsonNode expect, Supplier<Evaluation> evaluate) {
        Comparisons comparisons = new Comparisons();
        if (expect.has("panic")) {
            String crash = expect.path("panic").path("at").asText() + ": "
                    + expect.path("panic").path("text").asText();
            comparisons.noAnswer("decision", crash, evaluate.get().message());
            return Optional.of(comparisons.all());
        }
        if (expect.has("scoreError")) {
            String got;
            try {
                got = evaluate.get().totals().toString();
            } catch (RuntimeException refused) {
                got = String.valueOf(refused.getMessage());
            }
            comparisons.noAnswer("scores", expect.path("scoreError").asText(), got);
            return Optional.of(comparisons.all());
        }
        return Optional.empty();
    }

    /** Compares the requests to extenders. */
    List<Comparison> ofRequests(Set<String> got) {
        Set<String> recorded = new TreeSet<>();
        for (JsonNode request : expect.path("requests")) {
            recorded.add(ScriptedExtender.request(request.path("path").asText(), request.path("body")));
        }
        Comparisons requests = new Comparisons();
        requests.compare("requests", String.join("\n", recorded), String.join("\n", got));
        return requests.all();
    }

    /** Compares a failure of a plugin. */
    List<Comparison> ofFailure(RuntimeException failure) {
        String got = asRecorded.apply("failed: " + failure.getMessage());
        String ofScoring = expect.path("error").asText("");
        if (!ofScoring.isEmpty()) {
            comparisons.compare("decision", "failed: " + ofScoring, got);
            return comparisons.all();
        }
        List<Said> errors = new ArrayList<>();
        addError(errors, expect.path("preFilter"));
        for (JsonNode status : expect.path("filter")) {
            addError(errors, status);
        }
        addError(errors, expect.path("postFilter"));
        boolean same = false;
        String comparable = JsonText.comparable(got);
        for (Said error : errors) {
            if (missing.contains(error.plugin())) {
                comparisons.open("decision", error.plugin(), error.text(), got);
                return comparisons.all();
            }
            for (String reason : error.reasons()) {
                same |= comparable.endsWith(": " + JsonText.comparable(reason));
            }
        }
        comparisons.add(
                "decision", errors.isEmpty() ? "no failure" : errors.get(0).text(), got, same);
        return comparisons.all();
    }

    private static void addError(List<Said> errors, JsonNode status) {
        Said said = Said.of(status);
        if (said.is(Code.ERROR)) {
            errors.add(said);
        }
    }

    private boolean isPreFilterOpen(Evaluation got) {
        Said expected = Said.of(expect.path("preFilter"));
        String ours = got.preFilterRejection()
                .map(rejection ->
                        Said.of(rejection.plugin(), rejection.status()).text())
                .orElse(Code.SUCCESS.toString());
        Optional<String> decider = missing.contains(expected.plugin())
                ? Optional.of(expected.plugin())
                : missingPluginNamedIn(expected.reasons());
        if (decider.isPresent()) {
            comparisons.open("preFilter", decider.get(), expected.text(), ours);
            return true;
        }
        comparisons.compare("preFilter", expected.text(), ours);
        return false;
    }

    // No single plugin returns "node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding] simultaneously".
    private Optional<String> missingPluginNamedIn(List<String> reasons) {
        for (String reason : reasons) {
            for (String plugin : missing) {
                if (reason.startsWith("node(s) didn't satisfy plugin") && reason.contains(plugin)) {
                    return Optional.of(plugin);
                }
            }
        }
        return Optional.empty();
    }

    /** Compares the nodes after PreFilter, and returns whether they do not depend on a missing plugin. */
    private boolean preFilterNodes(Evaluation got) {
        JsonNode names = expect.path("preFilterNodes");
        String expected = names.isArray() ? JsonText.names(new TreeSet<>(JsonText.texts(names))) : ALL_NODES;
        String ours = got.preFilterNodes().map(JsonText::names).orElse(ALL_NODES);
        boolean isNarrower = names.isArray()
                && (got.preFilterNodes().isEmpty() || got.preFilterNodes().get().containsAll(JsonText.texts(names)));
        if (!expected.equals(ours) && isNarrower && situation.claimsVolumes() && missing.contains(NAMES_NODES)) {
            comparisons.open("preFilterNodes", NAMES_NODES, expected, ours);
            return false;
        }
        comparisons.compare("preFilterNodes", expected, ours);
        return true;
    }

    private boolean isLookedAt(String node) {
        JsonNode names = expect.path("preFilterNodes");
        return !names.isArray() || JsonText.texts(names).contains(node);
    }

    private void filter(Evaluation got) {
        Set<String> nodes = new TreeSet<>(got.rejections().keySet());
        nodes.removeIf(node -> !isLookedAt(node));
        expect.path("filter").fieldNames().forEachRemaining(nodes::add);
        for (String node : nodes) {
            JsonNode status = expect.path("filter").path(node);
            Said expected = Said.of(status);
            PluginStatus rejection = got.rejections().get(node);
            String ours = rejection != null
                    ? Said.of(rejection.plugin(), rejection.status()).text()
                    : got.feasible().contains(node) ? PASSES : "not looked at";
            String theirs = status.isMissingNode() ? PASSES : expected.text();
            if (expected.plugin().equals(EXTENDER) && expected.reasons().isEmpty()) {
                // Only Moorage's status has a reason; neither scheduler includes it in the message.
                theirs = LEFT_OUT;
                ours = rejection != null && rejection.plugin().equals(EXTENDER) ? LEFT_OUT : ours;
            }
            if (missing.contains(expected.plugin())) {
                openNodes.add(node);
                comparisons.open("filter " + node, expected.plugin(), theirs, ours);
            } else if (rejection != null && !theirs.equals(ours) && isForWantOfDevices(rejection.status())) {
                openNodes.add(node);
                comparisons.open("filter " + node, ALLOCATES_DEVICES, theirs, ours);
            } else {
                comparisons.compare("filter " + node, theirs, ours);
            }
        }
        comparisons.compare("feasible", feasible(JsonText.texts(expect.path("feasible"))), feasible(got.feasible()));
    }

    private boolean isForWantOfDevices(Status status) {
        if (!missing.contains(ALLOCATES_DEVICES)) {
            return false;
        }
        for (String resource : situation.deviceResources()) {
            if (status.reasons().contains("Insufficient " + resource)) {
                return true;
            }
        }
        return false;
    }

    private String feasible(List<String> names) {
        Set<String> sorted = new TreeSet<>(names);
        sorted.removeAll(openNodes);
        sorted.removeIf(node -> !isLookedAt(node));
        return JsonText.names(sorted);
    }

    /** Returns whether both schedulers have the same feasible nodes. */
    private boolean sameFeasible(Evaluation got) {
        return new TreeSet<>(got.feasible()).equals(new TreeSet<>(JsonText.texts(expect.path("feasible"))));
    }

    private void rawScores(Map<String, Map<String, Long>> got) {
        for (Map.Entry<String, JsonNode> node : expect.path("raw").properties()) {
            for (Map.Entry<String, JsonNode> score : node.getValue().properties()) {
                Long ours = got.getOrDefault(node.getKey(), Map.of()).get(score.getKey());
                comparisons.compare(
                        "raw score " + node.getKey() + " " + score.getKey(),
                        score.getValue().asText(),
                        ours == null ? "no say" : ours.toString());
            }
        }
    }

    private void scores(Evaluation got) {
        if (expect.has("best") && !expect.has("scores")) {
            // The only feasible node: kube-scheduler does not score it, so there are no scores to record.
            compareBest(got);
            return;
        }
        Map<String, Long> totals = new TreeMap<>();
        Set<String> open = new TreeSet<>();
        Set<String> nodes = new TreeSet<>(got.scores().keySet());
        expect.path("scores").fieldNames().forEachRemaining(nodes::add);
        for (String node : nodes) {
            JsonNode expected = expect.path("scores").path(node);
            Map<String, Long> ours = new TreeMap<>();
            got.scores()
                    .getOrDefault(node, Map.of())
                    .forEach((plugin, score) -> ours.put(asRecorded.apply(plugin), score));
            Set<String> plugins = new TreeSet<>(ours.keySet());
            long total = expect.path("totals").path(node).asLong();
            for (Map.Entry<String, JsonNode> score : expected.properties()) {
                if (missing.contains(score.getKey())) {
                    total -= score.getValue().asLong();
                    if (score.getValue().asLong() != 0) {
                        open.add(score.getKey());
                    }
                } else {
                    plugins.add(score.getKey());
                }
            }
            totals.put(node, total);
            for (String plugin : plugins) {
                JsonNode score = expected.path(plugin);
                Long our = ours.get(plugin);
                comparisons.compare(
                        "score " + node + " " + plugin,
                        score.isMissingNode() ? "no say" : score.asText(),
                        our == null ? "no say" : our.toString());
            }
        }
        for (String plugin : open) {
            comparisons.open("scores", plugin, "scores of " + plugin, "none");
        }
        if (!totals.isEmpty() || !got.totals().isEmpty()) {
            comparisons.compare("totals", totals.toString(), got.totals().toString());
        }
        if (open.isEmpty()) {
            compareBest(got);
        }
    }

    private void compareBest(Evaluation got) {
        comparisons.compare(
                "best",
                JsonText.names(new TreeSet<>(JsonText.texts(expect.path("best")))),
                JsonText.names(new TreeSet<>(got.best())));
    }

    private void postFilter(Evaluation got) {
        JsonNode status = expect.path("postFilter");
        Said expected = Said.of(status);
        Optional<Said> ours = got.postFilter().map(answer -> Said.of(answer.plugin(), answer.status()));
        String ourText = ours.map(Said::text).orElse("none");
        if (status.isMissingNode()) {
            comparisons.compare("postFilter", "none", ourText);
            return;
        }
        boolean byPreemption = expected.is(Code.SUCCESS)
                || expected.reasons().stream().anyMatch(reason -> reason.startsWith(PREEMPTION_SAYS));
        if (byPreemption && missing.contains(PREEMPTION)) {
            comparisons.open("postFilter", PREEMPTION, expected.text(), ourText);
        }
        if (missing.contains(expected.plugin())) {
            comparisons.open("postFilter", expected.plugin(), expected.text(), ourText);
            List<String> said = ours.map(Said::reasons).orElse(List.of());
            comparisons.add(
                    "postFilter reasons",
                    JsonText.quoted(expected.reasons()),
                    JsonText.quoted(said),
                    expected.reasons().containsAll(said));
        } else if (!byPreemption || !missing.contains(PREEMPTION)) {
            compareStatus(expected, ours);
        }
        if (!missing.contains(PREEMPTION)) {
            preemption(got.preemption(), ours.map(Said::reasons).orElse(List.of()));
        }
    }

    private void compareStatus(Said expected, Optional<Said> ours) {
        if (expected.is(Code.SUCCESS)) {
            // In kube-scheduler, a successful status does not name its plugin; its message is compared with the
            // outcomes.
            comparisons.compare(
                    "postFilter", expected.code(), ours.map(Said::code).orElse("none"));
            return;
        }
        // Without any PostFilter plugin, kube-scheduler still has a status, which is empty.
        boolean isNobody = expected.plugin().isEmpty() && expected.reasons().isEmpty();
        comparisons.compare(
                "postFilter",
                isNobody ? "none" : expected.text(),
                ours.map(Said::text).orElse("none"));
    }

    private void preemption(Optional<Evaluation.Preemption> ours, List<String> said) {
        Set<String> expected = new TreeSet<>();
        boolean hasMessages = true;
        for (JsonNode outcome : expect.path("preemptions")) {
            // kube-scheduler 1.34, on which scheduler-plugins is built, has no message, and deletes victims again that
            // are already terminating.
            hasMessages &= outcome.has("message");
            expected.add(outcome(
                    outcome.path("node").asText(),
                    JsonText.texts(outcome.path("victims")),
                    outcome.path("message").asText()));
        }
        if (expected.isEmpty()) {
            expected.add(NO_PREEMPTION);
        }
        String message = hasMessages ? String.join(", ", said) : "";
        boolean deletesAgain = !hasMessages;
        String got = ours.map(preemption ->
                        outcome(preemption.nodeName(), deleted(preemption.victims(), deletesAgain), message))
                .orElse(NO_PREEMPTION);
        String outcomes = String.join(", or ", expected);
        if (!expected.contains(got) && !missing.isEmpty()) {
            // Any filter may influence whether the pod would fit without the victims.
            comparisons.open("preemption", missing.iterator().next(), outcomes, got);
        } else {
            comparisons.add("preemption", outcomes, got, expected.contains(got));
        }
    }

    // Only the pods that kube-scheduler deletes are recorded, not victims that are already terminating.
    private static List<String> deleted(List<Pod> victims, boolean deletesAgain) {
        List<String> deleted = new ArrayList<>();
        for (Pod victim : victims) {
            if (deletesAgain || !victim.metadata().isDeleting()) {
                deleted.add(victim.key());
            }
        }
        Collections.sort(deleted);
        return deleted;
    }

    private static String outcome(String node, List<String> victims, String message) {
        String what = JsonText.names(victims) + " leave " + node;
        return message.isEmpty() ? what : what + ", \"" + message + "\"";
    }
}
