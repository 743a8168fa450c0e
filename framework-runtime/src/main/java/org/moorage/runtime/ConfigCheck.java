// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigReading;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.cluster.ClusterSource;

/**
 * Reports all problems of a configuration at once: those found by reading it, and those found by creating its plugins
 * and the clients of its extenders. It is stricter than the start of a scheduler, which ignores content without effect,
 * such as a second document.
 */
public final class ConfigCheck {
    private static final Pattern PLUGIN_CONFIG = Pattern.compile("profiles\\[[0-9]+]\\.pluginConfig\\[[0-9]+]");

    private ConfigCheck() {}

    /**
     * Checks a configuration. Its plugins are created and closed again.
     *
     * @param reading the configuration
     * @param registry the available plugins
     * @param source the objects that plugins may read while they are created; closed by this method
     * @param writer the writer that plugins receive
     * @throws ConfigException if it is refused, with all problems
     */
    public static LoadedConfig check(
            ConfigReading reading, PluginRegistry registry, ClusterSource source, ClusterWriter writer) {
        Objects.requireNonNull(reading, "reading");
        Objects.requireNonNull(registry, "registry");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(writer, "writer");
        List<ConfigException> found = new ArrayList<>();
        if (reading.isReadable()) {
            if (!reading.uncounted().isEmpty()) {
                found.add(reading.refusal(reading.uncounted()));
            }
            try {
                Scheduler.builder(reading.loaded(), registry, source, writer)
                        .build()
                        .close();
            } catch (ConfigException refused) {
                List<Problems.Problem> further = reading.loaded().refusal(refused.problems()).problems().stream()
                        .filter(problem -> !follows(problem, reading.problems()))
                        .toList();
                if (!further.isEmpty()) {
                    found.add(reading.loaded().refusal(further));
                }
            }
        }
        return reading.sound(found);
    }

    // Returns whether a problem is only the consequence of another one that is reported already.
    private static boolean follows(Problems.Problem problem, List<Problems.Problem> known) {
        for (Problems.Problem other : known) {
            if (isWithin(problem.path(), other.path())) {
                return true;
            }
            // A plugin that cannot be created since its arguments are refused already.
            if (PLUGIN_CONFIG.matcher(problem.path()).matches() && isWithin(other.path(), problem.path())) {
                return true;
            }
            // Without a plugin that cannot be created, a profile may lack plugins that it must have.
            String profile = other.path().replaceFirst("\\.plugin(s|Config)\\b.*", "");
            boolean isAboutPlugins = !profile.equals(other.path());
            if (isAboutPlugins
                    && (problem.path().equals(profile + ".plugins.queueSort")
                            || problem.path().equals(profile + ".plugins.bind"))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWithin(String path, String around) {
        return !around.isEmpty()
                && path.startsWith(around)
                && (path.length() == around.length() || ".[".indexOf(path.charAt(around.length())) >= 0);
    }
}
