// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.whatif;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.moorage.runtime.decision.UnschedulableReasons;

/**
 * Why a pod has no node, or why it is not evicted. Reasons that differ only in numbers or in the result of preemption
 * have equal keys, and can be merged. Immutable.
 */
public final class PodReason {
    /** The reason of a pod that has a node. */
    public static final PodReason NONE = of("");

    private final String message;
    private final String summary;
    private final Optional<UnschedulableReasons> reasons;
    private final boolean isWaitingForPermit;

    /**
     * A key that is equal for the same reasons.
     *
     * @param isUnschedulable whether nodes were counted
     * @param names the reasons of the nodes, sorted
     * @param text why PreFilter rejected the pod, or the summary of another message
     */
    public record Key(boolean isUnschedulable, List<String> names, String text) {
        public Key {
            names = List.copyOf(names);
            Objects.requireNonNull(text, "text");
        }
    }

    private PodReason(
            String message, String summary, Optional<UnschedulableReasons> reasons, boolean isWaitingForPermit) {
        this.message = Objects.requireNonNull(message, "message");
        this.summary = Objects.requireNonNull(summary, "summary");
        this.reasons = Objects.requireNonNull(reasons, "reasons");
        this.isWaitingForPermit = isWaitingForPermit;
    }

    /** Returns the reason with a message. */
    public static PodReason of(String message) {
        return of(message, message);
    }

    /**
     * Returns the reason with a message.
     *
     * @param summary the message without the numbers or names that differ between pods with this reason
     */
    public static PodReason of(String message, String summary) {
        return new PodReason(message, summary, Optional.empty(), false);
    }

    /**
     * Returns the reason with a message.
     *
     * @param reasons the value that the message was made from; empty for other messages
     */
    public static PodReason of(String message, Optional<UnschedulableReasons> reasons) {
        return new PodReason(message, message, reasons, false);
    }

    /** Returns the reason of a pod that found a node, and waits for permits of plugins. */
    public static PodReason ofPermit(Collection<String> plugins) {
        String message = "waits for a permit of " + String.join(", ", plugins);
        return new PodReason(message, message, Optional.empty(), true);
    }

    /** Returns whether the pod found a node, and waits for permits of plugins. */
    public boolean isWaitingForPermit() {
        return isWaitingForPermit;
    }

    /** Returns the message; empty if the pod has a node. */
    public String message() {
        return message;
    }

    /** Returns the value that the message was made from; empty for other messages. */
    public Optional<UnschedulableReasons> reasons() {
        return reasons;
    }

    /** Returns the key, which has neither numbers of nodes nor the result of preemption. */
    public Key key() {
        return reasons.map(why -> new Key(
                        true,
                        List.copyOf(why.nodesByReason().keySet()),
                        why.nodeCount() == 0 ? message : why.preFilterMessage()))
                .orElseGet(() -> new Key(false, List.of(), summary));
    }

    /**
     * Returns the message without what differs between pods with the same reasons, such as
     * {@code Insufficient cpu, node(s) were unschedulable} for
     * {@code 0/9 nodes are available: 5 Insufficient cpu, 4 node(s) were unschedulable.}
     */
    public String summary() {
        if (reasons.isEmpty()) {
            return summary;
        }
        Key key = key();
        return key.names.isEmpty() ? key.text.isEmpty() ? message : key.text : String.join(", ", key.names);
    }

    /**
     * Returns one message for reasons with equal keys: with ranges in place of numbers that differ, and with the result
     * of preemption only if it is the same for all.
     *
     * @param podReasons the reasons; at least one
     */
    public static String merged(Collection<PodReason> podReasons) {
        Objects.requireNonNull(podReasons, "podReasons");
        PodReason first = podReasons.iterator().next();
        if (podReasons.stream().allMatch(reason -> reason.message.equals(first.message))) {
            return first.message;
        }
        if (first.reasons.isEmpty()) {
            return first.summary;
        }
        IntSummaryStatistics nodes = new IntSummaryStatistics();
        Map<String, IntSummaryStatistics> nodesByReason = new TreeMap<>();
        Set<String> postFilterMessages = new HashSet<>();
        for (PodReason reason : podReasons) {
            UnschedulableReasons reasons = reason.reasons.orElseThrow();
            nodes.accept(reasons.nodeCount());
            reasons.nodesByReason()
                    .forEach((name, count) -> nodesByReason
                            .computeIfAbsent(name, any -> new IntSummaryStatistics())
                            .accept(count));
            postFilterMessages.add(reasons.postFilterMessage());
        }
        List<String> parts = new ArrayList<>();
        nodesByReason.forEach((name, counts) -> parts.add(range(counts) + " " + name));
        // In the order in which kube-scheduler sorts them.
        Collections.sort(parts);
        String why = parts.isEmpty() ? first.key().text : String.join(", ", parts);
        String postFilter =
                postFilterMessages.size() == 1 ? postFilterMessages.iterator().next() : "";
        return "0/" + range(nodes) + " nodes are available:" + (why.isEmpty() ? "" : " " + why + ".")
                + (postFilter.isEmpty() ? "" : " " + postFilter);
    }

    private static String range(IntSummaryStatistics counts) {
        return counts.getMin() == counts.getMax()
                ? Integer.toString(counts.getMax())
                : counts.getMin() + " to " + counts.getMax();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PodReason that
                && message.equals(that.message)
                && summary.equals(that.summary)
                && reasons.equals(that.reasons);
    }

    @Override
    public int hashCode() {
        return message.hashCode();
    }

    /** Returns the message. */
    @Override
    public String toString() {
        return message;
    }
}
