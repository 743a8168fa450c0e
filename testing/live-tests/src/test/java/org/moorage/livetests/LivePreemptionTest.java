// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * Asynchronous preemption on a real control plane: several preemptors at the same time, victims that terminate slowly,
 * and a disruption budget that cannot be kept. The real kube-scheduler receives the same objects on another control
 * plane, and both must go through the same states.
 */
@Tag("live")
class LivePreemptionTest {
    /**
     * The state while a victim terminates. It is random which of three equivalent pods gets which of three equivalent
     * nodes.
     */
    private static final SortedMap<String, String> WHILE_A_VICTIM_LEAVES = new TreeMap<>(Map.of(
            "pods on each-a", "crowd",
            "pods on each-b", "crowd",
            "pods on each-c", "crowd",
            "pods on slow-a", "slow-middle",
            "pods on slow-b", "slow-low (leaves: default-scheduler: preempting to accommodate a higher priority pod)",
            "pods on kept-a", "ruthless",
            "pods on polite-a", "seated",
            "waiting", "patient for slow-b, polite for ",
            "evicted", "a 4 b 4 c 4 kept 2 slow 1"));

    private static final SortedMap<String, String> WHEN_IT_IS_GONE = new TreeMap<>(WHILE_A_VICTIM_LEAVES);

    static {
        WHEN_IT_IS_GONE.put("pods on slow-b", "patient");
        WHEN_IT_IS_GONE.put("waiting", "polite for ");
    }

    /** The states while a victim terminates and after it is gone. */
    private record States(SortedMap<String, String> before, SortedMap<String, String> after) {}

    @Test
    void makesRoomAsTheRealOneDoes() {
        States ours = states(MOORAGE);
        States theirs = states(KUBE_SCHEDULER);

        assertThat(ours).isEqualTo(theirs).isEqualTo(new States(WHILE_A_VICTIM_LEAVES, WHEN_IT_IS_GONE));
    }

    private static States states(SchedulerProcess.Kind kind) {
        try (Scene scene = Scene.open()) {
            scene.create(Scene.resource(LivePreemptionTest.class, "preemption.yaml"));
            SchedulerProcess scheduler = scene.scheduler(kind).start();
            SortedMap<String, String> before = until(scene, WHILE_A_VICTIM_LEAVES);
            // As its kubelet does after the containers have ended.
            scene.api().delete(ApiAccess.PODS + "/slow-low");
            SortedMap<String, String> after = until(scene, WHEN_IT_IS_GONE);
            assertThat(scheduler.crashes()).isEmpty();
            return new States(before, after);
        }
    }

    private static SortedMap<String, String> until(Scene scene, SortedMap<String, String> wanted) {
        return scene.await("" + wanted, () -> state(scene.api()), wanted::equals);
    }

    private static SortedMap<String, String> state(ApiAccess api) {
        SortedMap<String, String> state = new TreeMap<>();
        for (JsonNode pod : api.items(ApiAccess.PODS)) {
            String name = pod.at("/metadata/name").asText();
            String shown = name.startsWith("crowd-") ? "crowd" : name;
            String node = pod.at("/spec/nodeName").asText();
            if (node.isEmpty()) {
                add(
                        state,
                        "waiting",
                        shown + " for " + pod.at("/status/nominatedNodeName").asText());
            } else {
                add(state, "pods on " + node, shown + leaving(pod));
            }
        }
        // Compares victims instead of events: kube-scheduler may evict a pod twice if its preemptor is retried before
        // the eviction is visible.
        SortedMap<String, Set<String>> evicted = new TreeMap<>();
        for (JsonNode event : api.items(ApiAccess.EVENTS)) {
            if (event.path("reason").asText().equals("Preempted")) {
                String victim = event.at("/regarding/name").asText();
                evicted.computeIfAbsent(victim.substring(0, victim.indexOf('-')), group -> new HashSet<>())
                        .add(victim);
            }
        }
        evicted.forEach((group, victims) ->
                state.merge("evicted", group + " " + victims.size(), (all, one) -> all + " " + one));
        return state;
    }

    private static void add(Map<String, String> state, String key, String text) {
        state.merge(key, text, (all, one) -> all + ", " + one);
    }

    private static String leaving(JsonNode pod) {
        if (pod.at("/metadata/deletionTimestamp").isMissingNode()) {
            return "";
        }
        JsonNode target = ApiAccess.condition(pod, "DisruptionTarget");
        return target.isMissingNode()
                ? " (leaves)"
                : " (leaves: " + target.path("message").asText() + ")";
    }
}
