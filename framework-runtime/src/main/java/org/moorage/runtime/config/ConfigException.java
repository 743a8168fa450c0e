// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.plugin.Problems;

/**
 * A configuration is refused, for all of the reasons that it carries. The message has a headline and a line for each
 * reason, fit to be shown as it is.
 */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problems.Problem> problems;
    private final transient Map<String, String> locationByPath;

    /**
     * A refusal.
     *
     * @param sourceName what the configuration was read from
     * @param problems the reasons, at least one
     * @param locationByPath where fields are in the source, for example {@code scheduler.yaml:12:5}
     */
    public ConfigException(String sourceName, List<Problems.Problem> problems, Map<String, String> locationByPath) {
        super(describe(sourceName, problems, locationByPath));
        this.problems = List.copyOf(problems);
        this.locationByPath = Map.copyOf(locationByPath);
    }

    /** The reasons. */
    public List<Problems.Problem> problems() {
        return problems;
    }

    /**
     * Where in the source a problem is, for example {@code scheduler.yaml:12:5}: its field, or the closest one around it
     * that the source has.
     */
    public Optional<String> placeOf(Problems.Problem problem) {
        return location(problem.path(), locationByPath);
    }

    private static String describe(
            String sourceName, List<Problems.Problem> problems, Map<String, String> locationByPath) {
        if (problems.size() == 1) {
            return describe(sourceName, problems.get(0), locationByPath);
        }
        List<String> lines = new ArrayList<>();
        lines.add(sourceName + ": not a valid configuration, " + problems.size() + " problems");
        for (Problems.Problem problem : problems) {
            lines.add("  " + describe(sourceName, problem, locationByPath));
        }
        return String.join("\n", lines);
    }

    private static String describe(String sourceName, Problems.Problem problem, Map<String, String> locationByPath) {
        return location(problem.path(), locationByPath).orElse(sourceName) + ": " + problem;
    }

    private static Optional<String> location(String path, Map<String, String> locationByPath) {
        String at = path;
        while (true) {
            String location = locationByPath.get(at);
            if (location != null) {
                return Optional.of(location);
            }
            if (at.isEmpty()) {
                return Optional.empty();
            }
            at = at.substring(0, Math.max(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['))));
        }
    }
}
