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
import org.moorage.api.plugin.ClusterException;
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
        public void save(Map<String, Map<String, Double>> rewards, Set<String> changed) {}
    };

    /** The rewards that were kept, by type and node. Throws what it has to say if they cannot be had. */
    Map<String, Map<String, Double>> load();

    /**
     * Keeps rewards. Throws what it has to say if that fails.
     *
     * @param rewards all, the types in the order of their last use
     * @param changed the types that differ from what was kept last, also those that are not among the rewards any more
     */
    void save(Map<String, Map<String, Double>> rewards, Set<String> changed);

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
     * Keeps them in a ConfigMap, which must be there: a key for each type of pods, with JSON of rewards by node. Several agents may share
     * it: each learns from all pods, and writes only the types that it has learned something of since, to the version that it has read.
     *
     * @param handle reads and patches it
     * @param namespace its namespace
     * @param name its name
     */
    record InConfigMap(Handle handle, String namespace, String name) implements RewardStore {
        private static final ObjectKind<OtherObject> CONFIG_MAP =
                ObjectKind.other("v1", "ConfigMap", "configmaps", true);
        /** The API server takes 1 MiB. */
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
            return handle.read(CONFIG_MAP, namespace, name)
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
                    // Another agent was first.
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
            // What would be there, in the order in which it is left out if that is too much: first what only others
            // know.
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
                        handle.writer().patch(CONFIG_MAP, namespace, name, MergePatch.of(patch.toString()));
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

        // No label's value and no name begins with the mark, so that those that can be keys are.
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
