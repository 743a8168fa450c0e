// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message of kube-scheduler's that explains why no node is feasible, in a form that can be merged: messages that differ only in their
 * numbers become one, with ranges in place of the numbers that differ. All other text stays as it is and in its order, because reasons
 * come from plugins and extenders: {@code 3 rack full, 2 slots needed} may be one reason or two. Immutable.
 */
public final class UnschedulableReasons {
    private static final Pattern MESSAGE = Pattern.compile(
            "((?:preemption: )?[0-9]+/[0-9]+ nodes are available: )([0-9]+ .*?)(\\.? ?)", Pattern.DOTALL);
    // A reason for the pod as a whole has no number of nodes.
    private static final Pattern UNCOUNTED =
            Pattern.compile("[0-9]+/[0-9]+ nodes are available: (.*?)\\.? ?", Pattern.DOTALL);
    private static final Pattern PARTS = Pattern.compile("(?<=\\. )(?=preemption: )");
    private static final Pattern PHRASES = Pattern.compile(", (?=[0-9]+ )");
    private static final int LONGEST_NUMBER = 9;

    private final List<Part> parts;

    /** A phrase that starts with a number, or with a range once messages are merged. */
    private record Phrase(int least, int most, String text) {
        Phrase with(Phrase other) {
            return new Phrase(Math.min(least, other.least), Math.max(most, other.most), text);
        }

        @Override
        public String toString() {
            return (least == most ? most : least + " to " + most) + " " + text;
        }
    }

    /** A part of a message: the text before its phrases, the phrases, and the text after them. */
    private record Part(String start, List<Phrase> phrases, String end) {
        String key() {
            return start + phrases.stream().map(Phrase::text).sorted().toList() + end;
        }

        // Kube-scheduler sorts the phrases by their numbers, too, so the other part may have another order.
        Part with(Part other) {
            List<Phrase> left = new ArrayList<>(other.phrases);
            List<Phrase> both = new ArrayList<>(phrases.size());
            for (Phrase phrase : phrases) {
                Phrase same = left.stream()
                        .filter(candidate -> candidate.text.equals(phrase.text))
                        .findFirst()
                        .orElseThrow();
                left.remove(same);
                both.add(phrase.with(same));
            }
            return new Part(start, List.copyOf(both), end);
        }

        @Override
        public String toString() {
            return start
                    + String.join(", ", phrases.stream().map(Phrase::toString).toList())
                    + end;
        }
    }

    private UnschedulableReasons(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /** Returns the reasons of a message; a message of another form is a text without numbers. */
    public static UnschedulableReasons of(String message) {
        Objects.requireNonNull(message, "message");
        List<Part> parts = new ArrayList<>();
        for (String part : PARTS.split(message, -1)) {
            parts.add(part(part));
        }
        return new UnschedulableReasons(parts);
    }

    private static Part part(String text) {
        Matcher matcher = MESSAGE.matcher(text);
        if (!matcher.matches()) {
            return new Part(text, List.of(), "");
        }
        List<Phrase> phrases = new ArrayList<>();
        for (String phrase : PHRASES.split(matcher.group(2), -1)) {
            int end = phrase.indexOf(' ');
            if (end > LONGEST_NUMBER) {
                return new Part(text, List.of(), "");
            }
            int number = Integer.parseInt(phrase.substring(0, end));
            phrases.add(new Phrase(number, number, phrase.substring(end + 1)));
        }
        return new Part(matcher.group(1), List.copyOf(phrases), matcher.group(3));
    }

    /** Returns a text that is equal for messages that differ only in their numbers. */
    public String key() {
        return String.join("\n", parts.stream().map(Part::key).toList());
    }

    /**
     * Returns the phrases without their numbers, in alphabetical order, and without what preemption found: {@code Insufficient cpu, node(s) were
     * unschedulable} for {@code 0/9 nodes are available: 5 Insufficient cpu, 4 node(s) were unschedulable.} Returns the message itself if
     * it has another form.
     */
    public String names() {
        Part first = parts.get(0);
        if (!first.phrases.isEmpty()) {
            return String.join(
                    ", ", new TreeSet<>(first.phrases.stream().map(Phrase::text).toList()));
        }
        Matcher uncounted = UNCOUNTED.matcher(first.start);
        return uncounted.matches() ? uncounted.group(1) : toString();
    }

    /** Merges these reasons with those of a message that has the same key. */
    public UnschedulableReasons with(UnschedulableReasons other) {
        List<Part> both = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            both.add(parts.get(i).with(other.parts.get(i)));
        }
        return new UnschedulableReasons(both);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UnschedulableReasons that && parts.equals(that.parts);
    }

    @Override
    public int hashCode() {
        return parts.hashCode();
    }

    /** Returns the message, with ranges where merged messages have different numbers. */
    @Override
    public String toString() {
        return String.join("", parts.stream().map(Part::toString).toList());
    }
}
