// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.FieldNames;

/**
 * Thrown when a configuration is rejected, with all reasons. The message has a headline and a line for each reason, in
 * the order of the lines of the source, and can be shown to users as it is.
 */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final Pattern LINE = Pattern.compile("(.*?):(\\d+)(?::(\\d+))?");

    private final String sourceName;
    private final transient List<Reason> reasons;

    /**
     * A reason, its location, which is empty if the source does not contain it, and the name of its field in the
     * source.
     */
    private record Reason(Problems.Problem problem, String place, String name) {}

    /**
     * Creates a rejection.
     *
     * @param sourceName the name of the source of the configuration
     * @param problems the reasons, at least one
     * @param locationByPath the locations of fields in the source, for example {@code scheduler.yaml:12:5}
     */
    public ConfigException(String sourceName, List<Problems.Problem> problems, Map<String, String> locationByPath) {
        this(sourceName, problems, locationByPath, FieldNames.SAME);
    }

    /**
     * Creates a rejection.
     *
     * @param names the names of the fields in the source
     */
    ConfigException(
            String sourceName, List<Problems.Problem> problems, Map<String, String> locationByPath, FieldNames names) {
        this(sourceName, reasons(problems, locationByPath, names));
    }

    private ConfigException(String sourceName, List<Reason> reasons) {
        super(describe(sourceName, reasons));
        this.sourceName = sourceName;
        this.reasons = List.copyOf(reasons);
    }

    private static List<Reason> reasons(
            List<Problems.Problem> problems, Map<String, String> locationByPath, FieldNames names) {
        List<Reason> reasons = new ArrayList<>();
        for (Problems.Problem problem : problems) {
            reasons.add(new Reason(problem, location(problem.path(), locationByPath), names.of(problem.path())));
        }
        return sorted(reasons);
    }

    /** Returns the reasons, in the order of their lines. Their paths are those of a KubeSchedulerConfiguration. */
    public List<Problems.Problem> problems() {
        return reasons.stream().map(Reason::problem).toList();
    }

    /**
     * Returns the location of a problem in the source, for example {@code scheduler.yaml:12:5}: its field, or the
     * closest enclosing field in the source.
     */
    public Optional<String> placeOf(Problems.Problem problem) {
        return reasons.stream()
                .filter(reason -> reason.problem.equals(problem) && !reason.place.isEmpty())
                .map(Reason::place)
                .findFirst();
    }

    /** Returns a rejection of the same configuration for these reasons and those of another one. */
    ConfigException and(ConfigException other) {
        List<Reason> all = new ArrayList<>(reasons);
        all.addAll(other.reasons);
        return new ConfigException(sourceName, sorted(all));
    }

    // Reasons without a line first; those of flags last.
    private static List<Reason> sorted(List<Reason> reasons) {
        List<Reason> sorted = new ArrayList<>(reasons);
        sorted.sort(
                Comparator.comparing((Reason reason) -> number(reason, 2)).thenComparing(reason -> number(reason, 3)));
        return sorted;
    }

    private static int number(Reason reason, int group) {
        Matcher line = LINE.matcher(reason.place);
        if (!line.matches()) {
            return reason.place.isEmpty() ? 0 : Integer.MAX_VALUE;
        }
        return line.group(group) == null ? 0 : Integer.parseInt(line.group(group));
    }

    private static String describe(String sourceName, List<Reason> reasons) {
        if (reasons.size() == 1) {
            return describe(sourceName, reasons.get(0));
        }
        List<String> lines = new ArrayList<>();
        lines.add(sourceName + ": not a valid configuration, " + reasons.size() + " problems");
        for (Reason reason : reasons) {
            lines.add("  " + describe(sourceName, reason));
        }
        return String.join("\n", lines);
    }

    private static String describe(String sourceName, Reason reason) {
        return (reason.place.isEmpty() ? sourceName : reason.place) + ": "
                + new Problems.Problem(reason.name, reason.problem.message());
    }

    private static String location(String path, Map<String, String> locationByPath) {
        String at = path;
        while (true) {
            String location = locationByPath.get(at);
            if (location != null) {
                return location;
            }
            if (at.isEmpty()) {
                return "";
            }
            at = at.substring(0, Math.max(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['))));
        }
    }
}
