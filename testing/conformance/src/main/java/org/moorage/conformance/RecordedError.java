// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.moorage.api.plugin.Problems.Problem;

/**
 * The fields and values in kube-scheduler's error for a configuration. Moorage's error may be worded differently, but
 * must name the same fields and values.
 */
final class RecordedError {
    private static final String FORMAT = "KubeSchedulerConfiguration";
    private static final List<Rule> RULES = List.of(
            new Rule(
                    "(\\w[\\w\\[\\].]*): (?:Invalid value|Duplicate value|Unsupported value): (?:\"((?:[^\"\\\\]|\\\\.)*)\""
                            + "|([^:\\s{]*))",
                    found -> new Field(found.group(1), found.group(2) == null ? found.group(3) : found.group(2))),
            new Rule("(\\w[\\w\\[\\].]*): (?:Required value|Forbidden)", found -> new Field(found.group(1), "")),
            new Rule("unknown field \"([^\"]+)\"", found -> new Field(found.group(1), "")),
            new Rule("key \"([^\"]+)\" already set in map", found -> new Field(found.group(1), "")),
            new Rule("Plugin \"([^\"]+)\" does not exist", found -> new Field("", found.group(1))),
            new Rule("at least one bind plugin is needed for profile .* \"([^\"]+)\"", found -> new Field("", "bind")),
            new Rule(
                    "no kind \"([^\"]+)\" is registered for version \"([^\"]+)\"",
                    found -> found.group(1).equals(FORMAT)
                            ? new Field("apiVersion", found.group(2))
                            : new Field("kind", found.group(1))),
            new Rule("Object 'Kind' is missing", found -> new Field("kind", "")),
            new Rule("invalid duration \"([^\"]+)\"", found -> new Field("", found.group(1))),
            new Rule("into Go struct field \\w+\\.([\\w.]+) of type", found -> new Field(found.group(1), "")));

    private final List<Field> fields;

    private RecordedError(List<Field> fields) {
        this.fields = fields;
    }

    /**
     * An invalid field.
     *
     * @param path the path of the field, or its end; empty if the error does not name it
     * @param value the value; empty if the error does not name it
     */
    record Field(String path, String value) {
        @Override
        public String toString() {
            if (path.isEmpty()) {
                return "\"" + value + "\"";
            }
            return value.isEmpty() ? path : path + " \"" + value + "\"";
        }
    }

    /** A pattern of error texts, and how to extract the field. */
    private record Rule(Pattern pattern, Function<MatchResult, Field> reading) {
        Rule(String pattern, Function<MatchResult, Field> reading) {
            this(Pattern.compile(pattern), reading);
        }
    }

    /** Returns the error with that text. */
    static RecordedError of(String text) {
        List<Field> fields = new ArrayList<>();
        for (Rule rule : RULES) {
            rule.pattern().matcher(text).results().map(rule.reading()).forEach(fields::add);
        }
        return new RecordedError(fields);
    }

    /** Returns the fields; empty if the text names none. */
    List<Field> fields() {
        return fields;
    }

    /**
     * Returns whether a reported problem is about the field.
     *
     * @param values the problem must name at least one of these, unless there are none
     */
    static boolean isAbout(Problem problem, Field field, List<String> values) {
        String text = field.path().isEmpty() ? problem.toString() : problem.message();
        return isAt(problem.path(), field.path())
                && (values.isEmpty() || values.stream().anyMatch(value -> isNamed(text, value)));
    }

    private static boolean isNamed(String text, String value) {
        return Pattern.compile("(?<!\\w)" + Pattern.quote(value) + "(?!\\w)")
                .matcher(text)
                .find();
    }

    // Moorage's path may be longer at both ends: kube-scheduler's path of an argument starts at the arguments.
    private static boolean isAt(String ours, String theirs) {
        return theirs.isEmpty()
                || Pattern.compile("(?:^|\\.)" + Pattern.quote(theirs) + "(?:$|[.\\[])")
                        .matcher(ours)
                        .find();
    }
}
