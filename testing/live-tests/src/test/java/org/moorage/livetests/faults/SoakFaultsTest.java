// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/**
 * Creates and deletes pods for minutes ({@code -Dsoak.minutes}, by default ten), with and without faults, and checks
 * what remains in an idle process.
 */
class SoakFaultsTest {
    private static final Duration LENGTH = Duration.ofMinutes(Integer.getInteger("soak.minutes", 10));
    private static final Duration REST = Duration.ofSeconds(40);
    private static final Duration BETWEEN_FAULTS = Duration.ofSeconds(20);
    private static final int NODES = 100;
    private static final int BATCH = 50;
    private static final int MOST_BATCHES = 12;
    private static final String TENTH = "100m";
    private static final Pattern USED = Pattern.compile(" total \\d+K, used (\\d+)K");

    /** The faults that are injected at random, by number. */
    private enum Injected {
        API_SERVER_KILLED,
        WATCHES_FROZEN,
        ANSWERS_LOST,
        DELETED_ON_THE_WAY
    }

    /**
     * The contents of the process after a garbage collection.
     *
     * @param threads the number of threads by name
     */
    private record Held(long heapBytes, Map<String, Integer> threads) {
        String text() {
            int count = threads.values().stream().mapToInt(Integer::intValue).sum();
            return String.format(Locale.ROOT, "%.1f MB and %d threads", heapBytes / 1048576.0, count);
        }
    }

    @Test
    @Fault(value = 39, injected = "churn for minutes, without faults")
    void churn(FaultReport report) {
        soak(report, false);
    }

    @Test
    @Fault(value = 39, injected = "churn for minutes, with 1, 3, 5 and 24 at random")
    void churnWithFaults(FaultReport report) {
        soak(report, true);
    }

    private static void soak(FaultReport report, boolean hasFaults) {
        Random random = report.random();
        AtomicInteger dropped = new AtomicInteger();
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", NODES, "1", 110);
            SchedulerProcess scheduler = scene.start(
                    scene.command(MOORAGE).java("-Xmx256m").kubeconfig(scene.kubeconfigThrough(proxy.port())));
            List<String> batches = new ArrayList<>();
            Held first = null;
            boolean isHalf = false;
            int[] injected = new int[Injected.values().length];
            long start = System.nanoTime();
            long nextFault = start + BETWEEN_FAULTS.toNanos();
            for (int number = 0; System.nanoTime() - start < LENGTH.toNanos(); number++) {
                churnOnce(scene, batches, number, random);
                Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
                if (first == null && elapsed.toMinutes() >= 1) {
                    first = atRest(scene, batches, scheduler);
                    report.saw("after the first minute " + first.text());
                    report.saw((long) scheduler.metric("scheduler_schedule_attempts_total") + " attempts");
                }
                if (hasFaults && first != null && System.nanoTime() > nextFault) {
                    Injected fault = Injected.values()[random.nextInt(Injected.values().length)];
                    injected[fault.ordinal()]++;
                    inject(fault, scene, proxy, dropped, random);
                    nextFault = System.nanoTime() + BETWEEN_FAULTS.toNanos();
                }
                if (!isHalf && elapsed.compareTo(LENGTH.dividedBy(2)) > 0) {
                    isHalf = true;
                    report.saw("at half time, not at rest, " + held(scheduler).text());
                }
            }
            for (Injected fault : Injected.values()) {
                if (injected[fault.ordinal()] > 0) {
                    report.saw(injected[fault.ordinal()] + " times "
                            + fault.name().toLowerCase(Locale.ROOT).replace('_', ' '));
                }
            }
            Held last = atRest(scene, batches, scheduler);
            report.saw("at the end " + last.text());
            report.saw((long) scheduler.metric("scheduler_schedule_attempts_total") + " attempts");
            if (first != null) {
                report.holds(
                        last.heapBytes <= 1.1 * first.heapBytes,
                        "the heap holds more than a tenth more than after the first minute");
                report.holds(
                        last.threads.equals(first.threads),
                        "threads: " + last.threads + " instead of " + first.threads);
            }
            double queued = scheduler.metric("scheduler_pending_pods");
            report.holds(queued == 0, queued + " pods in the queue");
            scene.checkInvariants(scheduler);
        }
    }

    /** Deletes a random batch of pods if the maximum number exists, and creates a new batch. */
    private static void churnOnce(FaultScene scene, List<String> batches, int number, Random random) {
        if (batches.size() == MOST_BATCHES) {
            remove(scene, batches.remove(random.nextInt(batches.size())));
        }
        String prefix = "b" + number + "-";
        scene.pods(prefix, BATCH, TENTH);
        batches.add(prefix);
    }

    private static void remove(FaultScene scene, String prefix) {
        List<String> gone = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            gone.add(FaultScene.podPath(prefix + i));
        }
        scene.api().deleteAll(gone);
    }

    /** Deletes all objects but the nodes, and waits until idle threads have ended. */
    private static Held atRest(FaultScene scene, List<String> batches, SchedulerProcess scheduler) {
        for (String prefix : batches) {
            scene.await(prefix + " is bound", () -> scene.versions().bound(prefix) == BATCH);
            remove(scene, prefix);
        }
        batches.clear();
        scene.await("the queue is empty", () -> scheduler.metric("scheduler_pending_pods") == 0);
        Waiting.pause(REST);
        return held(scheduler);
    }

    private static Held held(SchedulerProcess scheduler) {
        // Twice: objects that the first collection finalizes are freed by the second.
        scheduler.jcmd("GC.run");
        scheduler.jcmd("GC.run");
        Matcher used = USED.matcher(scheduler.jcmd("GC.heap_info"));
        long kilobytes = used.results()
                .mapToLong(generation -> Long.parseLong(generation.group(1)))
                .sum();
        return new Held(kilobytes << 10, scheduler.threads());
    }

    private static void inject(
            Injected fault, FaultScene scene, AnsweringProxy proxy, AtomicInteger dropped, Random random) {
        switch (fault) {
            case API_SERVER_KILLED -> {
                List<String> command = scene.plane().killApiServer();
                Waiting.pause(Duration.ofSeconds(3));
                scene.plane().startApiServer(command);
                scene.awaitServer();
            }
            case WATCHES_FROZEN -> {
                // The restart ends the open watches, and new ones must wait meanwhile.
                proxy.behave(exchange -> {
                    if (exchange.isWatch()) {
                        exchange.drop();
                    } else {
                        exchange.forward();
                    }
                });
                List<String> command = scene.plane().killApiServer();
                scene.plane().startApiServer(command);
                scene.awaitServer();
                String prefix = "unseen-" + System.nanoTime() + "-";
                scene.pods(prefix, BATCH, TENTH);
                remove(scene, prefix);
                scene.compact();
                proxy.behave(AnsweringProxy.Exchange::forward);
            }
            case ANSWERS_LOST -> {
                int until = dropped.get() + 10;
                proxy.behave(exchange -> {
                    if (exchange.isBinding() && dropped.getAndIncrement() < until) {
                        exchange.forwardAndDrop();
                    } else {
                        exchange.forward();
                    }
                });
            }
            case DELETED_ON_THE_WAY -> {
                String prefix = "gone-" + random.nextInt(1_000_000) + "-";
                scene.pods(prefix, BATCH, TENTH);
                remove(scene, prefix);
            }
        }
    }
}
