// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.answer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.RescheduledPods.RescheduledPod;

/** The reasons why pods are unschedulable, with a row for each message, the most frequent first. */
public final class UnplacedRows {
    private static final int MESSAGES = 10;

    private UnplacedRows() {}

    /**
     * Prints them below a title, after an empty line; nothing if there are no pods.
     *
     * @param title ends with a colon
     * @param unplaced pods without a node
     */
    public static void print(String title, List<RescheduledPod> unplaced, Terminal terminal) {
        if (unplaced.isEmpty()) {
            return;
        }
        Map<String, String> firstByMessage = new LinkedHashMap<>();
        unplaced.forEach(
                pod -> firstByMessage.putIfAbsent(pod.message(), pod.pod().key()));
        List<Map.Entry<String, Integer>> messages = new ArrayList<>(
                Counts.of(unplaced, RescheduledPod::message).byName().entrySet());
        int shown = Math.min(MESSAGES, messages.size());
        TextTable table = new TextTable().right().left();
        for (Map.Entry<String, Integer> message : messages.subList(0, shown)) {
            table.row(List.of(
                    Cell.of("  " + message.getValue()),
                    Cell.of("such as " + firstByMessage.get(message.getKey()) + ": " + message.getKey())));
        }
        terminal.out().println();
        TextTable.printHeading(title, terminal);
        table.print(terminal);
        if (shown < messages.size()) {
            terminal.out().println("  and " + (messages.size() - shown) + " more reasons (-o json has all)");
        }
    }
}
