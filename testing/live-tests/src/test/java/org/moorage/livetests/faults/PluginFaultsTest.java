// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.faults.FailingPlugin.Way;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Tests a plugin from a separate jar that throws, returns invalid results, or does not return. */
class PluginFaultsTest {
    private static final Duration AT_LAST = Duration.ofSeconds(90);
    private static final Duration CALL_LIMIT = PluginJar.CALL_LIMIT;
    private static final int NODES = 600;
    private static final Path FAKE_CLOCK = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

    private static final List<String> POINTS = List.of(
            "PreEnqueue",
            "PreFilter",
            "Filter",
            "PreScore",
            "Score",
            "Reserve",
            "Permit",
            "PreBindPreFlight",
            "PreBind",
            "Bind");

    private static String name(String point, Way way) {
        return (point + "-" + way).toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String pod(String point, Way way, String more) {
        return PluginJar.pod(name(point, way), point, way, "0", more);
    }

    @Test
    @Fault(
            value = 26,
            injected =
                    "at each extension point an exception, a LinkageError, a StackOverflowError, null, a score out of range; 600 nodes")
    @Tag("live")
    void failuresAtEachPoint(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", NODES, "1", 110);
            SchedulerProcess scheduler = scene.start(PluginJar.command(scene));
            scene.pods("warm", 50, "1m");
            scene.awaitBound("warm", 50);
            double threads = scheduler.metric("jvm_threads_current");
            Map<String, String> pointByPod = new HashMap<>();
            List<String> pods = new ArrayList<>();
            for (String point : POINTS) {
                for (Way way : List.of(Way.EXCEPTION, Way.LINKAGE_ERROR, Way.STACK_OVERFLOW, Way.NULL)) {
                    if (!(point.equals("Score") && way == Way.NULL)) {
                        pods.add(pod(point, way, ""));
                        pointByPod.put(name(point, way), point);
                    }
                }
            }
            pods.add(pod("Score", Way.OUT_OF_RANGE, ""));
            pointByPod.put(name("Score", Way.OUT_OF_RANGE), "Score");
            scene.api().createAll("/api/v1/namespaces/default/pods", pods);
            scene.pods("other", 100, "1m");
            report.took("100 other pods bound", scene.awaitBound("other", 100), Duration.ofSeconds(30));
            Duration told = Waiting.until(() -> untold(scene, pointByPod).isEmpty());
            report.took("plugin and point of all " + pods.size() + " failures in events", told, Duration.ofSeconds(60));
            untold(scene, pointByPod).forEach(report::broken);
            scene.api()
                    .deleteAll(pointByPod.keySet().stream()
                            .map(FaultScene::podPath)
                            .toList());
            // Idle threads end after a minute.
            Waiting.until(() -> scheduler.metric("jvm_threads_current") <= threads);
            double now = scheduler.metric("jvm_threads_current");
            report.holds(now <= threads, (int) now + " threads, and " + (int) threads + " before");
            scene.checkInvariants(scheduler);
        }
    }

    private static List<String> untold(FaultScene scene, Map<String, String> pointByPod) {
        Map<String, String> notes = notes(scene);
        List<String> untold = new ArrayList<>();
        for (Map.Entry<String, String> entry : pointByPod.entrySet()) {
            String note = notes.getOrDefault(entry.getKey(), "");
            // Some of kube-scheduler's texts have the extension point in lower case.
            if (!note.contains(FailingPlugin.NAME)
                    || !note.toLowerCase(Locale.ROOT).contains(entry.getValue().toLowerCase(Locale.ROOT))) {
                untold.add(entry.getKey() + " says: " + note);
            }
        }
        return untold;
    }

    /** Returns the notes of the events of unscheduled pods. */
    private static Map<String, String> notes(FaultScene scene) {
        Map<String, String> notes = new HashMap<>();
        for (JsonNode event : scene.api().items("/apis/events.k8s.io/v1/events")) {
            if (event.path("reason").asText().equals("FailedScheduling")) {
                notes.put(
                        event.at("/regarding/name").asText(), event.path("note").asText());
            }
        }
        return notes;
    }

    @Test
    @Fault(
            value = 46,
            injected = "a plugin logs values whose text throws, misses a class, holds itself, takes 60 s; limit of 5 s")
    void valuesWithoutAText(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", 20, "1", 110);
            SchedulerProcess scheduler = scene.start(PluginJar.command(scene));
            List<String> pods = new ArrayList<>();
            for (Way way : List.of(Way.LOG_THROWS, Way.LOG_ERROR, Way.LOG_ITSELF, Way.LOG_HANG)) {
                pods.add(pod("PreScore", way, ""));
            }
            scene.api().createAll("/api/v1/namespaces/default/pods", pods);
            scene.pods("other", 100, "1m");
            report.took("100 other pods bound", scene.awaitBound("other", 100), Duration.ofSeconds(30));
            Duration bound = Waiting.until(() -> scene.versions().bound("prescore-log-") == pods.size());
            report.took("the pods of these values bound", bound, Duration.ofSeconds(80));
            long told = scheduler.inLog("Injected.*its text cannot be made");
            report.saw(told + " lines report a text that cannot be made");
            report.holds(told >= 3, "only " + told + " lines report a text that cannot be made");
            scene.pods("later", 5, "1m");
            scene.awaitBound("later", 5);
            report.holds(scheduler.inLog("Plugin did not return in time") > 0, "the call that hangs is not logged");
            report.holds(scheduler.metric("moorage_log_lines_dropped_total") == 0, "lines of the log were dropped");
            report.holds(scheduler.page("/livez").isPresent(), "/livez fails");
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(value = 27, injected = "at each point of both cycles a call that hangs for 60 s; limit of 5 s")
    void hangsInTheCycles(FaultReport report) {
        List<String> points = List.of(
                "PreFilter",
                "Filter",
                "PreScore",
                "Score",
                "Reserve",
                "Permit",
                "PreBindPreFlight",
                "PreBind",
                "Bind",
                "PostBind");
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", NODES, "1", 110);
            SchedulerProcess scheduler = scene.start(PluginJar.command(scene));
            scene.pods("warm", 20, "1m");
            scene.awaitBound("warm", 20);
            scene.api()
                    .createAll(
                            "/api/v1/namespaces/default/pods",
                            points.stream()
                                    .map(point -> pod(point, Way.HANG, ""))
                                    .toList());
            scene.pods("other", 100, "1m");
            Duration bound = scene.awaitBound("other", 100);
            // Each call in the scheduling cycle takes its time limit, one after another.
            report.took(
                    "100 other pods bound", bound, CALL_LIMIT.multipliedBy(6).plusSeconds(30));
            String stack = "Plugin did not return in time.*FailingPlugin\\.hang";
            Waiting.until(() -> scheduler.inLog(stack) >= points.size());
            report.saw(scheduler.inLog(stack) + " stacks in the log");
            report.holds(scheduler.inLog(stack) == points.size(), "not " + points.size() + " stacks in the log");
            report.holds(scheduler.page("/livez").isPresent(), "/livez fails");
            for (String point : points) {
                scene.awaitBound(name(point, Way.HANG), 1);
            }
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(value = 27, injected = "PreEnqueue hangs for 60 s; limit of 5 s")
    void hangsInTheQueue(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", NODES, "1", 110);
            SchedulerProcess scheduler = scene.start(PluginJar.command(scene));
            scene.api().create("/api/v1/namespaces/default/pods", pod("PreEnqueue", Way.HANG, ""));
            Duration failing = Waiting.until(() -> scheduler.page("/livez").isEmpty());
            report.took("/livez fails", failing, CALL_LIMIT.plusSeconds(5));
            report.holds(scheduler.inLog("FailingPlugin\\.hang") > 0, "no stack in the log");
            Waiting.until(() -> scheduler.page("/livez").isPresent());
            scene.pods("other", 100, "1m");
            report.took(
                    "100 other pods bound once it has returned",
                    scene.awaitBound("other", 100),
                    Duration.ofSeconds(30));
            scene.awaitBound(name("PreEnqueue", Way.HANG), 1);
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(value = 28, injected = "a plugin whose Filter fails always; taken out with Ignore and with Fail")
    void alwaysFails(FaultReport report) throws IOException {
        for (String policy : List.of("Ignore", "Fail")) {
            try (FaultScene scene = FaultScene.open(report)) {
                scene.nodes("n", 5, "1", 110);
                SchedulerProcess scheduler = scene.start(
                        PluginJar.command(scene).flags("--plugin-failure-policy=" + FailingPlugin.NAME + "=" + policy));
                Path file = scene.plane().folder().resolve("plugins").resolve("on");
                Files.writeString(file, "");
                scene.api()
                        .create("/api/v1/namespaces/default/pods", pod("Filter", Way.EXCEPTION, ", \"while\": \"on\""));
                Duration opened = Waiting.until(() -> scheduler.metric("moorage_plugin_suspended", "Failing") == 1);
                report.took(policy + ": suspended", opened, Duration.ofMinutes(2));
                Waiting.until(() -> !suspendedEvents(scene).isEmpty());
                report.holds(!suspendedEvents(scene).isEmpty(), "no event PluginSuspended");
                String name = name("Filter", Way.EXCEPTION);
                if (policy.equals("Ignore")) {
                    report.took("the pod bound", scene.awaitBound(name, 1), AT_LAST);
                } else {
                    Duration kept = Waiting.until(
                            Duration.ofSeconds(20), () -> scene.versions().bound(name) > 0);
                    report.holds(kept.toSeconds() >= 20, "bound although the plugin fails closed");
                }
                Files.delete(file);
                Waiting.until(() -> {
                    scene.probe();
                    return scheduler.metric("moorage_plugin_suspended", "Failing") == 0;
                });
                report.holds(scheduler.metric("moorage_plugin_suspended", "Failing") == 0, "not called again");
                report.took("the pod bound", scene.awaitBound(name, 1), AT_LAST);
                scene.checkInvariants(scheduler);
            }
        }
    }

    @Test
    @Fault(
            value = 38,
            injected =
                    "the clock is set back by an hour while a plugin is suspended and its pod has failed with an error")
    void clockSetBackWhileSuspended(FaultReport report) throws IOException {
        assumeThat(FAKE_CLOCK)
                .as("libfaketime is missing (Debian's package libfaketime): the clock cannot be changed")
                .exists();
        try (FaultScene scene = FaultScene.open(report)) {
            Path offset = Files.writeString(scene.plane().folder().resolve("offset"), "+0\n");
            scene.nodes("n", 5, "1", 110);
            SchedulerProcess scheduler = scene.start(PluginJar.command(scene)
                    .flags("--plugin-failure-policy=" + FailingPlugin.NAME + "=Fail")
                    .environment(
                            "LD_PRELOAD=" + FAKE_CLOCK,
                            "FAKETIME_TIMESTAMP_FILE=" + offset,
                            "FAKETIME_CACHE_DURATION=1",
                            "FAKETIME_DONT_FAKE_MONOTONIC=1",
                            "DONT_FAKE_MONOTONIC=1"));
            Path file = scene.plane().folder().resolve("plugins").resolve("on");
            Files.writeString(file, "");
            scene.api().create("/api/v1/namespaces/default/pods", pod("Filter", Way.EXCEPTION, ", \"while\": \"on\""));
            Waiting.until(() -> scheduler.metric("moorage_plugin_suspended", "Failing") == 1);
            report.holds(scheduler.metric("moorage_plugin_suspended", "Failing") == 1, "not suspended");
            Files.writeString(offset, "-3600\n");
            Files.delete(file);
            // A minute of suspension, and the longest backoff.
            report.took("the pod bound", scene.awaitBound(name("Filter", Way.EXCEPTION), 1), Duration.ofSeconds(85));
            scene.checkInvariants(scheduler);
        }
    }

    private static List<JsonNode> suspendedEvents(FaultScene scene) {
        return scene.api().items("/apis/events.k8s.io/v1/events").stream()
                .filter(event -> event.path("reason").asText().equals("PluginSuspended"))
                .toList();
    }
}
