// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;

/** The configurations in the pages about plugins. */
class PagesTest {
    private static final Path PAGES =
            Path.of(System.getProperty("basedir", "."), "..", "docs", "extend", "scheduler-plugins");
    private static final Pattern CONFIGURATION =
            Pattern.compile("```yaml\\n(apiVersion: kubescheduler.*?)```", Pattern.DOTALL);

    static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(PAGES)) {
            return files.filter(file -> CONFIGURATION.matcher(read(file)).find())
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void haveConfigurationsThatLoad(Path page) {
        PluginRegistry plugins =
                PluginRegistry.of(KubeSchedulerPlugins.all()).withServices(PagesTest.class.getClassLoader());
        Matcher configuration = CONFIGURATION.matcher(read(page));
        assertThat(configuration.find()).isTrue();

        LoadedConfig loaded = ConfigLoader.load(configuration.group(1), page.toString(), plugins);
        assertThat(loaded.missingPlugins()).isEmpty();
    }

    private static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException unreadable) {
            throw new java.io.UncheckedIOException(unreadable);
        }
    }
}
