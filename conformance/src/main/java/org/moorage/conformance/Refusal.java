// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.moorage.api.plugin.Problems.Problem;

/**
 * What a refusal of a configuration by kube-scheduler says is wrong: its texts need not be met, but the same places and
 * values must be named.
 */
final class Refusal {
    private static final String FORMAT = "KubeSchedulerConfiguration";
    private static final List<Rule> RULES = List.of(
            new Rule(
                    "(\\w[\\w\\[\\].]*): (?:Invalid value|Duplicate value|Unsupported value): (?:\"((?:[^\"\\\\]|\\\\.)*)\""
                            + "|([^:\\s{]*))",
                    found -> new Point(found.group(1), found.group(2) == null ? found.group(3) : found.group(2))),
            new Rule("(\\w[\\w\\[\\].]*): (?:Required value|Forbidden)", found -> new Point(found.group(1), "")),
            new Rule("unknown field \"([^\"]+)\"", found -> new Point(found.group(1), "")),
            new Rule("key \"([^\"]+)\" already set in map", found -> new Point(found.group(1), "")),
            new Rule("Plugin \"([^\"]+)\" does not exist", found -> new Point("", found.group(1))),
            new Rule("at least one bind plugin is needed for profile .* \"([^\"]+)\"", found -> new Point("", "bind")),
            new Rule(
                    "no kind \"([^\"]+)\" is registered for version \"([^\"]+)\"",
                    found -> found.group(1).equals(FORMAT)
                            ? new Point("apiVersion", found.group(2))
                            : new Point("kind", found.group(1))),
            new Rule("Object 'Kind' is missing", found -> new Point("kind", "")),
            new Rule("invalid duration \"([^\"]+)\"", found -> new Point("", found.group(1))),
            new Rule("into Go struct field \\w+\\.([\\w.]+) of type", found -> new Point(found.group(1), "")));

    private final List<Point> points;

    private Refusal(List<Point> points) {
        this.points = points;
    }

    /**
     * A thing that is wrong.
     *
     * @param path where, from any level on; empty if it is not said
     * @param value what was seen there; empty if it is not said
     */
    record Point(String path, String value) {
        @Override
        public String toString() {
            if (path.isEmpty()) {
                return "\"" + value + "\"";
            }
            return value.isEmpty() ? path : path + " \"" + value + "\"";
        }
    }

    /** One of kube-scheduler's ways to say it. */
    private record Rule(Pattern pattern, Function<MatchResult, Point> reading) {
        Rule(String pattern, Function<MatchResult, Point> reading) {
            this(Pattern.compile(pattern), reading);
        }
    }

    /** The refusal with that text. */
    static Refusal of(String text) {
        List<Point> points = new ArrayList<>();
        for (Rule rule : RULES) {
            rule.pattern().matcher(text).results().map(rule.reading()).forEach(points::add);
        }
        return new Refusal(points);
    }

    /** What is wrong; empty if the text only says that something is. */
    List<Point> points() {
        return points;
    }

    /**
     * Whether a problem is about a point.
     *
     * @param values what may be named as the value: one of them has to be, unless there are none
     */
    static boolean isAbout(Problem problem, Point point, List<String> values) {
        String text = point.path().isEmpty() ? problem.toString() : problem.message();
        return isAt(problem.path(), point.path())
                && (values.isEmpty() || values.stream().anyMatch(value -> isNamed(text, value)));
    }

    private static boolean isNamed(String text, String value) {
        return Pattern.compile("(?<!\\w)" + Pattern.quote(value) + "(?!\\w)")
                .matcher(text)
                .find();
    }

    // Ours may be more precise, and kube-scheduler leaves out what is around a plugin's arguments.
    private static boolean isAt(String ours, String theirs) {
        return theirs.isEmpty()
                || Pattern.compile("(?:^|\\.)" + Pattern.quote(theirs) + "(?:$|[.\\[])")
                        .matcher(ours)
                        .find();
    }
}
