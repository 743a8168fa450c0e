// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.MergePatch;

/** Persists rewards across restarts. */
interface RewardStore {
    /** Persists nothing: each process starts without rewards. */
    RewardStore NONE = new RewardStore() {
        @Override
        public Map<String, Map<String, Double>> load() {
            return Map.of();
        }

        @Override
        public void save(Map<String, Map<String, Double>> rewards, Set<String> changed) {}
    };

    /**
     * Returns the persisted rewards by type and node. Throws a ClusterException, an IllegalStateException or an
     * UncheckedIOException if they cannot be read.
     */
    Map<String, Map<String, Double>> load();

    /**
     * Persists rewards. Throws one of the exceptions of {@link #load} if that fails.
     *
     * @param rewards all rewards, the types in the order of their last use
     * @param changed the types that changed since the last save, including types that are no longer among the rewards
     */
    void save(Map<String, Map<String, Double>> rewards, Set<String> changed);

    /** Persists rewards in a JSON file. */
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
        public void save(Map<String, Map<String, Double>> rewards, Set<String> changed) {
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
     * Persists rewards in an existing ConfigMap: a key per pod type, whose value is a JSON object of rewards by node.
     * Several agents may share it: each learns from all pods, and writes only the types whose rewards it changed since
     * its last save, on the condition that the ConfigMap still has the resource version that it read.
     *
     * @param handle reads and patches the ConfigMap
     * @param namespace its namespace
     * @param name its name
     */
    record InConfigMap(Handle handle, String namespace, String name) implements RewardStore {
        private static final ObjectKind<OtherObject> CONFIG_MAP =
                ObjectKind.other("v1", "ConfigMap", "configmaps", true);
        /** Below the API server's limit of 1 MiB. */
        private static final int MOST_BYTES = 900_000;

        private static final int ATTEMPTS = 3;
        private static final int CONFLICT = 409;
        private static final String ESCAPED = "_";

        @Override
        public Map<String, Map<String, Double>> load() {
            try {
                ObjectMapper json = new ObjectMapper();
                Map<String, Map<String, Double>> rewards = new LinkedHashMap<>();
                for (Map.Entry<String, String> kept : data(read()).entrySet()) {
                    Optional<String> type = type(kept.getKey());
                    if (type.isPresent()) {
                        rewards.put(type.get(), byNode(json.readTree(kept.getValue())));
                    }
                }
                return rewards;
            } catch (JsonProcessingException unreadable) {
                throw otherData(unreadable);
            }
        }

        private OtherObject read() {
            return handle.cluster()
                    .read(CONFIG_MAP, namespace, name)
                    .orElseThrow(() -> new IllegalStateException("configMap: " + namespace + "/" + name
                            + " is not there (expected: one that was made, it may be empty)"));
        }

        private Map<String, String> data(OtherObject map) {
            try {
                Map<String, String> data = new LinkedHashMap<>();
                new ObjectMapper()
                        .readTree(map.json())
                        .path("data")
                        .properties()
                        .forEach(entry ->
                                data.put(entry.getKey(), entry.getValue().asText()));
                return data;
            } catch (JsonProcessingException unreadable) {
                throw otherData(unreadable);
            }
        }

        private IllegalStateException otherData(JsonProcessingException unreadable) {
            return new IllegalStateException(
                    "configMap: " + namespace + "/" + name + " has other data (expected: JSON of rewards by node)",
                    unreadable);
        }

        @Override
        public void save(Map<String, Map<String, Double>> rewards, Set<String> changed) {
            for (int attempt = 1; ; attempt++) {
                try {
                    save(read(), rewards, changed);
                    return;
                } catch (ClusterException failed) {
                    // Another agent wrote first.
                    if (failed.httpStatus() != CONFLICT || attempt == ATTEMPTS) {
                        throw failed;
                    }
                }
            }
        }

        private void save(OtherObject map, Map<String, Map<String, Double>> rewards, Set<String> changed) {
            ObjectMapper json = new ObjectMapper();
            ObjectNode patch = json.createObjectNode();
            patch.putObject("metadata").put("resourceVersion", map.metadata().resourceVersion());
            ObjectNode data = patch.putObject("data");
            // The new content in the order of removal if it is too large: types that only other agents know come first.
            Map<String, String> before = data(map);
            Map<String, String> after = new LinkedHashMap<>(before);
            rewards.forEach((type, byNode) -> {
                String text = after.remove(key(type));
                if (changed.contains(type)) {
                    text = json.valueToTree(byNode).toString();
                }
                if (text != null) {
                    after.put(key(type), text);
                }
            });
            changed.stream().filter(type -> !rewards.containsKey(type)).forEach(type -> after.remove(key(type)));
            leaveOut(after);
            before.keySet().stream().filter(key -> !after.containsKey(key)).forEach(data::putNull);
            after.forEach((key, text) -> {
                if (!text.equals(before.get(key))) {
                    data.put(key, text);
                }
            });
            if (!data.isEmpty()) {
                OtherObject ignored =
                        handle.cluster().writer().patch(CONFIG_MAP, namespace, name, MergePatch.of(patch.toString()));
            }
        }

        private static void leaveOut(Map<String, String> data) {
            long bytes = 0;
            for (Map.Entry<String, String> entry : data.entrySet()) {
                bytes += bytes(entry);
            }
            Iterator<Map.Entry<String, String>> first = data.entrySet().iterator();
            while (bytes > MOST_BYTES || data.size() > Rewards.MOST_TYPES) {
                bytes -= bytes(first.next());
                first.remove();
            }
        }

        private static int bytes(Map.Entry<String, String> entry) {
            return entry.getKey().length() + entry.getValue().getBytes(StandardCharsets.UTF_8).length;
        }

        // No label value or object name starts with the mark; valid keys are used unescaped.
        private static String key(String type) {
            return type.matches("[A-Za-z0-9][-._A-Za-z0-9]{0,252}")
                    ? type
                    : ESCAPED + HexFormat.of().formatHex(type.getBytes(StandardCharsets.UTF_8));
        }

        private static Optional<String> type(String key) {
            if (!key.startsWith(ESCAPED)) {
                return Optional.of(key);
            }
            try {
                return Optional.of(new String(HexFormat.of().parseHex(key.substring(1)), StandardCharsets.UTF_8));
            } catch (IllegalArgumentException notOurs) {
                return Optional.empty();
            }
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
