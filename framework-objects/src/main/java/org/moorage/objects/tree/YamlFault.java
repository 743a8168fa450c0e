// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * The fault of a text that is not YAML, in the words of users: what the text has at a place, and what is expected
 * there.
 *
 * @param line the line, counted from 1
 * @param column the column, counted from 1
 * @param message the fault
 */
public record YamlFault(int line, int column, String message) {
    private static final Pattern BAD_CHARACTER = Pattern.compile("found character '(.*?)(?:\\(TAB\\))?' that cannot.*");
    private static final Pattern UNDEFINED_ALIAS = Pattern.compile("found undefined alias (.*)");
    private static final Pattern UNKNOWN_ESCAPE = Pattern.compile("found unknown escape character (.).*");
    private static final Pattern OPEN_BRACKET = Pattern.compile("expected (',' or '[\\]}]'), but got (.*)");
    private static final Pattern EXPECTED =
            Pattern.compile("expected (.*?), but (?:found|got) '?(<[a-z ]+>|[^']*)'?.*");
    private static final Pattern TOO_LONG = Pattern.compile(".* exceeds the limit: ([0-9]+) code points\\.");
    private static final String END = "<stream end>";

    // Words for the tokens of the parser.
    private static final Map<String, String> PIECES = pieces();

    private static Map<String, String> pieces() {
        Map<String, String> pieces = new LinkedHashMap<>();
        pieces.put(END, "the end of the text");
        pieces.put("<block end>", "the end of what is indented alike");
        pieces.put("<block mapping start>", "a field");
        pieces.put("<block sequence start>", "a list");
        pieces.put("<scalar>", "a value");
        pieces.put("<document start>", "a line of ---");
        pieces.put("<document end>", "a line of ...");
        pieces.put("<stream start>", "the beginning of the text");
        pieces.put("the node content", "a value");
        return pieces;
    }

    /**
     * Returns the fault of a text that the parser refused.
     *
     * @param before the number of lines before the text in its source, for lines that the message names
     */
    public static YamlFault of(YAMLException refused, String text, int before) {
        if (refused instanceof ReaderException character) {
            return ofCharacter(character, text);
        }
        if (refused instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
            return of(marked, marked.getProblemMark(), before);
        }
        Matcher limit = TOO_LONG.matcher(firstLine(refused.getMessage()));
        return new YamlFault(
                1,
                1,
                limit.matches()
                        ? "too long (expected: at most " + limit.group(1) + " characters)"
                        : "not YAML: " + firstLine(refused.getMessage()));
    }

    /** Returns the fault at a mark of a text that is a source as a whole. */
    static YamlFault of(MarkedYAMLException refused, Mark at) {
        return of(refused, at, 0);
    }

    private static YamlFault of(MarkedYAMLException refused, Mark at, int before) {
        return new YamlFault(at.getLine() + 1, at.getColumn() + 1, "not YAML: " + message(refused, at, before));
    }

    private static YamlFault ofCharacter(ReaderException refused, String text) {
        String before = text.substring(0, Math.min(refused.getPosition(), text.length()));
        int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
        String name = String.format("U+%04X", refused.getCodePoint());
        return new YamlFault(
                line,
                before.length() - before.lastIndexOf('\n'),
                "not YAML: the character " + name + " (expected: text without control characters)");
    }

    private static String message(MarkedYAMLException refused, Mark at, int before) {
        String problem = firstLine(refused.getProblem());
        Matcher character = BAD_CHARACTER.matcher(problem);
        if (character.matches()) {
            return character.group(1).contains("\t") || character.group(1).equals("\\t")
                    ? "a tab (expected: spaces, which alone can indent)"
                    : "a value that starts with " + character.group(1) + " (expected: it in quotes)";
        }
        if (problem.equals("mapping values are not allowed here")) {
            return "a second ':' in a line, or a field that is indented more than those around it (expected: fields below"
                    + " one another; a value with ': ' in quotes)";
        }
        if (problem.equals("sequence entries are not allowed here")) {
            return "a '- ' behind a field (expected: each item of a list on a separate line)";
        }
        if (problem.startsWith("expected <block end>, but found '<block ")) {
            return "inconsistent indentation (expected: the same as that of neighboring fields or items)";
        }
        if (problem.startsWith("found incompatible YAML document")) {
            return "a %YAML line of another version (expected: 1.1 or 1.2, or no such line)";
        }
        if (problem.equals("found unexpected end of stream")) {
            return "the end of the text within quotes" + opened(refused, at, before) + " (expected: a closing quote)";
        }
        if (problem.equals("could not find expected ':'")) {
            return "a line without ':' (expected: a field and its value)";
        }
        Matcher bracket = OPEN_BRACKET.matcher(problem);
        if (bracket.matches()) {
            String seen = bracket.group(2).equals(END) ? words(END) : "no ','";
            return seen + " within brackets" + opened(refused, at, before) + " (expected: " + bracket.group(1) + ")";
        }
        Matcher alias = UNDEFINED_ALIAS.matcher(problem);
        if (alias.matches()) {
            return "*" + alias.group(1) + ", which names nothing (expected: &" + alias.group(1) + " before it)";
        }
        Matcher escape = UNKNOWN_ESCAPE.matcher(problem);
        if (escape.matches()) {
            return "\\" + escape.group(1)
                    + " in double quotes (expected: an escape such as \\n, \\\" or \\\\; or single" + " quotes)";
        }
        Matcher expected = EXPECTED.matcher(problem);
        if (expected.matches()) {
            return words(expected.group(2)) + " (expected: " + words(expected.group(1)) + ")";
        }
        return words(problem);
    }

    // The line of the opening quote or bracket, if it is another line.
    private static String opened(MarkedYAMLException refused, Mark at, int before) {
        Mark begin = refused.getContextMark();
        return begin == null || begin.getLine() == at.getLine()
                ? ""
                : " that begin in line " + (before + begin.getLine() + 1);
    }

    private static String words(String problem) {
        String words = problem;
        for (Map.Entry<String, String> piece : PIECES.entrySet()) {
            words = words.replace(piece.getKey(), piece.getValue());
        }
        return words;
    }

    private static String firstLine(@Nullable String message) {
        return message == null
                ? "it cannot be read"
                : message.lines().findFirst().orElse("it cannot be read");
    }
}
