// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.plugin.Problems;

/**
 * A configuration as far as it could be read, with all its problems, for callers that look for further ones before they report them.
 * A scheduler takes it only if it is {@link #sound}.
 *
 * @param loaded what could be read: without profiles where the text is no configuration, and without the plugins that cannot be made
 * @param problems what the configuration is refused for
 * @param uncounted the parts of the text that are not read; kube-scheduler skips them
 * @param locationByPath where fields are in the source, for example {@code scheduler.yaml:12:5}
 */
public record ConfigReading(
        LoadedConfig loaded,
        List<Problems.Problem> problems,
        List<Problems.Problem> uncounted,
        Map<String, String> locationByPath) {
    public ConfigReading {
        problems = List.copyOf(problems);
        uncounted = List.copyOf(uncounted);
        locationByPath = Collections.unmodifiableMap(new LinkedHashMap<>(locationByPath));
    }

    /** Whether there is a configuration to look into: another kind of text was refused as a whole. */
    public boolean isReadable() {
        return !loaded.config().profiles().isEmpty();
    }

    /** The same with another form of what could be read. */
    public ConfigReading withLoaded(LoadedConfig other) {
        return new ConfigReading(other, problems, uncounted, locationByPath);
    }

    /** The same with another problem. */
    public ConfigReading with(Problems.Problem problem) {
        List<Problems.Problem> all = new ArrayList<>(problems);
        all.add(problem);
        return new ConfigReading(loaded, all, uncounted, locationByPath);
    }

    /**
     * The configuration.
     *
     * @throws ConfigException if it is refused, with everything that is wrong
     */
    public LoadedConfig sound() {
        return sound(List.of());
    }

    /**
     * The configuration, if nothing else is wrong with it.
     *
     * @param found what else it is refused for
     * @throws ConfigException if it is refused, with everything that is wrong
     */
    public LoadedConfig sound(List<ConfigException> found) {
        List<ConfigException> all = new ArrayList<>();
        if (!problems.isEmpty()) {
            all.add(refusal(problems));
        }
        all.addAll(found);
        all.stream().reduce(ConfigException::and).ifPresent(refused -> {
            throw refused;
        });
        return loaded;
    }

    /** The refusal for these problems, which reading has shown. */
    public ConfigException refusal(List<Problems.Problem> of) {
        return new ConfigException(loaded.sourceName(), of, locationByPath, loaded.names());
    }
}
