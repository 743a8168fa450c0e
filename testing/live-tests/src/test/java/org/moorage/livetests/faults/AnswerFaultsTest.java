// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Answers of the API server that are lost, wrong, or not what was asked for. */
class AnswerFaultsTest {
    private static final int NODES = 100;
    private static final int PODS = 1000;
    private static final Duration AT_LAST = Duration.ofSeconds(90);
    /** Each node has room for ten such pods and no more, so a place that is lost shows. */
    private static final String TENTH = "100m";

    private static SchedulerProcess.Command through(
            FaultScene scene, SchedulerProcess.Kind kind, AnsweringProxy proxy) {
        return scene.command(kind).kubeconfig(scene.kubeconfigThrough(proxy.port()));
    }

    @ParameterizedTest
    @EnumSource
    @Fault(value = 5, injected = "one in five bindings is done, and its answer dropped")
    void lostAnswersToBindings(SchedulerProcess.Kind kind, FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", NODES, "1", 110);
            scene.pods("p", PODS, TENTH);
            Random random = report.random();
            AtomicInteger dropped = new AtomicInteger();
            proxy.behave(request -> {
                if (request.isBinding() && isOneIn(5, random)) {
                    dropped.incrementAndGet();
                    request.forwardAndDrop();
                } else {
                    request.forward();
                }
            });
            SchedulerProcess scheduler = scene.startOnly(through(scene, kind, proxy));
            report.took("all bound", scene.awaitBound("p", PODS), AT_LAST);
            report.saw(dropped + " answers dropped");
            scene.checkInvariants(scheduler);
        }
    }

    private static synchronized boolean isOneIn(int count, Random random) {
        return random.nextInt(count) == 0;
    }

    /** The answer to one binding in ten. */
    enum BindingAnswer {
        APPLIED_THEN_500,
        BOUND_BY_ANOTHER,
        DELETED,
        TOO_MANY_REQUESTS
    }

    @Test
    @Fault(value = 6, injected = "one in ten bindings answered 429 with Retry-After 1")
    @Tag("live")
    void tooManyRequests(FaultReport report) {
        refuseBindings(BindingAnswer.TOO_MANY_REQUESTS, report);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TOO_MANY_REQUESTS")
    @Fault(value = 6, injected = "one in ten bindings answered 500 after it was applied; 409; 404")
    @Tag("nightly")
    void refusedBindings(BindingAnswer answer, FaultReport report) {
        refuseBindings(answer, report);
    }

    private static void refuseBindings(BindingAnswer answer, FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", NODES, "1", 110);
            scene.nodes("other", 1, "1000", 2000);
            scene.api().patch("/api/v1/nodes/other0", "{\"spec\": {\"unschedulable\": true}}");
            scene.pods("p", PODS, TENTH);
            Random random = report.random();
            Set<String> hit = ConcurrentHashMap.newKeySet();
            Map<String, List<Long>> attempts = new ConcurrentHashMap<>();
            proxy.behave(request -> {
                if (request.isBinding()) {
                    attempts.computeIfAbsent(request.path(), path -> new CopyOnWriteArrayList<>())
                            .add(System.nanoTime());
                }
                if (request.isBinding()
                        && request.path().contains("/pods/p")
                        && !hit.contains(request.path())
                        && isOneIn(10, random)) {
                    hit.add(request.path());
                    refuse(scene, request, answer);
                } else {
                    request.forward();
                }
            });
            SchedulerProcess scheduler = scene.startOnly(through(scene, MOORAGE, proxy));
            int present = answer == BindingAnswer.DELETED ? PODS * 8 / 10 : PODS;
            scene.awaitBound("p", present);
            // Those that another has bound, or that are gone, have left their places to these.
            scene.await("no pod is pending", () -> scheduler.metric("scheduler_pending_pods") == 0);
            report.saw(answer + " for " + hit.size() + " pods");
            if (answer == BindingAnswer.TOO_MANY_REQUESTS) {
                hit.forEach(binding -> checkRetry(report, binding, attempts.get(binding)));
            }
            if (answer == BindingAnswer.BOUND_BY_ANOTHER || answer == BindingAnswer.DELETED) {
                scene.pods("fill", hit.size(), TENTH);
                report.took("their places taken", scene.awaitBound("fill", hit.size()), Duration.ofSeconds(20));
            }
            scene.checkInvariants(scheduler);
        }
    }

    private static void refuse(FaultScene scene, AnsweringProxy.Exchange request, BindingAnswer answer)
            throws IOException {
        switch (answer) {
            case APPLIED_THEN_500 ->
                request.forwardAndAnswer(
                        500,
                        "{\"kind\": \"Status\", \"apiVersion\": \"v1\", "
                                + "\"status\": \"Failure\", \"message\": \"injected\", \"reason\": \"InternalError\", \"code\": 500}");
            case BOUND_BY_ANOTHER -> {
                scene.api().create(request.path(), """
                        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"},
                         "target": {"apiVersion": "v1", "kind": "Node", "name": "other0"}}""".formatted(podOf(request)));
                request.forward();
            }
            case DELETED -> {
                scene.api().delete(FaultScene.podPath(podOf(request)));
                request.forward();
            }
            case TOO_MANY_REQUESTS -> request.refuse(429, "TooManyRequests", "Retry-After", "1");
        }
    }

    private static String podOf(AnsweringProxy.Exchange request) {
        String[] parts = request.path().split("/");
        return parts[parts.length - 2];
    }

    private static void checkRetry(FaultReport report, String binding, List<Long> attempts) {
        report.holds(attempts.size() == 2, attempts.size() + " attempts of " + binding);
        long waited = attempts.get(attempts.size() - 1) - attempts.get(0);
        report.holds(waited >= Duration.ofSeconds(1).toNanos(), binding + " again after " + waited + " ns");
    }

    @Test
    @Fault(value = 8, injected = "lists of pods answered {}, HTML, cut JSON, a Status, for 15 s")
    @Tag("nightly")
    void listsThatAreNone(FaultReport report) {
        List<String> answers = List.of(
                "{}",
                "<html><body>Bad gateway</body></html>",
                "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"metadata\": {\"resourceVersion\": \"5\"}, \"items\": [{\"meta",
                "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Success\", \"code\": 200}");
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", NODES, "1", 110);
            scene.pods("p", PODS / 2, TENTH);
            AtomicInteger lists = new AtomicInteger();
            Set<String> given = ConcurrentHashMap.newKeySet();
            AtomicBoolean isWrong = new AtomicBoolean();
            proxy.behave(request -> {
                if (isWrong.get() && request.isWatch("pods")) {
                    request.answerLines(expired());
                } else if (isWrong.get() && request.isList("pods")) {
                    String answer = answers.get(lists.getAndIncrement() % answers.size());
                    given.add(answer);
                    request.answer(200, answer);
                } else {
                    request.forward();
                }
            });
            SchedulerProcess scheduler = scene.start(through(scene, MOORAGE, proxy));
            scene.awaitBound("p", PODS / 2);
            double failures = scheduler.metric("moorage_watch_failures_total", "pods");
            isWrong.set(true);
            long end = System.nanoTime() + Duration.ofSeconds(15).toNanos();
            // Watches that are open end by themselves within ten minutes; this one is ended.
            scene.plane().restartApiServer();
            scene.pods("q", PODS / 2, TENTH);
            while (System.nanoTime() < end || given.size() < answers.size()) {
                int cached = scheduler.page("/debug/dump").orElse("").split("\nname: ").length - 1;
                report.holds(cached == PODS / 2, cached + " pods in the cache during the fault");
                Waiting.pause(Duration.ofMillis(500));
            }
            double counted = scheduler.metric("moorage_watch_failures_total", "pods") - failures;
            report.saw(lists + " lists, " + (int) counted + " failures counted");
            report.holds(counted >= lists.get(), "only " + counted + " of " + lists + " failures counted");
            isWrong.set(false);
            report.took("all places taken", scene.awaitBound("q", PODS / 2), Duration.ofSeconds(40));
            scene.checkInvariants(scheduler);
        }
    }

    private static String expired() {
        return "{\"type\": \"ERROR\", \"object\": {\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\","
                + " \"message\": \"too old resource version\", \"reason\": \"Expired\", \"code\": 410}}\n";
    }

    @Test
    @Fault(
            value = 9,
            injected =
                    "watches of pods with half an event, an unknown type, a 410, or that end at once a hundred times")
    void watchesThatAreCut(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", NODES, "1", 110);
            AtomicInteger watches = new AtomicInteger();
            AtomicInteger requests = new AtomicInteger();
            AtomicBoolean isWrong = new AtomicBoolean();
            proxy.behave(request -> {
                if (request.path().endsWith("/pods") && request.method().equals("GET")) {
                    requests.incrementAndGet();
                }
                if (isWrong.get() && request.isWatch("pods")) {
                    switch (watches.getAndIncrement()) {
                        case 0 ->
                            request.answerLines(
                                    "{\"type\": \"ADDED\", \"object\": {\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"meta");
                        case 1 ->
                            request.answerLines(
                                    "{\"type\": \"SHUFFLED\", \"object\": {\"kind\": \"Pod\", \"apiVersion\": \"v1\"}}\n");
                        case 2 -> request.answerLines(expired());
                        case 3 -> request.answerLines("not JSON at all\n");
                        default -> request.answerLines();
                    }
                } else {
                    request.forward();
                }
            });
            SchedulerProcess scheduler = scene.start(through(scene, MOORAGE, proxy));
            isWrong.set(true);
            scene.plane().restartApiServer();
            requests.set(0);
            long start = System.nanoTime();
            scene.pods("p", PODS, TENTH);
            Waiting.until(Duration.ofMinutes(15), () -> watches.get() >= 104);
            double seconds = Duration.ofNanos(System.nanoTime() - start).toMillis() / 1000.0;
            double rate = Math.round(requests.get() / seconds * 10) / 10.0;
            report.saw(requests + " requests in " + Math.round(seconds) + " s");
            report.holds(rate < 5, rate + " requests for pods a second");
            isWrong.set(false);
            report.took("all bound", scene.awaitBound("p", PODS), Duration.ofSeconds(60));
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(
            value = 10,
            injected = "unknown fields at every level; a bound and a pending pod with a field of the wrong type")
    @Tag("nightly")
    void objectsOfANewerServer(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", NODES, "1", 110);
            proxy.behave(request -> {
                if (request.isWatch()) {
                    request.forwardEvents(AnswerFaultsTest::newer);
                } else if (request.method().equals("GET")
                        && request.path().startsWith("/api")
                        && request.query().contains("limit")) {
                    request.forward(AnswerFaultsTest::newer);
                } else {
                    request.forward();
                }
            });
            SchedulerProcess scheduler = scene.start(through(scene, MOORAGE, proxy));
            scene.pods("p", NODES, TENTH);
            scene.awaitBound("p", NODES);
            // Seen as it is first, and of the wrong type from its next change on.
            scene.api().create("/api/v1/namespaces/default/pods", FaultScene.pod("large", "500m", ""));
            scene.awaitBound("large", 1);
            scene.api().patch(FaultScene.podPath("large"), "{\"metadata\": {\"labels\": {\"wrong\": \"type\"}}}");
            scene.api()
                    .create(
                            "/api/v1/namespaces/default/pods",
                            FaultScene.pod("pending", "100m", ", \"nodeSelector\": {\"never\": \"there\"}"));
            scene.api().patch(FaultScene.podPath("pending"), "{\"metadata\": {\"labels\": {\"wrong\": \"type\"}}}");
            scene.await("unreadable", () -> scheduler.metric("moorage_unreadable_objects") >= 2);
            scene.plane().restartApiServer();
            scene.awaitServer();
            report.took("others bound after a relist", scene.probe(), Duration.ofSeconds(10));
            int left = NODES * 10 - NODES - 5;
            scene.pods("q", left - 1, TENTH);
            report.took("all other places taken", scene.awaitBound("q", left - 1), AT_LAST);
            long named = scheduler.inLog("An object cannot be read.* name=\"large\"");
            report.saw("named " + named + " times");
            report.holds(named == 1, "the bound pod was named " + named + " times");
            scene.api().delete(FaultScene.podPath("pending"));
            scene.checkInvariants(scheduler);
        }
    }

    private static final Set<String> MAPS = Set.of(
            "labels", "annotations", "nodeSelector", "requests", "limits", "allocatable", "capacity", "matchLabels");

    /** As a server of a later version would send it. */
    private static JsonNode newer(JsonNode node) {
        if (node instanceof ObjectNode object) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            for (String name : names) {
                if (!MAPS.contains(name) && !name.startsWith("f:") && !name.equals("fieldsV1")) {
                    newer(object.path(name));
                }
            }
            object.putObject("fieldOfALaterVersion")
                    .putArray("list")
                    .add(1)
                    .addObject()
                    .put("deep", true);
            if (object.at("/metadata/labels/wrong").asText().equals("type")) {
                ((ObjectNode) object.path("spec")).put("containers", "of another type");
            }
        } else if (node instanceof ArrayNode array) {
            array.forEach(AnswerFaultsTest::newer);
        }
        return node;
    }
}
