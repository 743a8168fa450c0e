// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.safe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.MergePatch;

/** Where rewards are kept so that they outlive the process. */
interface RewardStore {
    /** Keeps nothing: each process starts anew. */
    RewardStore NONE = new RewardStore() {
        @Override
        public Map<String, Map<String, Double>> load() {
            return Map.of();
        }

        @Override
        public void save(Map<String, Map<String, Double>> rewards) {}
    };

    /** The rewards that were kept, by type and node. Throws what it has to say if they cannot be had. */
    Map<String, Map<String, Double>> load();

    /** Keeps rewards in place of those before. Throws what it has to say if that fails. */
    void save(Map<String, Map<String, Double>> rewards);

    /** Keeps them in a file of JSON. */
    record InFile(Path path) implements RewardStore {
        @Override
        public Map<String, Map<String, Double>> load() {
            if (!Files.exists(path)) {
                return Map.of();
            }
            try {
                JsonNode tree = new ObjectMapper().readTree(Files.readString(path));
                Map<String, Map<String, Double>> rewards = new HashMap<>();
                tree.properties().forEach(type -> rewards.put(type.getKey(), byNode(type.getValue())));
                return rewards;
            } catch (IOException unreadable) {
                throw new UncheckedIOException(path + ": the rewards cannot be read", unreadable);
            }
        }

        @Override
        public void save(Map<String, Map<String, Double>> rewards) {
            try {
                Path next = path.resolveSibling(path.getFileName() + ".next");
                Files.writeString(next, new ObjectMapper().writeValueAsString(rewards));
                Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException failed) {
                throw new UncheckedIOException(path + ": the rewards cannot be kept", failed);
            }
        }
    }

    /**
     * Keeps them in a ConfigMap, which must be there: a key for each type of pods, with JSON of rewards by node.
     *
     * @param handle reads and patches it
     * @param namespace its namespace
     * @param name its name
     */
    record InConfigMap(Handle handle, String namespace, String name) implements RewardStore {
        private static final ObjectKind<OtherObject> CONFIG_MAP =
                ObjectKind.other("v1", "ConfigMap", "configmaps", true);

        @Override
        public Map<String, Map<String, Double>> load() {
            OtherObject map = handle.read(CONFIG_MAP, namespace, name)
                    .orElseThrow(() -> new IllegalStateException("configMap: " + namespace + "/" + name
                            + " is not there (expected: one that was made, it may be empty)"));
            try {
                ObjectMapper json = new ObjectMapper();
                Map<String, Map<String, Double>> rewards = new HashMap<>();
                for (Map.Entry<String, JsonNode> type :
                        json.readTree(map.json()).path("data").properties()) {
                    rewards.put(
                            type.getKey(), byNode(json.readTree(type.getValue().asText())));
                }
                return rewards;
            } catch (JsonProcessingException unreadable) {
                throw new IllegalStateException(
                        "configMap: " + namespace + "/" + name + " has other data (expected: JSON of rewards by node)",
                        unreadable);
            }
        }

        @Override
        public void save(Map<String, Map<String, Double>> rewards) {
            ObjectMapper json = new ObjectMapper();
            ObjectNode patch = json.createObjectNode();
            ObjectNode data = patch.putObject("data");
            rewards.forEach(
                    (type, byNode) -> data.put(type, json.valueToTree(byNode).toString()));
            OtherObject ignored = handle.writer().patch(CONFIG_MAP, namespace, name, MergePatch.of(patch.toString()));
        }
    }

    private static Map<String, Double> byNode(JsonNode tree) {
        Map<String, Double> rewards = new HashMap<>();
        tree.properties().forEach(node -> {
            double reward = node.getValue().asDouble(Double.NaN);
            if (reward >= 0 && reward <= 1) {
                rewards.put(node.getKey(), reward);
            }
        });
        return rewards;
    }
}
