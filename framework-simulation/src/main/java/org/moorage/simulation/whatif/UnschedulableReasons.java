// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why no node is feasible for pods, as kube-scheduler says it: with the number of nodes for each reason. Messages with the same reasons are one, with
 * the least and the greatest number. Immutable.
 */
public final class UnschedulableReasons {
    // The number of nodes is followed by the reasons, each with a number.
    private static final Pattern COUNTED = Pattern.compile(
            "((?:preemption: )?[0-9]+/[0-9]+ nodes are available: )([0-9]+ .*?)(\\.? ?)", Pattern.DOTALL);
    // A reason that is of all nodes has no number.
    private static final Pattern UNCOUNTED =
            Pattern.compile("[0-9]+/[0-9]+ nodes are available: (.*?)\\.? ?", Pattern.DOTALL);
    private static final Pattern PARTS = Pattern.compile("(?<=\\. )(?=preemption: )");
    private static final Pattern REASONS = Pattern.compile(", (?=[0-9]+ )");

    private final List<Part> parts;

    private record Range(int least, int most) {
        Range with(Range other) {
            return new Range(Math.min(least, other.least), Math.max(most, other.most));
        }

        @Override
        public String toString() {
            return least == most ? Integer.toString(most) : least + " to " + most;
        }
    }

    /** A part of a message: a text before the reasons and one after them. */
    private record Part(String start, Map<String, Range> nodesByReason, String end) {
        String key() {
            return start + new TreeMap<>(nodesByReason).keySet() + end;
        }

        String text() {
            List<String> texts = new ArrayList<>();
            nodesByReason.entrySet().stream()
                    .sorted(Comparator.comparingInt((Map.Entry<String, Range> reason) ->
                            -reason.getValue().most()))
                    .forEach(reason -> texts.add(reason.getValue() + " " + reason.getKey()));
            return start + String.join(", ", texts) + end;
        }
    }

    private UnschedulableReasons(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /** The reasons of a message; one of another form is a reason without numbers. */
    public static UnschedulableReasons of(String message) {
        List<Part> parts = new ArrayList<>();
        for (String part : PARTS.split(message, -1)) {
            parts.add(part(part));
        }
        return new UnschedulableReasons(parts);
    }

    private static Part part(String text) {
        Matcher matcher = COUNTED.matcher(text);
        if (!matcher.matches()) {
            return new Part(text, Map.of(), "");
        }
        Map<String, Range> reasons = new LinkedHashMap<>();
        for (String reason : REASONS.split(matcher.group(2), -1)) {
            int end = reason.indexOf(' ');
            if (end > 9) {
                return new Part(text, Map.of(), "");
            }
            int nodes = Integer.parseInt(reason.substring(0, end));
            reasons.merge(reason.substring(end + 1), new Range(nodes, nodes), Range::with);
        }
        return new Part(matcher.group(1), Collections.unmodifiableMap(reasons), matcher.group(3));
    }

    /** Equal for messages with the same reasons. */
    public String key() {
        return String.join("\n", parts.stream().map(Part::key).toList());
    }

    /**
     * The reasons without numbers, in the order of the alphabet, and without what preemption found: of {@code 0/9 nodes are available: 5 Insufficient cpu,
     * 4 node(s) were unschedulable.} that is {@code Insufficient cpu, node(s) were unschedulable}. The message itself if it is of another form.
     */
    public String names() {
        Part first = parts.get(0);
        if (!first.nodesByReason.isEmpty()) {
            return String.join(", ", new TreeMap<>(first.nodesByReason).keySet());
        }
        Matcher uncounted = UNCOUNTED.matcher(first.start);
        return uncounted.matches() ? uncounted.group(1) : toString();
    }

    /** With those of a message that has the same key. */
    public UnschedulableReasons with(UnschedulableReasons other) {
        List<Part> both = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Map<String, Range> nodes = new LinkedHashMap<>(parts.get(i).nodesByReason());
            other.parts.get(i).nodesByReason().forEach((reason, range) -> nodes.merge(reason, range, Range::with));
            both.add(new Part(
                    parts.get(i).start(),
                    Collections.unmodifiableMap(nodes),
                    parts.get(i).end()));
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

    /** The message, the reason of most nodes first. */
    @Override
    public String toString() {
        return String.join("", parts.stream().map(Part::text).toList());
    }
}
