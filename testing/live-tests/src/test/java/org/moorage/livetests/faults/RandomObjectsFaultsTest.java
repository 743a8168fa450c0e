// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectKind;
import org.moorage.livetests.scene.SchedulerProcess;

/** Tests random objects of all kinds ({@code -Dseed=} repeats a run): none of them blocks the scheduling of others. */
class RandomObjectsFaultsTest {
    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    private static final double DENSITY = 0.35;
    /** The number of random pods in addition to the plain one, which keeps the cluster stable. */
    private static final int PODS = 30;

    private static final List<ObjectKind<?>> KINDS = SchemaObjects.KINDS;

    @Test
    @Tag("live")
    @Fault(value = 40, injected = "150 random objects of all kinds, valid by the API server's schema")
    void someObjects(FaultReport report) {
        create(150, report);
    }

    @Test
    @Fault(value = 40, injected = "1,000 random objects of all kinds, valid by the API server's schema")
    void manyObjects(FaultReport report) {
        create(1000, report);
    }

    private static void create(int count, FaultReport report) {
        try (FaultScene scene = StrangeObjectsFaultsTest.withAllKinds(report)) {
            Random random = report.random();
            SchemaObjects objects = new SchemaObjects(scene.api(), KINDS, random, DENSITY);
            SchedulerProcess scheduler = scene.start(StrangeObjectsFaultsTest.command(scene));
            Map<String, Integer> made = new TreeMap<>();
            Deque<String> pods = new ArrayDeque<>();
            Duration slowest = Duration.ZERO;
            String beside = "";
            Map<String, Integer> threads = scheduler.threads();
            for (int number = 0; number < count; ) {
                ObjectKind<?> kind = random.nextInt(4) == 0 ? ObjectKind.POD : KINDS.get(random.nextInt(KINDS.size()));
                var path = objects.create(kind);
                if (path.isEmpty()) {
                    continue;
                }
                made.merge(kind.kind(), 1, Integer::sum);
                if (kind.equals(ObjectKind.POD)) {
                    pods.add(path.get());
                }
                Duration took = StrangeObjectsFaultsTest.plainPod(scene);
                if (took.compareTo(slowest) > 0) {
                    slowest = took;
                    beside = path.get();
                }
                while (pods.size() > PODS) {
                    StrangeObjectsFaultsTest.remove(scene, pods.remove());
                }
                number++;
            }
            int refused = objects.refusals().values().stream()
                    .mapToInt(Integer::intValue)
                    .sum();
            objects.refusals().forEach((reason, times) -> System.out.println(times + " times refused: " + reason));
            report.saw(made.values().stream().mapToInt(Integer::intValue).sum() + " objects " + made + ", " + refused
                    + " more refused");
            report.took("slowest plain pod bound, next to " + beside, slowest, AT_ONCE);
            report.saw((int) scheduler.metric("moorage_unreadable_objects") + " cannot be read");
            checkThreads(scheduler, threads, report);
            StrangeObjectsFaultsTest.checkLog(scheduler, report);
            scheduler.close();
            SchedulerProcess next = StrangeObjectsFaultsTest.startAmong(scene, report);
            pods.forEach(pod -> StrangeObjectsFaultsTest.remove(scene, pod));
            scene.checkInvariants(next);
        }
    }

    // Reports only missing threads, since worker threads for pods start and end.
    private static void checkThreads(SchedulerProcess scheduler, Map<String, Integer> before, FaultReport report) {
        Map<String, Integer> now = scheduler.threads();
        before.forEach((name, count) -> report.holds(
                now.getOrDefault(name, 0) >= count, "threads " + name + ": " + now.get(name) + " of " + count));
    }
}
