// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Events that the API server does not take. */
class EventFaultsTest {
    private static final Duration AT_LAST = Duration.ofSeconds(60);
    private static final Duration REFUSED = Duration.ofMinutes(5);
    private static final Duration BETWEEN = Duration.ofSeconds(15);
    private static final int ROUND = 20;

    private final AtomicInteger refused = new AtomicInteger();

    @Test
    @Fault(value = 34, injected = "events of one namespace answered 500 for 5 minutes")
    void refusedEvents(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", 200, "8", 110);
            for (String namespace : List.of("refused", "other")) {
                scene.api()
                        .create(
                                "/api/v1/namespaces",
                                "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \""
                                        + namespace + "\"}}");
            }
            SchedulerProcess scheduler =
                    scene.start(scene.command(MOORAGE).kubeconfig(scene.kubeconfigThrough(proxy.port())));
            List<Duration> before = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                before.add(round(scene, "before" + round + "-"));
            }
            proxy.behave(exchange -> {
                if (exchange.path().contains("/namespaces/refused/events")) {
                    refused.incrementAndGet();
                    exchange.refuse(500, "InternalError");
                } else {
                    exchange.forward();
                }
            });
            long start = System.nanoTime();
            List<Duration> during = new ArrayList<>();
            Duration longest = Duration.ZERO;
            for (int round = 0; System.nanoTime() - start < REFUSED.toNanos(); round++) {
                String name = "during" + round + "-";
                during.add(round(scene, name));
                Duration told = Waiting.until(() -> events(scene, name) >= ROUND);
                longest = told.compareTo(longest) > 0 ? told : longest;
                Waiting.pause(BETWEEN);
            }
            report.took("events of the other namespace at the latest", longest, Duration.ofSeconds(5));
            report.saw(refused.get() + " requests refused");
            report.holds(refused.get() > 0, "nothing was refused");
            report.saw("40 pods bound within " + FaultReport.seconds(median(before)) + " before, "
                    + FaultReport.seconds(median(during)) + " during (medians)");
            // Twice as long, and half a second, are within what a busy machine makes of it.
            report.holds(
                    median(during).compareTo(median(before).multipliedBy(2).plusMillis(500)) <= 0,
                    "scheduling became slower");
            proxy.behave(AnsweringProxy.Exchange::forward);
            round(scene, "after-");
            report.took(
                    "afterwards events of the namespace",
                    Waiting.until(() -> events(scene, "refused", "after-") >= ROUND),
                    AT_LAST);
            scene.checkInvariants(scheduler);
        }
    }

    private static Duration median(List<Duration> times) {
        return times.stream().sorted().toList().get(times.size() / 2);
    }

    /** Pods of both namespaces, as many of each; returns how long it took until all were bound. */
    private static Duration round(FaultScene scene, String prefix) {
        List<String> pods = new ArrayList<>();
        for (int i = 0; i < ROUND; i++) {
            pods.add(FaultScene.pod(prefix + i, "10m", ""));
        }
        long start = System.nanoTime();
        for (String namespace : List.of("refused", "other")) {
            scene.api().createAll("/api/v1/namespaces/" + namespace + "/pods", pods);
        }
        scene.awaitBound(prefix, 2 * ROUND);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static int events(FaultScene scene, String prefix) {
        return events(scene, "other", prefix);
    }

    private static int events(FaultScene scene, String namespace, String prefix) {
        int count = 0;
        for (JsonNode event : scene.api().items("/api/v1/namespaces/" + namespace + "/events")) {
            if (event.path("reason").asText().equals("Scheduled")
                    && event.at("/involvedObject/name").asText().startsWith(prefix)) {
                count++;
            }
        }
        return count;
    }
}
