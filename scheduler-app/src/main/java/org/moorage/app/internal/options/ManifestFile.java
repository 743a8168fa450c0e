// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.app.internal.process.CommandException;
import org.moorage.config.older.PolicyTexts;
import org.moorage.objects.TextFile;
import org.moorage.objects.internal.ManifestYamlFactory;

/** A file with a configuration or a Policy, or with manifests whose ConfigMaps have them. */
public final class ManifestFile {
    private static final String POLICY_KEY = "policy.cfg";

    private final String name;
    private final String text;
    private final List<JsonNode> configMaps;

    private ManifestFile(String name, String text, List<JsonNode> configMaps) {
        this.name = name;
        this.text = text;
        this.configMaps = configMaps;
    }

    /**
     * Reads the file.
     *
     * @param expected what it should be, for the message if it is not there
     * @throws CommandException if it cannot be read
     */
    public static ManifestFile read(Path path, String expected) {
        return of(path.toString(), ConfigFile.text(path, expected));
    }

    /**
     * Reads the file, or stdin if it is {@code -}.
     *
     * @param expected what it should be, for the message if it is not there
     * @throws CommandException if it cannot be read
     */
    public static ManifestFile read(Path path, String expected, InputStream stdin) {
        if (!path.toString().equals("-")) {
            return read(path, expected);
        }
        try {
            return of("stdin", TextFile.decoded(stdin.readAllBytes()));
        } catch (IOException e) {
            throw new CommandException("stdin: " + TextFile.fault(e) + " (expected: " + expected + ")", e);
        }
    }

    private static ManifestFile of(String name, String text) {
        return new ManifestFile(name, text, configMaps(text));
    }

    /** Its name in messages. */
    public String name() {
        return name;
    }

    /** All that it has. */
    public String text() {
        return text;
    }

    // A text that is not YAML has none; the reader of configurations reports the fault.
    private static List<JsonNode> configMaps(String text) {
        List<JsonNode> found = new ArrayList<>();
        if (!text.contains("ConfigMap")) {
            return found;
        }
        try (MappingIterator<JsonNode> documents =
                ManifestYamlFactory.mapper().readerFor(JsonNode.class).readValues(text)) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                if (document.path("kind").asText().equals("ConfigMap")) {
                    found.add(document);
                }
            }
        } catch (IOException | RuntimeException notYaml) {
            return List.of();
        }
        return found;
    }

    /** The configuration, or the Policy of a ConfigMap where there is no configuration, and what it was read from. */
    public PolicyTexts.PolicyText config() {
        for (JsonNode configMap : configMaps) {
            for (Map.Entry<String, JsonNode> entry : configMap.path("data").properties()) {
                if (entry.getValue().asText().contains("KubeSchedulerConfiguration")) {
                    return value(configMap, entry.getKey());
                }
            }
        }
        // Until Kubernetes 1.22 a flag could name a ConfigMap that has nothing but a Policy.
        return configMaps.stream()
                .filter(configMap -> configMap.path("data").has(POLICY_KEY))
                .findFirst()
                .map(configMap -> value(configMap, POLICY_KEY))
                .orElseGet(() -> new PolicyTexts.PolicyText(text, name));
    }

    /** The Policy of a ConfigMap among the manifests. */
    public Optional<PolicyTexts.PolicyText> configMap(String namespace, String name) {
        for (JsonNode configMap : configMaps) {
            JsonNode metadata = configMap.path("metadata");
            if (metadata.path("name").asText().equals(name)
                    && metadata.path("namespace").asText("default").equals(namespace)
                    && configMap.path("data").has(POLICY_KEY)) {
                return Optional.of(value(configMap, POLICY_KEY));
            }
        }
        return Optional.empty();
    }

    /** The Policy of a ConfigMap among the manifests; without manifests the file is the Policy. */
    public Optional<PolicyTexts.PolicyText> policy(String namespace, String name) {
        return configMaps.isEmpty() ? Optional.of(new PolicyTexts.PolicyText(text, name)) : configMap(namespace, name);
    }

    private PolicyTexts.PolicyText value(JsonNode configMap, String key) {
        String source = name + "(" + configMap.path("metadata").path("name").asText() + "/" + key + ")";
        return new PolicyTexts.PolicyText(configMap.path("data").path(key).asText(), source);
    }
}
