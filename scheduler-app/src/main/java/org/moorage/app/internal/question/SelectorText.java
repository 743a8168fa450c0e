// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.question;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.Pod;
import org.moorage.app.internal.process.CommandException;

/** Label selectors as {@code kubectl} reads them: {@code app=web,tier!=cache,zone in (a,b),!old}. */
public final class SelectorText {
    private static final String KEY = "([A-Za-z0-9][A-Za-z0-9._/-]{0,316})";
    private static final String VALUE = "([A-Za-z0-9._-]{0,63})";
    private static final Pattern EQUAL = Pattern.compile(KEY + "\\s*(==?|!=)\\s*" + VALUE);
    private static final Pattern IN = Pattern.compile(KEY + "\\s+(in|notin)\\s+\\(([^()]*)\\)");
    private static final Pattern EXISTS = Pattern.compile("(!?)\\s*" + KEY);

    private SelectorText() {}

    /**
     * Parses a selector.
     *
     * @param option the option that has it, for the error message
     * @param keys the label that each key stands for
     * @throws CommandException if the text is no selector
     */
    public static LabelSelector parse(String option, String text, UnaryOperator<String> keys) {
        List<LabelSelector.Requirement> requirements = new ArrayList<>();
        for (String part : text.split(",(?![^(]*\\))", -1)) {
            requirements.add(requirement(option, text, part.strip(), keys));
        }
        return new LabelSelector(Map.of(), requirements);
    }

    /**
     * Returns which pods {@code --pod-selector} selects.
     *
     * @param text the selector; empty selects all pods
     * @throws CommandException if the text is no selector
     */
    public static Predicate<Pod> pods(Optional<String> text) {
        if (text.isEmpty()) {
            return any -> true;
        }
        LabelSelector selector = parse("--pod-selector", text.get(), UnaryOperator.identity());
        return pod -> selector.matches(pod.labels());
    }

    private static LabelSelector.Requirement requirement(
            String option, String text, String part, UnaryOperator<String> keys) {
        Matcher equal = EQUAL.matcher(part);
        if (equal.matches()) {
            String operator = equal.group(2).equals("!=") ? "NotIn" : "In";
            return new LabelSelector.Requirement(keys.apply(equal.group(1)), operator, List.of(equal.group(3)));
        }
        Matcher in = IN.matcher(part);
        if (in.matches()) {
            List<String> values = new ArrayList<>();
            for (String value : in.group(3).split(",", -1)) {
                values.add(value.strip());
            }
            String operator = in.group(2).equals("in") ? "In" : "NotIn";
            return new LabelSelector.Requirement(keys.apply(in.group(1)), operator, values);
        }
        Matcher exists = EXISTS.matcher(part);
        if (exists.matches()) {
            String operator = exists.group(1).isEmpty() ? "Exists" : "DoesNotExist";
            return new LabelSelector.Requirement(keys.apply(exists.group(2)), operator, List.of());
        }
        throw new CommandException(
                option + ": \"" + text + "\" (expected: a label selector, such as app=web or zone in (a,b))");
    }
}
