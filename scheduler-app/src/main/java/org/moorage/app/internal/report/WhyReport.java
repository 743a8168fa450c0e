// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.moorage.objects.GoDuration;

/** What a scheduler tells of a pod or a group: what it waits for, and the attempts at it. */
public final class WhyReport implements Report {
    private final ObjectNode answer;

    /** Made of the answer of {@code /debug/attempts}. */
    public WhyReport(ObjectNode answer) {
        this.answer = answer;
    }

    /** Whether the pod has a node; of a group, whether the last attempt succeeded. */
    public boolean isScheduled() {
        if (answer.has("group")) {
            return answer.at("/attempts/0/result").asText().equals("scheduled");
        }
        String state = answer.path("state").asText();
        return state.equals("bound")
                || state.equals("ended")
                || state.equals("gone")
                        && answer.at("/attempts/0/result").asText().equals("bound");
    }

    @Override
    public ObjectNode tree() {
        return answer;
    }

    @Override
    public void print(Terminal terminal) {
        boolean isGroup = answer.has("group");
        wrapped(isGroup ? text("group") : text("pod") + " " + state(), terminal);
        if (!isGroup) {
            printWait(terminal);
        }
        printAttempts(answer.path("attempts"), isGroup ? "Attempts at the group" : "Attempts", terminal);
        printAttempts(answer.path("groupAttempts"), "Attempts at its group " + text("podGroup"), terminal);
        if (answer.path("keptAttempts").asInt() == 0) {
            terminal.out().println();
            wrapped("The scheduler keeps no attempts: it runs without --keep-attempts.", terminal);
        }
    }

    private String text(String field) {
        return clean(answer.path(field).asText());
    }

    private String state() {
        return switch (answer.path("state").asText()) {
            case "bound" -> "is on " + text("node") + ".";
            case "ended" -> "has ended on " + text("node") + ".";
            case "gone" -> "is gone.";
            case "otherScheduler" -> "is for the scheduler " + text("scheduler") + ", which is not this one.";
            case "inFlight" -> "is being tried, or bound.";
            case "waitingForPermit" -> "has a node, and waits for a permit: " + permits() + ".";
            case "queued" -> "waits: " + queue();
            default -> "is known, and not in the queue: it has only just come, or is about to go.";
        };
    }

    private String permits() {
        List<String> waits = new ArrayList<>();
        for (JsonNode permit : answer.path("permits")) {
            waits.add(clean(permit.path("plugin").asText()) + ": at most "
                    + duration(permit.path("atMostSeconds").asDouble()));
        }
        return String.join(", ", waits);
    }

    private String queue() {
        JsonNode queue = answer.path("queue");
        String in = queue.path("in").asText();
        String since = " for " + duration(queue.path("forSeconds").asDouble());
        int attempts = queue.path("attempts").asInt();
        String tried = attempts == 0
                ? ", and was not tried yet."
                : attempts == 1 ? "; tried once." : "; tried " + attempts + " times.";
        return switch (in) {
            case "active" -> "it is ready" + since + ", and others are tried before it" + tried;
            case "backoff" ->
                "it backs off for another "
                        + duration(queue.path("backoffSeconds").asDouble()) + tried;
            case "gated" ->
                "gated" + since + " by " + clean(queue.at("/gate/plugin").asText()) + ": "
                        + clean(queue.at("/gate/message").asText()) + tried;
            case "incomplete" -> "its pod group, or one above it, is not there" + since + tried;
            case "pending" -> "its pod group is being tried" + tried;
            default -> "unschedulable" + since + tried;
        };
    }

    private static String duration(double seconds) {
        Duration duration = Duration.ofMillis((long) (seconds * 1000));
        return GoDuration.format(
                seconds < 10 ? Duration.ofMillis(duration.toMillis() / 100 * 100) : Duration.ofSeconds((long) seconds));
    }

    private void printWait(Terminal terminal) {
        String nominated = text("nominatedNode");
        if (!nominated.isEmpty() && !isScheduled()) {
            wrapped("Room is being made for it on " + nominated + ".", terminal);
        }
        for (JsonNode rejector : answer.path("queue").path("rejectedBy")) {
            List<String> events = new ArrayList<>();
            rejector.path("movedBy").forEach(event -> events.add(clean(event.asText())));
            wrapped(
                    clean(rejector.path("plugin").asText()) + " rejects it; it is tried again at "
                            + (events.isEmpty() ? "no event" : String.join(", ", events)) + ".",
                    terminal);
        }
        JsonNode now = answer.path("now");
        if (now.has("error")) {
            wrapped("Tried now it would fail: " + clean(now.path("error").asText()), terminal);
        } else if (now.path("feasibleNodes").asInt() > 0) {
            wrapped(
                    "Tried now it would fit " + now.path("feasibleNodes").asInt() + " of "
                            + now.path("nodes").asInt() + " nodes.",
                    terminal);
        } else if (now.isObject()) {
            wrapped(
                    "Tried now it would be unschedulable: "
                            + clean(now.path("message").asText()),
                    terminal);
            printRoom(now.path("preemption"), terminal);
            printChanges(now, terminal);
        }
    }

    private static void printChanges(JsonNode now, Terminal terminal) {
        JsonNode changes = now.path("changes");
        if (!changes.isEmpty()) {
            terminal.out().println();
            TextTable.printHeading("Any of these would make it fit:", terminal);
            FittingChangeRows.printCounts(changes, terminal);
        }
        if (now.has("changesError")) {
            wrapped(
                    "What would make it fit cannot be told: "
                            + clean(now.path("changesError").asText()),
                    terminal);
        } else if (!now.path("changesComplete").asBoolean(true)) {
            wrapped("There was no time to try all that might make it fit.", terminal);
        }
    }

    private static void printRoom(JsonNode preemption, Terminal terminal) {
        if (preemption.isObject()) {
            List<String> victims = new ArrayList<>();
            preemption.path("examples").forEach(victim -> victims.add(clean(victim.asText())));
            int more = preemption.path("victims").asInt() - victims.size();
            wrapped(
                    "Preemption would make room on "
                            + clean(preemption.path("node").asText()) + ", where these leave: "
                            + String.join(", ", victims) + (more > 0 ? " and " + more + " more" : ""),
                    terminal);
        }
    }

    private static void printAttempts(JsonNode attempts, String title, Terminal terminal) {
        if (attempts.isEmpty()) {
            return;
        }
        terminal.out().println();
        TextTable.printHeading(clean(title) + ", the last one first:", terminal);
        for (JsonNode attempt : attempts) {
            int times = attempt.path("times").asInt();
            wrapped(
                    clean(attempt.path("at").asText()) + "  " + result(attempt)
                            + (times > 1
                                    ? " (" + times + " times since "
                                            + clean(attempt.path("firstAt").asText()) + ")"
                                    : ""),
                    terminal);
            printReasons(attempt, terminal);
        }
    }

    private static String result(JsonNode attempt) {
        String node = clean(attempt.path("node").asText());
        String message = clean(attempt.path("message").asText());
        String of = attempt.path("evaluatedNodes").asInt() == 0
                ? ""
                : "; " + attempt.path("feasibleNodes").asInt() + " of "
                        + attempt.path("evaluatedNodes").asInt() + " nodes that were looked at would do";
        return switch (attempt.path("result").asText()) {
            case "scheduled" -> node.isEmpty() ? "scheduled" : "chosen: " + node + of;
            case "bindingFailed" -> "not bound to " + node + ": " + message;
            case "nominated" -> {
                String room = clean(attempt.path("nominatedNode").asText());
                yield "makes room" + (room.isEmpty() ? "" : " on " + room) + ": " + message;
            }
            case "error" -> "error: " + message;
            default -> message;
        };
    }

    private static void printReasons(JsonNode attempt, Terminal terminal) {
        TextTable table = new TextTable().right().left();
        boolean isEmpty = true;
        for (JsonNode reason : attempt.path("reasons")) {
            List<String> examples = new ArrayList<>();
            reason.path("examples").forEach(example -> examples.add(clean(example.asText())));
            String plugin = clean(reason.path("plugin").asText());
            int nodes = reason.path("nodes").asInt();
            boolean hasMore = nodes > examples.size() && !examples.isEmpty();
            table.row(List.of(
                    TextTable.Cell.of("    " + nodes),
                    TextTable.Cell.of((plugin.isEmpty() ? "" : plugin + ": ")
                            + clean(reason.path("reason").asText())
                            + (examples.isEmpty()
                                    ? ""
                                    : " (" + String.join(", ", examples) + (hasMore ? ", …" : "") + ")"))));
            isEmpty = false;
        }
        for (JsonNode best : attempt.path("best")) {
            table.row(List.of(
                    TextTable.Cell.of("    " + best.path("score").asLong()),
                    TextTable.Cell.of("score of " + clean(best.path("node").asText()))));
            isEmpty = false;
        }
        if (!isEmpty) {
            table.print(terminal);
        }
    }

    private static void wrapped(String text, Terminal terminal) {
        int width = terminal.width() == 0 ? Integer.MAX_VALUE : terminal.width();
        TextTable.wrap(text, width).forEach(terminal.out()::println);
    }

    // What comes from elsewhere must not steer the terminal.
    static String clean(String text) {
        StringBuilder cleaned = new StringBuilder(text.length());
        text.codePoints().forEach(c -> cleaned.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
        return cleaned.toString();
    }
}
