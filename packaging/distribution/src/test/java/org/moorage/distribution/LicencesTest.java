// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The archive and the image have the text of the licence of each library that is not ours, and the notices. */
class LicencesTest {
    private static final Path TEXTS = Shipped.file("../../deploy/archive/licenses");
    private static final Path FROM_JARS = Shipped.file("target/licenses");
    private static final Pattern TEXT = Pattern.compile("META-INF/[^/]*(?:LICENSE|NOTICE)[^/]*");
    private static final String IN_PLUGINS = "# in plugins";

    // The text of each library by its group and name.
    private static Map<String, String> listed(boolean ofPlugins) throws IOException {
        List<String> lines = Files.readAllLines(TEXTS.resolve("THIRD-PARTY.txt"));
        int split = lines.indexOf(IN_PLUGINS);
        Map<String, String> texts = new TreeMap<>();
        for (String line : ofPlugins ? lines.subList(split, lines.size()) : lines.subList(0, split)) {
            if (!line.startsWith("#")) {
                String[] words = line.split(" ");
                assertThat(words).as(line).hasSize(2);
                assertThat(texts.put(words[0], words[1])).as(line).isNull();
            }
        }
        return texts;
    }

    // Moorage's own jars are those of the build, or in the repository after an installation.
    private static List<Path> thirdPartyJars() throws IOException {
        Path repository = Path.of(System.getProperty("repository"));
        List<Path> jars = new ArrayList<>(Shipped.jars());
        jars.removeIf(jar -> !jar.startsWith(repository)
                || jar.toString().replace(File.separatorChar, '/').contains("/org/moorage/"));
        return jars;
    }

    // A local repository has the jar in GROUP/NAME/VERSION.
    private static String title(Path jar) {
        Path name = jar.getParent().getParent();
        Path repository = Path.of(System.getProperty("repository"));
        return repository.relativize(name.getParent()).toString().replace('/', '.') + ":" + name.getFileName();
    }

    @Test
    void eachLibraryIsListedWithAText() throws IOException {
        Set<String> shipped = new TreeSet<>();
        for (Path jar : thirdPartyJars()) {
            shipped.add(title(jar));
        }

        // Libraries that the tests of this module use, too, are not on its runtime class path.
        assertThat(listed(false).keySet()).containsAll(shipped);
    }

    @Test
    void eachTextIsThere() throws IOException {
        Map<String, String> texts = listed(false);
        for (Path jar : thirdPartyJars()) {
            String text = texts.get(title(jar));
            if ("folder".equals(text)) {
                assertThat(folder(jar)).as(title(jar)).isDirectoryRecursivelyContaining("glob:**LICENSE*");
            } else {
                assertThat(TEXTS.resolve(String.valueOf(text))).as(title(jar)).isNotEmptyFile();
            }
        }
        assertThat(listed(true).values())
                .allSatisfy(text -> assertThat(TEXTS.resolve(text)).isNotEmptyFile());
    }

    @Test
    void theTextsAndNoticesOfTheJarsAreTakenOver() throws IOException {
        for (Path jar : thirdPartyJars()) {
            try (JarFile file = new JarFile(jar.toFile())) {
                file.stream()
                        .filter(entry -> TEXT.matcher(entry.getName()).matches())
                        .forEach(entry ->
                                assertThat(folder(jar).resolve(entry.getName())).isNotEmptyFile());
            }
        }
    }

    @Test
    void theLibrariesInPluginsAreListed() throws IOException {
        Set<String> known = new TreeSet<>(listed(false).keySet());
        known.addAll(listed(true).keySet());
        Set<String> shipped = new TreeSet<>();
        for (Shipped.Component component : Shipped.components()) {
            if (!component.isOurs()) {
                shipped.add(component.group() + ":" + component.name());
            }
        }

        assertThat(known).containsAll(shipped);
    }

    private static Path folder(Path jar) {
        String name = jar.getFileName().toString();
        return FROM_JARS.resolve(name.substring(0, name.length() - ".jar".length()) + "-jar");
    }
}
