// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.moorage.app.internal.answer.PodChange;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.JsonAnswer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextTable;
import org.moorage.objects.GoDuration;

/** The answer of a running scheduler about a pod or a group: what it waits for, and the last attempts at it. */
final class LiveReport implements Report {
    private final ObjectNode answer;

    /** A report on the answer of {@code /debug/attempts}. */
    LiveReport(ObjectNode answer) {
        this.answer = answer;
    }

    @Override
    public Answer answer() {
        return new JsonAnswer(answer);
    }

    /** Returns whether the pod has a node; for a group, whether the last attempt succeeded. */
    @Override
    public boolean succeeded() {
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
    public List<String> names() {
        String node = text("node");
        return node.isEmpty() ? List.of() : List.of("node/" + node);
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
            case "inFlight" -> "is being scheduled or bound.";
            case "waitingForPermit" -> "is reserved on a node and waits for a permit: " + permits() + ".";
            case "queued" -> "is pending: " + queue();
            default -> "is not in the queue: it was created or deleted just now.";
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
                ? "; not tried yet."
                : attempts == 1 ? "; tried once." : "; tried " + attempts + " times.";
        return switch (in) {
            case "active" -> "active" + since + ", behind other pods" + tried;
            case "backoff" ->
                "backing off for another "
                        + duration(queue.path("backoffSeconds").asDouble()) + tried;
            case "gated" ->
                "gated" + since + " by " + clean(queue.at("/gate/plugin").asText()) + ": "
                        + clean(queue.at("/gate/message").asText()) + tried;
            case "incomplete" -> "its pod group or a parent of it does not exist" + since + tried;
            case "pending" -> "its pod group is being scheduled" + tried;
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
        if (!nominated.isEmpty() && !succeeded()) {
            wrapped("Preemption makes room for it on " + nominated + ".", terminal);
        }
        for (JsonNode rejector : answer.path("queue").path("rejectedBy")) {
            List<String> events = new ArrayList<>();
            rejector.path("movedBy").forEach(event -> events.add(clean(event.asText())));
            wrapped(
                    clean(rejector.path("plugin").asText()) + " rejects it; it is tried again on "
                            + (events.isEmpty() ? "no event" : String.join(", ", events)) + ".",
                    terminal);
        }
        JsonNode now = answer.path("now");
        if (now.has("error")) {
            wrapped("An attempt now would fail: " + clean(now.path("error").asText()), terminal);
        } else if (now.path("feasibleNodes").asInt() > 0) {
            wrapped(
                    "An attempt now would find " + now.path("feasibleNodes").asInt() + " of "
                            + now.path("nodes").asInt() + " nodes feasible.",
                    terminal);
        } else if (now.isObject()) {
            wrapped(
                    "An attempt now would find it unschedulable: "
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
            PodChange.printShort(shortened(changes), terminal);
        }
        if (now.has("changesError")) {
            wrapped(
                    "Changes that make it fit cannot be computed: "
                            + clean(now.path("changesError").asText()),
                    terminal);
        } else if (!now.path("changesComplete").asBoolean(true)) {
            wrapped("There was no time to try all changes that might make it fit.", terminal);
        }
    }

    private static List<PodChange.Short> shortened(JsonNode changes) {
        List<PodChange.Short> all = new ArrayList<>();
        changes.forEach(change -> all.add(new PodChange.Short(
                clean(change.path("change").asText()),
                texts(change.path("details")),
                change.path("nodes").asInt(),
                texts(change.path("examples")))));
        return all;
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(clean(text.asText())));
        return texts;
    }

    private static void printRoom(JsonNode preemption, Terminal terminal) {
        if (preemption.isObject()) {
            List<String> victims = new ArrayList<>();
            preemption.path("examples").forEach(victim -> victims.add(clean(victim.asText())));
            int more = preemption.path("victims").asInt() - victims.size();
            wrapped(
                    "Preemption would make room on "
                            + clean(preemption.path("node").asText()) + " by preempting "
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
                        + attempt.path("evaluatedNodes").asInt() + " evaluated nodes are feasible";
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

    // A text of another program must not control the terminal.
    private static String clean(String text) {
        StringBuilder cleaned = new StringBuilder(text.length());
        text.codePoints().forEach(c -> cleaned.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
        return cleaned.toString();
    }
}
