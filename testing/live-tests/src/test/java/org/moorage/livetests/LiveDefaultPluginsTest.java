// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * The results of the default plugins on a real control plane, with its controllers: volumes bound, devices allocated,
 * victims gone, pods spread. The same objects are given to the real kube-scheduler on another control plane, and both
 * must end in the same state.
 */
@Tag("live")
class LiveDefaultPluginsTest {
    /** The expected end; where several outcomes are as good, in words that are true of all of them. */
    private static final SortedMap<String, String> EXPECTED = new TreeMap<>(Map.ofEntries(
            // One replica takes nearly all of a node, and each of these nodes has one local volume.
            Map.entry("database on store-a", "volume-a Bound, claim Bound"),
            Map.entry("database on store-b", "volume-b Bound, claim Bound"),
            Map.entry("database on store-c", "volume-c Bound, claim Bound"),
            // Only one device of the class is of the model that the claim asks for.
            Map.entry("pod trainer", "devices"),
            Map.entry("claim named", "devices: card-large for trainer"),
            Map.entry("pod templated", "devices"),
            Map.entry("claim of templated", "devices: card-small for templated"),
            // Both pools would have to give way; the pods of one are protected by a budget.
            Map.entry("pod urgent", "pool-free"),
            Map.entry("pod guarded", "pool-guarded"),
            Map.entry("pod unguarded", "gone"),
            Map.entry("web in zone a", "2"),
            Map.entry("web in zone b", "2"),
            Map.entry("web in zone c", "2")));

    @Test
    void leaveTheClusterAsTheRealOneDoes() {
        SortedMap<String, String> ours = endState(MOORAGE);
        SortedMap<String, String> theirs = endState(KUBE_SCHEDULER);

        assertThat(ours).isEqualTo(theirs).isEqualTo(EXPECTED);
    }

    private static SortedMap<String, String> endState(SchedulerProcess.Kind kind) {
        try (Scene scene = Scene.withControllers()) {
            scene.create(Scene.resource(LiveDefaultPluginsTest.class, "default-plugins.yaml"));
            // A budget allows nothing until its controller has counted the pods.
            scene.await(
                    "the budget is observed",
                    () -> scene.api()
                            .get("/apis/policy/v1/namespaces/default/poddisruptionbudgets/guarded")
                            .at("/status/observedGeneration")
                            .asText()
                            .equals("1"));
            SchedulerProcess scheduler = scene.scheduler(kind).start();
            SortedMap<String, String> state = scene.await("" + EXPECTED, () -> state(scene.api()), EXPECTED::equals);
            assertThat(scheduler.crashes()).isEmpty();
            return state;
        }
    }

    private static SortedMap<String, String> state(ApiAccess api) {
        SortedMap<String, String> state = new TreeMap<>();
        List<JsonNode> pods = api.items(ApiAccess.PODS);
        for (String name : List.of("trainer", "templated", "urgent", "guarded", "unguarded")) {
            state.put("pod " + name, "gone");
        }
        for (JsonNode pod : pods) {
            String name = pod.at("/metadata/name").asText();
            String node = pod.at("/spec/nodeName").asText();
            switch (pod.at("/metadata/labels/app").asText()) {
                case "database" -> state.put("database on " + node, volumeOf(api, name));
                case "web" -> {
                    if (!node.isEmpty()) {
                        state.merge(
                                "web in zone " + node.substring(node.length() - 1),
                                "1",
                                (count, one) -> String.valueOf(Integer.parseInt(count) + 1));
                    }
                }
                default -> state.put("pod " + name, node);
            }
        }
        state.put("claim named", claim(api, "named"));
        state.put("claim of templated", claimOf(api, pods));
        return state;
    }

    private static String volumeOf(ApiAccess api, String pod) {
        JsonNode claim = api.get("/api/v1/namespaces/default/persistentvolumeclaims/data-" + pod);
        String volume = claim.at("/spec/volumeName").asText();
        String phase = volume.isEmpty()
                ? ""
                : api.get("/api/v1/persistentvolumes/" + volume)
                        .at("/status/phase")
                        .asText();
        return volume + " " + phase + ", claim " + claim.at("/status/phase").asText();
    }

    private static String claimOf(ApiAccess api, List<JsonNode> pods) {
        for (JsonNode pod : pods) {
            if (pod.at("/metadata/name").asText().equals("templated")) {
                String name = pod.at("/status/resourceClaimStatuses/0/resourceClaimName")
                        .asText();
                return name.isEmpty() ? "" : claim(api, name);
            }
        }
        return "";
    }

    private static String claim(ApiAccess api, String name) {
        JsonNode status = api.get("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/" + name)
                .path("status");
        JsonNode result = status.at("/allocation/devices/results/0");
        return status.at("/allocation/nodeSelector/nodeSelectorTerms/0/matchFields/0/values/0")
                        .asText() + ": "
                + result.path("device").asText() + " for "
                + status.at("/reservedFor/0/name").asText();
    }
}
