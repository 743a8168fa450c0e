// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** Tests that the learned state stays small, regardless of the names and the number of pods. */
class RewardsTest {
    private static final int MANY = 20_000;
    private static final int MOST_BYTES_OF_AN_OBJECT = 1 << 20;

    private final Rewards rewards = new Rewards(0.1, 1);

    @Test
    void forgetsTheTypesThatWereNotUsedForLongest() {
        rewards.add("D", "n1", 0);
        rewards.add("E", "n1", 0);
        for (int i = 0; i < MANY; i++) {
            rewards.add("pod-" + i, "n1", 0);
            assertThat(rewards.of("D", "n1")).isEqualTo(0.9);
        }

        assertThat(rewards.all()).hasSize(Rewards.MOST_TYPES).containsKeys("D", "pod-" + (MANY - 1));
        assertThat(rewards.of("E", "n1")).isEqualTo(1);
        assertThat(rewards.takeChanged()).hasSizeLessThanOrEqualTo(Rewards.MOST_TYPES);
    }

    @Test
    void isBoundedByTypesAndNodesTogether() {
        for (int type = 0; type < 300; type++) {
            for (int node = 0; node < 1_000; node++) {
                rewards.add("type-" + type, "n" + node, 0);
            }
        }
        int pairs = rewards.all().values().stream().mapToInt(Map::size).sum();
        assertThat(pairs).isBetween(99_000, 100_000);
    }

    @Test
    void doesNotForgetForWhatWasKept() {
        rewards.add("D", "n1", 0);
        Map<String, Map<String, Double>> kept = new HashMap<>();
        for (int i = 0; i < MANY; i++) {
            kept.put("pod-" + i, Map.of("n1", 0.5));
        }
        kept.put("D", Map.of("n1", 0.5, "n2", 0.5));
        rewards.addKept(kept);

        assertThat(rewards.all()).hasSize(Rewards.MOST_TYPES).containsEntry("D", Map.of("n1", 0.9, "n2", 0.5));
    }

    @Test
    void forgetsNodesThatAreGone() {
        try (TestScheduler scheduler = PluginTester.of(new RewardBias.Factory(), RewardBias.Args.DEFAULTS)
                .cluster(Nodes.named("n1").build(), Nodes.named("n2").build())
                .start()) {
            for (String node : List.of("n1", "n2")) {
                scheduler
                        .cluster()
                        .apply(Pods.named("p-" + node)
                                .label("podtype", "D")
                                .on(node)
                                .status(status -> status.phase("Failed"))
                                .build());
            }
            Rewards learned = scheduler.plugin(RewardBias.class).rewards();
            assertThat(learned.all()).isEqualTo(Map.of("D", Map.of("n1", 0.9, "n2", 0.9)));
            scheduler.cluster().remove(Nodes.named("n1").build());
            assertThat(learned.all()).isEqualTo(Map.of("D", Map.of("n2", 0.9)));
            scheduler.cluster().remove(Nodes.named("n2").build());
            assertThat(learned.all()).isEmpty();
        }
    }

    @Nested
    class InConfigMap {
        private static final ObjectKind<OtherObject> CONFIG_MAP =
                ObjectKind.other("v1", "ConfigMap", "configmaps", true);

        private TestScheduler start(String data) {
            OtherObject map = new OtherObject(
                    CONFIG_MAP,
                    ObjectMeta.named("rewards").namespace("kube-system").build(),
                    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"rewards\","
                            + "\"namespace\":\"kube-system\"},\"data\":" + data + "}");
            return PluginTester.of(new RewardBias.Factory(), RewardBias.Args.DEFAULTS)
                    .cluster(Nodes.named("n1").build(), map)
                    .start();
        }

        private static RewardStore store(TestScheduler scheduler) {
            return new RewardStore.InConfigMap(scheduler.handle(), "kube-system", "rewards");
        }

        private static Map<String, String> data(TestScheduler scheduler) throws Exception {
            OtherObject map = scheduler
                    .handle()
                    .cluster()
                    .read(CONFIG_MAP, "kube-system", "rewards")
                    .orElseThrow();
            Map<String, String> data = new TreeMap<>();
            for (Map.Entry<String, JsonNode> entry :
                    new ObjectMapper().readTree(map.json()).path("data").properties()) {
                data.put(entry.getKey(), entry.getValue().asText());
            }
            return data;
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "..", ".hidden", "_", "_00", "a/b", "ä", "D", "my-pod.x_1"})
        void keepsTypesThatCanBeNoKeys(String type) throws Exception {
            try (TestScheduler scheduler = start("{}")) {
                Map<String, Map<String, Double>> all = Map.of(type, Map.of("n1", 0.5));
                store(scheduler).save(all, Set.of(type));

                // As the API server demands it of keys.
                assertThat(data(scheduler).keySet())
                        .allMatch(key ->
                                key.matches("[-._a-zA-Z0-9]{1,253}") && !key.startsWith("..") && !key.equals("."));
                assertThat(store(scheduler).load()).isEqualTo(all);
            }
        }

        @Test
        void staysBelowWhatTheApiServerTakes() throws Exception {
            try (TestScheduler scheduler = start("{\"of-another\":\"{}\"}")) {
                Map<String, Double> byNode = new HashMap<>();
                for (int node = 0; node < 100; node++) {
                    byNode.put("node-with-a-long-name-" + node, 1 / 3.0);
                }
                Map<String, Map<String, Double>> all = new LinkedHashMap<>();
                for (int type = 0; type < 900; type++) {
                    all.put("type-" + type, byNode);
                }
                store(scheduler).save(all, all.keySet());

                Map<String, String> data = data(scheduler);
                int bytes = data.entrySet().stream()
                        .mapToInt(entry ->
                                entry.getKey().length() + entry.getValue().getBytes(StandardCharsets.UTF_8).length)
                        .sum();
                assertThat(bytes).isBetween(MOST_BYTES_OF_AN_OBJECT / 2, MOST_BYTES_OF_AN_OBJECT * 9 / 10);
                assertThat(data).containsKey("type-899").doesNotContainKeys("type-0", "of-another");

                Map<String, Map<String, Double>> others = new LinkedHashMap<>();
                for (int type = 0; type < Rewards.MOST_TYPES; type++) {
                    others.put("other-" + type, Map.of("n1", 0.5));
                }
                store(scheduler).save(others, others.keySet());
                assertThat(data(scheduler).keySet()).isEqualTo(others.keySet());
            }
        }

        @Test
        void leavesWhatAnotherAgentHasLearned() throws Exception {
            try (TestScheduler scheduler = start("{\"D\":\"{\\\"n1\\\":0.25}\",\"E\":\"{\\\"n1\\\":0.25}\"}")) {
                // It has D of earlier, has learned of F, and does not know of E.
                store(scheduler).save(Map.of("D", Map.of("n1", 0.5), "F", Map.of("n1", 0.75)), Set.of("F"));
                assertThat(store(scheduler).load())
                        .isEqualTo(Map.of("D", Map.of("n1", 0.25), "E", Map.of("n1", 0.25), "F", Map.of("n1", 0.75)));
                store(scheduler).save(Map.of("F", Map.of("n1", 0.75)), Set.of("D"));
                assertThat(store(scheduler).load()).containsOnlyKeys("E", "F");
            }
        }
    }
}
