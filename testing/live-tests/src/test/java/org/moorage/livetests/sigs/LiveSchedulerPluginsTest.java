// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.sigs;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.sigs.PluginsScene.GROUPS;
import static org.moorage.livetests.sigs.PluginsScene.pod;
import static org.moorage.livetests.sigs.PluginsScene.pods;
import static org.moorage.livetests.sigs.PluginsScene.quotas;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.moorage.api.model.Quantity;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * Tests the plugins of scheduler-plugins on a real control plane with their custom resources: gangs, quotas, NUMA nodes,
 * measured load, and the status of groups and quotas.
 */
@Tag("live")
class LiveSchedulerPluginsTest {
    private static final int ROUNDS = 50;
    private static final int GANG = 4;
    private static final String TRAINING = GROUPS + "/training";

    @RegisterExtension
    static final PluginsScene scene = PluginsScene.open(Map.of("load-0", 10, "load-1", 30, "load-2", 60));

    private static String podGroup(String name, int minMember, String more) {
        return """
                {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "%s"},
                 "spec": {"minMember": %d%s}}""".formatted(name, minMember, more);
    }

    private static String member(String group, int number, String moreMetadata) {
        return pod(
                group + "-" + number,
                "gangs",
                1,
                "\"labels\": {\"scheduling.x-k8s.io/pod-group\": \"" + group + "\"}" + moreMetadata);
    }

    // In any order: the group may come after some of its pods. Every other group states its resources, so that its pods
    // are rejected before they take nodes.
    private static CompletableFuture<Void> createGang(String name, int round, Random random) {
        String resources =
                round % 2 == 0 ? "" : ", \"minResources\": {\"cpu\": \"%1$d\", \"memory\": \"%1$dGi\"}".formatted(GANG);
        List<Runnable> steps = new ArrayList<>();
        steps.add(() -> scene.api().create(GROUPS, podGroup(name, GANG, resources)));
        for (int i = 0; i < GANG; i++) {
            String member = member(name, i, "");
            steps.add(() -> scene.api().create(ApiAccess.PODS, member));
        }
        Collections.shuffle(steps, random);
        return CompletableFuture.runAsync(() -> steps.forEach(Runnable::run), task -> new Thread(task, name).start());
    }

    private static void removeGang(String name) {
        List<String> paths = new ArrayList<>(List.of(GROUPS + "/" + name));
        for (int i = 0; i < GANG; i++) {
            paths.add(ApiAccess.PODS + "/" + name + "-" + i);
        }
        scene.api().deleteAll(paths);
    }

    @Test
    void ofTwoGangsWithRoomForOneExactlyOneStarts() {
        Random random = new Random(Scene.seed("gangs of scheduler-plugins"));
        scene.nodes("gang", 2, GANG / 2);
        String waiting = "gang-0x";
        createGang(waiting, 0, random).join();
        String bound = "";
        for (int round = 1; round <= ROUNDS; round++) {
            String first = waiting;
            String second = "gang-" + round + "x";
            CompletableFuture<Void> creation = createGang(second, round, random);
            if (!bound.isEmpty()) {
                removeGang(bound);
            }
            creation.join();
            scene.await("one of the gangs is bound in round " + round, () -> {
                int firstBound = scene.bound(first + "-");
                int secondBound = scene.bound(second + "-");
                assertThat(Math.min(firstBound, secondBound))
                        .as("pods of %s and %s that are bound: %d and %d", first, second, firstBound, secondBound)
                        .isZero();
                return Math.max(firstBound, secondBound) == GANG;
            });
            bound = scene.bound(first + "-") > 0 ? first : second;
            waiting = bound.equals(first) ? second : first;
        }
        removeGang(bound);
        // Like the original, Coscheduling does not retry a gang that lacks its minResources when a pod is deleted.
        // Another
        // pod of the gang is tried, and activates the others.
        String last = waiting;
        scene.api().create(ApiAccess.PODS, member(last, GANG, ""));
        scene.await("the last gang is bound", () -> scene.bound(last + "-") == GANG);
    }

    private static String quota(String min, String max) {
        return """
                {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota", "metadata": {"name": "quota"},
                 "spec": {"min": {"cpu": "%1$s", "memory": "%1$sGi"}, "max": {"cpu": "%2$s", "memory": "%2$sGi"}}}""".formatted(min, max);
    }

    private static void createPods(String namespace, String prefix, int count) {
        scene.api()
                .createAll(
                        pods(namespace),
                        IntStream.range(0, count)
                                .mapToObj(i -> pod(prefix + i, "quotas", 1, ""))
                                .toList());
    }

    private static long awaitUsed(String namespace, int cpus) {
        return Quantity.parse(scene.await(
                                quotas(namespace) + "/quota",
                                "uses " + cpus + " cpus",
                                quota -> quota.at("/status/used/cpu").asText().equals(String.valueOf(cpus)))
                        .at("/status/used/memory")
                        .asText())
                .value();
    }

    @Test
    void aQuotaBorrowsUpToItsMaximumAndReturnsWhatAnotherIsGuaranteed() {
        scene.nodes("quota", 2, 4);
        scene.api().create(quotas("team-a"), quota("4", "6"));
        scene.api().create(quotas("team-b"), quota("4", "8"));

        createPods("team-a", "a-", 8);
        scene.await("team-a has borrowed up to its maximum", () -> scene.bound("a-") == 6);
        scene.await(
                "the others are more than its maximum",
                () -> scene.present("a-").stream()
                                .filter(pod -> PodVersions.podScheduled(pod)
                                        .path("message")
                                        .asText()
                                        .contains("ElasticQuota team-a is more than Max"))
                                .count()
                        == 2);
        assertThat(awaitUsed("team-a", 6)).isEqualTo(6L << 30);

        createPods("team-b", "b-", 4);
        scene.await("team-b has its minimum", () -> {
            assertThat(scene.bound("a-")).as("team-a").isBetween(4, 6);
            return scene.bound("b-") == 4;
        });
        assertThat(scene.bound("a-")).isEqualTo(4);
        assertThat(scene.present("a-")).as("4 run, and 2 are pending").hasSize(6);
        scene.poll(
                "two pods were preempted",
                () -> scene.events("team-a", "Pod").stream()
                                .filter(event -> event.startsWith("Normal Preempted "))
                                .count()
                        == 2);
        assertThat(awaitUsed("team-b", 4)).isEqualTo(4L << 30);

        scene.api().delete(pods("team-b"));
        scene.await("team-a borrows again", () -> scene.bound("a-") == 6);
        awaitUsed("team-a", 6);
        awaitUsed("team-b", 0);
        assertThat(scene.events("team-b", "ElasticQuota"))
                .contains("Normal Synced quota: Elastic Quota team-b/quota synced successfully");
    }

    @Test
    void podsAreAlignedOneAfterTheOtherUntilNoNumaNodeHasRoom() {
        TopologyExporter exporter = new TopologyExporter(scene.api());
        AtomicInteger started = new AtomicInteger();
        scene.containersRun(pod -> {
            exporter.started(pod);
            started.incrementAndGet();
            return true;
        });
        scene.nodes("numa", 2, 8);
        for (int i = 0; i < 2; i++) {
            exporter.add("numa-" + i, 2, 4);
        }
        // A pod takes 3 of the 4 cpus of a NUMA node. There are 4 NUMA nodes, whose nodes have room for more pods.
        for (int i = 0; i < 4; i++) {
            String name = "aligned-" + i;
            int next = i + 1;
            scene.api().create(ApiAccess.PODS, pod(name, "numa", 3, ""));
            scene.poll(name + " has started", () -> started.get() == next);
        }
        scene.api().create(ApiAccess.PODS, pod("unaligned", "numa", 2, ""));
        scene.await(
                "unaligned is rejected",
                () -> scene.present("unaligned").stream()
                        .anyMatch(pod -> PodVersions.podScheduled(pod)
                                .path("message")
                                .asText()
                                .contains("2 cannot align pod")));
        scene.api().create(ApiAccess.PODS, pod("small", "numa", 1, ""));
        scene.await("small is bound", () -> scene.bound("small") == 1);
        assertThat(exporter.refused()).isEmpty();
    }

    @Test
    void podsThatAreScheduledFasterThanTheExporterReportsAreAligned() {
        TopologyExporter exporter = new TopologyExporter(scene.api());
        scene.containersRun(pod -> {
            exporter.started(pod);
            return true;
        });
        scene.nodes("burst", 4, 8);
        for (int i = 0; i < 4; i++) {
            exporter.add("burst-" + i, 2, 4);
        }

        scene.api()
                .createAll(
                        ApiAccess.PODS,
                        IntStream.range(0, 16)
                                .mapToObj(i -> pod("burst-" + i, "numa-reserving", 2, ""))
                                .toList());

        scene.await("all pods are bound", () -> scene.bound("burst-") == 16);
        scene.poll(
                "all pods have started",
                () -> exporter.pods() + exporter.refused().size() == 16);
        assertThat(exporter.refused()).isEmpty();
        assertThat(exporter.cpusLeft()).isZero();
    }

    @Test
    void podsArePackedByTheMeasuredLoadAndThePodsBoundSince() {
        // load-0 to load-2 with 10, 30 and 60 percent, and load-3 without metrics; a pod takes 10 percent.
        scene.nodes("load", 4, 10);
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String name = "loaded-" + i;
            scene.api().create(ApiAccess.PODS, pod(name, "load", 1, ""));
            scene.await(name + " is bound", () -> scene.bound(name) == 1);
            nodes.add(PodVersions.nodeName(scene.present(name).get(0)));
        }
        // The target is 40 percent; above it, the least loaded node is best.
        assertThat(nodes).containsExactly("load-1", "load-0", "load-0", "load-0");
    }

    private static JsonNode awaitPhase(String phase) {
        return scene.await(
                        TRAINING,
                        "is " + phase,
                        group -> group.at("/status/phase").asText().equals(phase))
                .path("status");
    }

    @Test
    void theLeaderWritesTheStatusOfGroupsAndTheNextLeaderContinues() {
        CountDownLatch trained = new CountDownLatch(1);
        scene.containersRun(pod -> {
            trained.await();
            return false;
        });
        scene.nodes("status", 1, 4);
        SchedulerProcess leader = scene.scheduler();
        SchedulerProcess standby = scene.newScheduler();
        scene.poll("the standby has read all objects", standby::isReady);

        scene.api().create(GROUPS, podGroup("training", 3, ""));
        awaitPhase("Pending");
        String owner = ", \"ownerReferences\": [{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"name\": \"train\","
                + " \"uid\": \"train\"}]";
        for (int i = 0; i < 2; i++) {
            scene.api().create(ApiAccess.PODS, member("training", i, owner));
        }
        assertThat(scene.bound("training-")).isZero();
        scene.api().create(ApiAccess.PODS, member("training", 2, owner));
        JsonNode running = awaitPhase("Running");
        assertThat(running.path("running").asInt()).isEqualTo(3);
        assertThat(running.path("occupiedBy").asText()).isEqualTo("default/train");
        assertThat(leader.metric("moorage_controller_reconciliations_total")).isPositive();
        assertThat(standby.metric("moorage_controller_reconciliations_total")).isZero();

        assertThat(leader.program().terminate()).as(leader.program().log()).isZero();
        scene.schedulerIs(standby);
        trained.countDown();
        JsonNode finished = awaitPhase("Finished");
        assertThat(finished.path("succeeded").asInt()).isEqualTo(3);
        assertThat(finished.path("running").asInt()).isZero();
        assertThat(PluginsScene.leads(standby)).isTrue();
        assertThat(scene.present("training-").stream().collect(groupingBy(PodVersions::isTerminal, counting())))
                .isEqualTo(Map.of(true, 3L));
    }
}
