// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.maven.artifact.versioning.ComparableVersion;
import org.moorage.distribution.Shipped.Component;

/**
 * Known vulnerabilities of libraries, from an export of an OSV database: a folder or an archive with a JSON file for
 * each.
 */
final class Advisories {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Path database;
    private int read;

    /** The advisories of a folder, or of a zip archive. */
    Advisories(Path database) {
        this.database = database;
    }

    /** How many advisories were read by the last search. */
    int read() {
        return read;
    }

    /**
     * Looks for advisories that concern a component in the version that is shipped.
     *
     * @return a sentence for each pair of component and advisory
     * @throws IOException if the database cannot be read
     */
    List<String> concerning(List<Component> components) throws IOException {
        Map<String, List<Component>> byName = new HashMap<>();
        for (Component component : components) {
            byName.computeIfAbsent(component.group() + ":" + component.name(), name -> new ArrayList<>())
                    .add(component);
        }
        List<String> found = new ArrayList<>();
        read = 0;
        forEach(advisory -> {
            read++;
            if (advisory.has("withdrawn")) {
                return;
            }
            for (JsonNode affected : advisory.path("affected")) {
                JsonNode named = affected.path("package");
                List<Component> concerned = named.path("ecosystem").asText().equals("Maven")
                        ? byName.getOrDefault(named.path("name").asText(), List.of())
                        : List.of();
                for (Component component : concerned) {
                    if (isAffected(affected, component.version())) {
                        found.add(component + ": " + advisory.path("id").asText() + " "
                                + advisory.path("summary").asText());
                    }
                }
            }
        });
        return found.stream().distinct().sorted().toList();
    }

    private void forEach(Consumer<JsonNode> advisories) throws IOException {
        if (Files.isDirectory(database)) {
            try (Stream<Path> files = Files.walk(database)) {
                files.filter(file -> file.toString().endsWith(".json")).sorted().forEach(file -> {
                    try {
                        advisories.accept(MAPPER.readTree(file.toFile()));
                    } catch (IOException unreadable) {
                        throw new UncheckedIOException(file.toString(), unreadable);
                    }
                });
            }
            return;
        }
        try (InputStream in = Files.newInputStream(database);
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (entry.getName().endsWith(".json")) {
                    advisories.accept(MAPPER.readTree(zip.readAllBytes()));
                }
            }
        }
    }

    // As OSV says: listed, or in a range, where the last event before it or at it opens the range.
    private static boolean isAffected(JsonNode affected, String version) {
        for (JsonNode listed : affected.path("versions")) {
            if (listed.asText().equals(version)) {
                return true;
            }
        }
        for (JsonNode range : affected.path("ranges")) {
            if (!range.path("type").asText().equals("GIT") && isIn(range.path("events"), version)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isIn(JsonNode events, String version) {
        ComparableVersion shipped = new ComparableVersion(version);
        boolean isOpen = false;
        for (JsonNode event : sorted(events)) {
            ComparableVersion at = version(event);
            boolean isBefore = event.has("last_affected") ? at.compareTo(shipped) < 0 : at.compareTo(shipped) <= 0;
            if (isBefore) {
                isOpen = event.has("introduced");
            }
        }
        return isOpen;
    }

    private static List<JsonNode> sorted(JsonNode events) {
        List<JsonNode> sorted = new ArrayList<>();
        for (JsonNode event : events) {
            if (event.has("introduced") || event.has("fixed") || event.has("last_affected")) {
                sorted.add(event);
            }
        }
        sorted.sort((first, second) -> version(first).compareTo(version(second)));
        return sorted;
    }

    // "0" is before all versions.
    private static ComparableVersion version(JsonNode event) {
        String text = event.path("introduced")
                .asText(event.path("fixed").asText(event.path("last_affected").asText()));
        return new ComparableVersion(text.equals("0") ? "0-alpha-0" : text);
    }
}
