// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.plugin.Problems;

/**
 * A configuration as far as it could be read, with all its problems, for callers that look for further problems before
 * they report them. A scheduler accepts it only if it is {@link #sound}.
 *
 * @param loaded the readable part: without profiles if the text is no configuration, and without plugins that cannot be
 *     created
 * @param problems the reasons to reject the configuration
 * @param uncounted the parts of the text that are not read; kube-scheduler skips them
 * @param locationByPath the locations of fields in the source, for example {@code scheduler.yaml:12:5}
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

    /** Returns whether there is a configuration to inspect: a text of another kind is rejected as a whole. */
    public boolean isReadable() {
        return !loaded.config().profiles().isEmpty();
    }

    /** Returns the same reading with another readable part. */
    public ConfigReading withLoaded(LoadedConfig other) {
        return new ConfigReading(other, problems, uncounted, locationByPath);
    }

    /** Returns the same reading with a further problem. */
    public ConfigReading with(Problems.Problem problem) {
        List<Problems.Problem> all = new ArrayList<>(problems);
        all.add(problem);
        return new ConfigReading(loaded, all, uncounted, locationByPath);
    }

    /**
     * Returns the configuration.
     *
     * @throws ConfigException if it is refused, with everything that is wrong
     */
    public LoadedConfig sound() {
        return sound(List.of());
    }

    /**
     * Returns the configuration, if nothing else is wrong with it.
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

    /** Returns the rejection for these problems, which reading has found. */
    public ConfigException refusal(List<Problems.Problem> of) {
        return new ConfigException(loaded.sourceName(), of, locationByPath, loaded.names());
    }
}
