// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Resources;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.api.plugin.point.QueueSortPlugin;
import org.moorage.api.plugin.point.QueuedPod;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.GoDuration;
import org.moorage.runtime.decision.Evaluation;

/** Checks the steps of a sequence: attempts, waits, timeouts and changes of objects, with the same plugins throughout. */
final class SequenceCheck implements VectorCheck {
    private static final int STEP_WEIGHT = 1_000_000;

    private final PluginRegistry registry;

    SequenceCheck(PluginRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<Comparison> check(ObjectNode vector) {
        ObjectNode config = vector.path("config").deepCopy();
        addStepsPlugin(config);
        if (!vector.has("metrics")) {
            return check(vector, config.toString());
        }
        try (RecordedLoadWatcher watcher = new RecordedLoadWatcher(vector.path("metrics"), SequenceRun.START)) {
            return check(vector, watcher.withOwnAddress(config.toString()));
        }
    }

    // Its Permit must come first, so that a held pod does not reach those of the other plugins.
    private static void addStepsPlugin(ObjectNode config) {
        for (JsonNode profile : config.path("profiles")) {
            ArrayNode enabled = ((ObjectNode) profile)
                    .withObject("/plugins")
                    .withObject("/multiPoint")
                    .withArray("/enabled");
            enabled.insertObject(0).put("name", StepsPlugin.NAME).put("weight", STEP_WEIGHT);
        }
    }

    private List<Comparison> check(ObjectNode vector, String config) {
        List<Comparison> comparisons = new ArrayList<>();
        JsonNode steps = vector.path("steps");
        JsonNode expected = vector.path("expect").path("steps");
        try (SequenceRun run = new SequenceRun(registry, config, vector)) {
            // A recorded sequence ends where the plugin crashed.
            for (int i = 0; i < expected.size(); i++) {
                JsonNode step = steps.path(i);
                for (Comparison comparison : check(run, step, expected.path(i))) {
                    comparisons.add(new Comparison(
                            "step " + i + " " + step.path("do").asText() + ": " + comparison.what(),
                            comparison.expected(),
                            comparison.got(),
                            comparison.match(),
                            comparison.plugin()));
                }
            }
        }
        return comparisons;
    }

    private static List<Comparison> check(SequenceRun run, JsonNode step, JsonNode expect) {
        Comparisons comparisons = new Comparisons();
        run.beginStep();
        List<Comparison> cycle = List.of();
        switch (step.path("do").asText()) {
            case "cycle" -> cycle = cycle(run, step, expect);
            case "schedule" -> cycle = schedule(run, step, expect, comparisons);
            case "bind" ->
                comparisons.compare(
                        "node of the pod", "one", run.bind(step.path("pod").asText()) ? "one" : "none");
            case "unreserve" -> run.reject(step.path("pod").asText());
            case "apply" -> run.apply(step.path("object"));
            case "delete" ->
                run.delete(
                        step.path("kind").asText(),
                        step.path("namespace").asText(""),
                        step.path("name").asText());
            case "advance" -> run.advance(step.path("seconds").decimalValue());
            case "resync" ->
                comparisons.compare(
                        "dirty", names(expect.path("dirty").path("maybeOverReserved")), JsonText.names(run.resync()));
            case "sort" -> sort(run, step, expect, comparisons);
            case "quotas" -> quotas(run, expect, comparisons);
            default -> throw new IllegalArgumentException("do: " + step.path("do") + " (expected: a known step)");
        }
        run.endStep();
        ends(run, expect, comparisons);
        List<Comparison> all = new ArrayList<>(cycle);
        all.addAll(comparisons.all());
        return all;
    }

    private static List<Comparison> cycle(SequenceRun run, JsonNode step, JsonNode expect) {
        Optional<List<Comparison>> failed = DecisionComparison.ofRecordedFailure(
                expect, () -> run.evaluate(step.path("pod").asText()));
        if (failed.isPresent()) {
            return failed.get();
        }
        DecisionComparison comparison = new DecisionComparison(
                expect, Set.of(), new DecisionComparison.Situation(Set.of(), false), UnaryOperator.identity());
        try {
            Evaluation evaluation = run.evaluate(step.path("pod").asText());
            return comparison.of(evaluation, run.rawScores());
        } catch (RuntimeException failure) {
            return comparison.ofFailure(failure);
        }
    }

    private static List<Comparison> schedule(SequenceRun run, JsonNode step, JsonNode expect, Comparisons comparisons) {
        List<Comparison> cycle = cycle(run, step, expect);
        boolean isScheduled = expect.has("node");
        // What a PostFilter plugin decides is recorded but not done, unless it makes no room.
        if (!isScheduled && expect.path("preemptions").isEmpty() && !expect.has("scoreError") && !expect.has("panic")) {
            run.schedule(step.path("pod").asText(), "", false);
        }
        if (isScheduled) {
            boolean isHeld = step.path("until").asText().equals("reserve");
            String node =
                    run.schedule(step.path("pod").asText(), expect.path("node").asText(), isHeld);
            comparisons.compare("node", expect.path("node").asText(), node);
            if (!isHeld) {
                permit(run.permit(), expect, comparisons);
            }
            comparisons.compare("activate", names(expect.path("activate")), JsonText.names(run.activated()));
        }
        return cycle;
    }

    private static void permit(Optional<PermitResult> got, JsonNode expect, Comparisons comparisons) {
        String code = expect.path("permit").path("code").asText();
        Optional<String> timeout = got.flatMap(PermitResult::timeout).map(GoDuration::format);
        comparisons.compare(
                "permit",
                code,
                timeout.isPresent()
                        ? "Wait"
                        : got.map(result -> result.status().code().toString()).orElse("Success"));
        comparisons.compare("timeout", expect.path("timeout").asText("none"), timeout.orElse("none"));
        if (!code.equals("Wait")) {
            comparisons.compare(
                    "permit reasons",
                    JsonText.quoted(JsonText.texts(expect.path("permit").path("reasons"))),
                    JsonText.quoted(got.map(result -> result.status().reasons()).orElse(List.of())));
        }
    }

    private static void sort(SequenceRun run, JsonNode step, JsonNode expect, Comparisons comparisons) {
        List<QueuedPod> pods = new ArrayList<>();
        for (JsonNode each : step.path("pods")) {
            pods.add(new Queued(
                    run.pod(each.path("pod").asText()),
                    Instant.parse(each.path("timestamp").asText()),
                    Optional.of(
                            Instant.parse(each.path("initialAttemptTimestamp").asText()))));
        }
        QueueSortPlugin sort = run.queueSort();
        JsonNode rows = expect.path("less");
        for (int i = 0; i < pods.size(); i++) {
            for (int j = i + 1; j < pods.size(); j++) {
                boolean isBefore = sort.less(pods.get(i), pods.get(j));
                boolean isAfter = sort.less(pods.get(j), pods.get(i));
                boolean recordedBefore = rows.path(i).asText().startsWith("1", j);
                boolean recordedAfter = rows.path(j).asText().startsWith("1", i);
                String pair =
                        pods.get(i).pod().key() + " before " + pods.get(j).pod().key();
                if (expect.has("panic")) {
                    comparisons.noAnswer(pair, expect.path("panic").path("text").asText(), isBefore + ", " + isAfter);
                } else if (recordedBefore == recordedAfter) {
                    // Without a recorded order either one is right, but not both.
                    comparisons.add(pair, "an order or none", isBefore + ", " + isAfter, !(isBefore && isAfter));
                } else {
                    comparisons.compare(pair, recordedBefore + ", " + recordedAfter, isBefore + ", " + isAfter);
                }
            }
        }
    }

    private static void quotas(SequenceRun run, JsonNode expect, Comparisons comparisons) {
        Map<String, String> used = new TreeMap<>();
        for (Map.Entry<String, JsonNode> quota : expect.path("used").properties()) {
            Map<String, Long> scalars = new TreeMap<>();
            quota.getValue()
                    .path("scalar")
                    .properties()
                    .forEach(scalar ->
                            scalars.put(scalar.getKey(), scalar.getValue().asLong()));
            scalars.values().removeIf(amount -> amount == 0);
            Resources amounts = Resources.of(
                    quota.getValue().path("milliCPU").asLong(),
                    quota.getValue().path("memory").asLong(),
                    quota.getValue().path("ephemeralStorage").asLong(),
                    scalars);
            used.put("used/" + quota.getKey(), amounts.toString());
        }
        comparisons.compare("quotas", used.toString(), run.shown("CapacityScheduling"));
    }

    private static void ends(SequenceRun run, JsonNode expect, Comparisons comparisons) {
        comparisons.compare("bound", names(expect.path("bound")), JsonText.names(run.bound()));
        comparisons.compare("waiting", names(expect.path("waiting")), JsonText.names(run.waiting()));
        Map<String, String> ended = new TreeMap<>();
        for (Map.Entry<String, JsonNode> pod : expect.path("ended").properties()) {
            ended.put(
                    pod.getKey(),
                    String.join(", ", JsonText.texts(pod.getValue().path("reasons"))));
        }
        comparisons.compare("ended", ended.toString(), run.ended().toString());
        signals(run, expect.path("signals"), comparisons);
    }

    // A pod that was rejected keeps waiting for a moment in kube-scheduler, in which it may be rejected again. Only the
    // first rejection counts, which the end of the pod shows.
    private static void signals(SequenceRun run, JsonNode expect, Comparisons comparisons) {
        Map<String, Set<String>> expected = new TreeMap<>();
        for (JsonNode signal : expect) {
            expected.computeIfAbsent(signal.path("pod").asText(), any -> new TreeSet<>())
                    .add(signal.path("plugin").asText() + ": "
                            + signal.path("reject").asText("allowed"));
        }
        Map<String, Set<String>> got = run.signals();
        comparisons.compare("signaled", JsonText.names(expected.keySet()), JsonText.names(got.keySet()));
        got.forEach((pod, signals) -> comparisons.add(
                "signals " + pod,
                expected.getOrDefault(pod, Set.of()).toString(),
                signals.toString(),
                expected.getOrDefault(pod, Set.of()).containsAll(signals)));
    }

    private static String names(JsonNode list) {
        return JsonText.names(new TreeSet<>(JsonText.texts(list)));
    }

    /** A pod in the queue, with recorded times. */
    private record Queued(Pod pod, Instant timestamp, Optional<Instant> initialAttemptTimestamp) implements QueuedPod {
        @Override
        public int attempts() {
            return 1;
        }
    }
}
