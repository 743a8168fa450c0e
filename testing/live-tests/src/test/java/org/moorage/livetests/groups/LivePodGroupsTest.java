// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.groups;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.groups.GroupScene.GROUPS;
import static org.moorage.livetests.groups.GroupScene.JOBS;
import static org.moorage.livetests.groups.GroupScene.PODS;
import static org.moorage.livetests.groups.GroupScene.ZONE;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.moorage.livetests.scene.PodVersions;

/** Groups of pods on a real control plane: they start whole or not at all, and leave whole. */
@Tag("live")
class LivePodGroupsTest {
    @RegisterExtension
    static final GroupScene scene = GroupScene.open();

    @Test
    void aGangOfAHundredStarts() {
        scene.nodes("n", 20, 6);
        Gang gang = Gang.of("hundred", 100);

        scene.create(gang);

        scene.awaitBound(gang);
        scene.awaitScheduled("hundred");
    }

    @Test
    void aGangWithoutRoomWaitsWholeAndSaysWhyUntilThereIsRoom() {
        scene.nodes("n", 3, 1);
        Gang gang = Gang.of("five", 5);
        String unschedulable = "pod group is unschedulable";
        String reason = unschedulable
                + ", 0/1 placements are available, first placement status: minCount (5) cannot be satisfied:"
                + " 3 scheduled, 1 remaining";
        String preemption = ", pod group preemption: No preemption victims found for incoming preemptor";

        scene.create(gang);

        scene.awaitCondition("five", "False Unschedulable: " + reason + preemption);
        Map<String, Long> wanted = Map.of(
                "False Unschedulable: " + unschedulable + ", " + reason + preemption,
                3L,
                "False Unschedulable: 0/3 nodes are available: 3 Insufficient cpu, 3 Insufficient memory.",
                1L,
                "False Unschedulable: " + reason,
                1L);
        scene.await(
                "the conditions of the pods are " + wanted,
                () -> podConditions(gang).equals(wanted));
        assertThat(scene.bound(gang)).isZero();

        scene.nodes("room", 1, 3);

        scene.awaitBound(gang);
        scene.awaitScheduled("five");
    }

    private static Map<String, Long> podConditions(Gang gang) {
        return scene.pods(gang.prefix()).stream()
                .map(PodVersions::podScheduled)
                .map(GroupScene::text)
                .collect(groupingBy(text -> text, counting()));
    }

    @Test
    void aGangOfHigherPriorityTakesThePlaceOfAWholeOne() {
        String leavesWhole = "\"disruptionMode\": {\"all\": {}}";
        scene.nodes("n", 4, 2);
        scene.nodes("beside", 1, 3, "beside", "z");
        Gang victim = Gang.of("victim", 8).ofPriority("low").with(leavesWhole);
        Gang beside = Gang.of("beside", 2).ofPriority("low").with(leavesWhole).in("beside");
        scene.create(victim);
        scene.create(beside);
        scene.awaitBound(victim);
        scene.awaitBound(beside);
        Set<String> victims = names(victim);
        Gang preemptor = Gang.of("preemptor", 3).ofPriority("high");

        scene.create(preemptor);

        scene.awaitBound(preemptor);
        scene.awaitScheduled("preemptor");
        assertThat(names(victim)).isEmpty();
        assertThat(scene.bound(beside)).isEqualTo(beside.size());
        String uid = scene.api().get(GROUPS + "/preemptor").at("/metadata/uid").asText();
        Map<String, Set<String>> wanted = Map.of("Preempted by podgroup " + uid + " on node cluster", victims);
        scene.poll("the events of the victims are " + wanted, () -> preempted().equals(wanted));
    }

    private static Set<String> names(Gang gang) {
        return scene.pods(gang.prefix()).stream().map(PodVersions::name).collect(toSet());
    }

    private static Map<String, Set<String>> preempted() {
        return scene.api().items("/apis/events.k8s.io/v1/namespaces/default/events").stream()
                .filter(event -> event.path("reason").asText().equals("Preempted"))
                .collect(groupingBy(
                        event -> event.path("note").asText(),
                        mapping(
                                event ->
                                        "default/" + event.at("/regarding/name").asText(),
                                toSet())));
    }

    @Test
    void aGangOfOneZoneGoesToTheOneThatHoldsIt() {
        for (String zone : List.of("a", "b", "c")) {
            scene.nodes(zone, 2, 4, "main", zone);
        }
        Map.of("a-0", 1, "a-1", 2, "b-0", 3, "c-0", 1, "c-1", 1)
                .forEach((node, cpus) -> scene.api().create(PODS, occupant(node, cpus)));
        Gang gang = Gang.of("near", 6).with("\"schedulingConstraints\": {\"topology\": [{\"key\": \"" + ZONE + "\"}]}");

        scene.create(gang);

        scene.awaitBound(gang);
        scene.awaitScheduled("near");
        assertThat(scene.pods(gang.prefix()))
                .allSatisfy(pod -> assertThat(PodVersions.nodeName(pod)).startsWith("c-"));
    }

    private static String occupant(String node, int cpus) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "occupant-%1$s"},
                 "spec": {"nodeName": "%1$s", "terminationGracePeriodSeconds": 0,
                  "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "%2$d"}}}]}}""".formatted(node, cpus);
    }

    @Test
    void theGroupThatAJobMakesStarts() {
        scene.nodes("n", 3, 2);

        scene.api().create(JOBS, """
                {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "training"},
                 "spec": {"parallelism": 5, "completions": 5, "scheduling": {"schedulingPolicy": {"gang": {}}},
                  "template": {"spec": {"restartPolicy": "Never", "nodeSelector": {"pool": "main"},
                    "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "i",
                     "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}}}}""");

        scene.awaitBound("training-", 5);
        List<JsonNode> groups = scene.api().items(GROUPS);
        assertThat(groups).hasSize(1);
        String group = groups.get(0).at("/metadata/name").asText();
        assertThat(groups.get(0).at("/spec/schedulingPolicy/gang/minCount").asInt())
                .isEqualTo(5);
        assertThat(scene.pods("training-"))
                .hasSize(5)
                .allSatisfy(pod -> assertThat(
                                pod.at("/spec/schedulingGroup/podGroupName").asText())
                        .isEqualTo(group));
        scene.awaitScheduled(group);
    }
}
