// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.explain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.ResourceName;
import org.moorage.api.model.Resources;
import org.moorage.app.internal.answer.GroupResult;
import org.moorage.app.internal.answer.Names;
import org.moorage.app.internal.answer.RejectedNodes;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextStyle;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.app.internal.simulate.GroupTable;
import org.moorage.runtime.decision.GroupEvaluation;
import org.moorage.runtime.decision.GroupEvaluation.Attempt;
import org.moorage.runtime.decision.GroupEvaluation.Best;
import org.moorage.runtime.decision.GroupEvaluation.Member;
import org.moorage.runtime.decision.GroupEvaluation.Placement;
import org.moorage.runtime.decision.GroupEvaluation.Stop;
import org.moorage.runtime.decision.PluginStatus;
import org.moorage.simulation.GroupExplanation;
import org.moorage.simulation.SimulatedGroup;
import org.moorage.simulation.SimulatedPod.State;

/**
 * The attempt to schedule a group of pods: its placements, the pod that stops it, missing resources and pods to
 * preempt.
 */
final class GroupExplainReport implements Report {
    // Row limits, so that a report fits on a screen.
    private static final int PLACEMENTS = 10;
    private static final int NODES = 10;
    private static final String INSUFFICIENT = "Insufficient ";

    private final GroupExplanation explanation;
    private final GroupEvaluation evaluation;
    private final List<String> notes;

    /**
     * A report.
     *
     * @param notes notes on the pod that was asked about
     */
    GroupExplainReport(GroupExplanation explanation, List<String> notes) {
        this.explanation = explanation;
        evaluation = explanation.evaluation();
        this.notes = List.copyOf(notes);
    }

    @Override
    public void print(Terminal terminal) {
        TextTable.printHeadline(shown(evaluation.group()) + " " + headline(), terminal);
        TextTable.printWrapped(moment(), terminal);
        notes.forEach(note -> TextTable.printWrapped(note, terminal));
        if (lacksPods()) {
            return;
        }
        List<Attempt> path = evaluation.path();
        for (Attempt attempt : path) {
            printPlacements(attempt, path.size() > 1, terminal);
        }
        if (!path.isEmpty()) {
            Attempt last = path.get(path.size() - 1);
            last.best().ifPresent(best -> printBest(last, best, terminal));
        }
        evaluation.postFilter().ifPresent(answer -> {
            terminal.out().println();
            TextTable.printWrapped(
                    "PodGroupPostFilter: " + answer.plugin() + ": "
                            + answer.status().message(),
                    terminal);
            printVictims(terminal);
        });
    }

    private static void printHeading(String text, Terminal terminal) {
        terminal.out().println();
        TextTable.printHeading(text, terminal);
    }

    // Trying a gang shows nothing until it has its pods.
    private boolean lacksPods() {
        return explanation
                .outcome()
                .filter(outcome -> outcome.state() == State.GATED && outcome.members() < outcome.needed())
                .isPresent();
    }

    @Override
    public List<String> names() {
        return explanation.outcome().map(SimulatedGroup::nodes).orElse(List.of()).stream()
                .distinct()
                .map(node -> "node/" + node)
                .toList();
    }

    @Override
    public boolean succeeded() {
        return explanation
                .outcome()
                .map(outcome -> outcome.state() == State.SCHEDULED)
                .orElse(evaluation.fits());
    }

    // The text after the group's name.
    private String headline() {
        if (explanation.outcome().isEmpty()) {
            return wouldBe();
        }
        SimulatedGroup outcome = explanation.outcome().get();
        String members = outcome.key().type() == GroupKey.Type.POD_GROUP ? " pods" : " groups";
        return switch (outcome.state()) {
            case SCHEDULED ->
                "is placed: " + outcome.placed() + " of " + outcome.members() + members + ", and it needs "
                        + outcome.needed() + (outcome.domain().isEmpty() ? "." : "; in " + outcome.domain() + ".");
            case UNSCHEDULABLE -> "is not placed: " + GroupTable.withoutPrefix(outcome.message());
            case GATED ->
                "is gated" + (outcome.plugin().isEmpty() ? ": " : " by " + outcome.plugin() + ": ") + outcome.message()
                        + (outcome.needed() == 0
                                ? "."
                                : lacksPods()
                                        ? ". It has " + outcome.members() + " of the " + outcome.needed() + members
                                                + " that it needs."
                                        : ". If it were not, it " + wouldBe());
            case ERROR -> "fails: " + outcome.message();
            case WAITING_FOR_PERMIT, PREEMPTED, DELETING, DELETED, OTHER_SCHEDULER -> outcome.message() + ".";
        };
    }

    private String wouldBe() {
        if (evaluation.fits()) {
            return evaluation.pods().isEmpty()
                    ? "has no pending pods."
                    : "would be placed"
                            + evaluation
                                    .attempt()
                                    .flatMap(Attempt::best)
                                    .map(best -> ": " + best.placement().pods() + " of "
                                            + evaluation.pods().size() + " pods would have a node"
                                            + in(best.placement()) + ".")
                                    .orElse(".");
        }
        return "would not be placed: " + GroupTable.withoutPrefix(evaluation.message());
    }

    private static String in(Placement placement) {
        return placement.name().isEmpty() ? "" : " in " + placement.name();
    }

    private String moment() {
        String others = explanation.podsBefore() == 1
                ? "1 pod of others was"
                : explanation.podsBefore() + " pods of others were";
        return switch (explanation.moment()) {
            case NOW -> "Evaluated in the cluster as it is; no pending pod was scheduled first.";
            case END ->
                "Evaluated at the end of the simulation, since the group has no turn: " + others + " tried before.";
            case TURN ->
                "Evaluated at its turn in the simulation"
                        + (explanation.attempts() > 1 ? ", attempt " + explanation.attempts() : "") + ": "
                        + (explanation.podsBefore() == 0
                                ? "no other pod was tried before."
                                : others + " tried before.");
        };
    }

    private void printPlacements(Attempt attempt, boolean isOneOfSeveral, Terminal terminal) {
        List<Placement> placements = attempt.placements();
        boolean isWhole = placements.size() == 1 && placements.get(0).name().isEmpty();
        if (placements.isEmpty() || isWhole && !isOneOfSeveral) {
            return;
        }
        String members = members(attempt);
        printHeading(
                (isOneOfSeveral ? shown(attempt.group()) + " needs " : "It needs ") + attempt.needed() + " " + members
                        + (attempt.placedBefore() == 0 ? "" : ", of which " + attempt.placedBefore() + " are placed")
                        + ". Placements tried:",
                terminal);
        List<Placement> ordered = new ArrayList<>(placements);
        int shown = terminal.shown(ordered.size(), PLACEMENTS);
        if (shown < ordered.size()) {
            ordered.sort(Comparator.comparing((Placement placement) -> !isBest(attempt, placement))
                    .thenComparingInt(placement -> -placement.placed())
                    .thenComparingInt(placement -> -placement.pods()));
        }
        TextTable table = new TextTable()
                .left("  PLACEMENT")
                .right("NODES")
                .left("PLACED")
                .left("MESSAGE");
        for (Placement placement : ordered.subList(0, shown)) {
            boolean isBest = isBest(attempt, placement);
            table.row(List.of(
                    new Cell(
                            (isBest ? "* " : "  ") + (placement.name().isEmpty() ? "all nodes" : placement.name()),
                            placement.fits() ? TextStyle.GOOD : TextStyle.PLAIN),
                    Cell.of(Integer.toString(placement.nodes())),
                    Cell.of(placement.placed() + " " + members),
                    Cell.of(placement.fits() ? "fits" : GroupTable.withoutPrefix(placement.message()))));
        }
        table.print(terminal);
        if (shown < ordered.size()) {
            terminal.out().println("  and " + (ordered.size() - shown) + " more (-o wide shows all)");
        }
    }

    private static String members(Attempt attempt) {
        return attempt.group().type() == GroupKey.Type.POD_GROUP ? "pods" : "groups";
    }

    private static boolean isBest(Attempt attempt, Placement placement) {
        return attempt.best().filter(best -> best.placement().equals(placement)).isPresent();
    }

    private void printBest(Attempt attempt, Best best, Terminal terminal) {
        String where = best.placement().name().isEmpty()
                ? ""
                : " in " + best.placement().name();
        if (attempt.group().type() == GroupKey.Type.POD_GROUP) {
            printHeading("Its pods" + where + ":", terminal);
            printMembers(attempt, best, terminal);
        }
        best.stop().ifPresent(stop -> {
            printHeading(stop.pod().key() + " stops it" + where + ":", terminal);
            printStop(stop, terminal);
            printMissing(attempt, best, stop, terminal);
        });
    }

    /** Pods with one specification. */
    private record Alike(List<Pod> pods, List<Member> placed, List<Member> refused) {}

    private List<Alike> alike(Attempt attempt, Best best) {
        Map<String, Member> memberByUid = new LinkedHashMap<>();
        best.members().forEach(member -> memberByUid.put(member.pod().uid(), member));
        Map<PodSpec, Alike> bySpec = new LinkedHashMap<>();
        for (Pod pod : evaluation.pods()) {
            if (!pod.spec().podGroupName().equals(attempt.group().name())) {
                continue;
            }
            Alike alike = bySpec.computeIfAbsent(
                    pod.spec(), any -> new Alike(new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
            alike.pods.add(pod);
            Member member = memberByUid.get(pod.uid());
            if (member != null) {
                (member.nodeName().isEmpty() ? alike.refused : alike.placed).add(member);
            }
        }
        return List.copyOf(bySpec.values());
    }

    private void printMembers(Attempt attempt, Best best, Terminal terminal) {
        TextTable table =
                new TextTable().left("  PODS").left("REQUESTS").left("FIT").left("NODES");
        for (Alike alike : alike(attempt, best)) {
            int others = alike.pods.size() - 1;
            List<String> nodes = new ArrayList<>();
            alike.placed.forEach(member -> nodes.add(member.nodeName()));
            int left = others + 1 - alike.placed.size() - alike.refused.size();
            List<String> parts = new ArrayList<>();
            if (!nodes.isEmpty()) {
                nodes.sort(Comparator.naturalOrder());
                parts.add(GroupTable.nodes(nodes));
            }
            messages(alike).forEach((message, count) -> parts.add(count + " without a node: " + message));
            if (left > 0) {
                parts.add(left + " not tried");
            }
            table.row(List.of(
                    Cell.of("  " + alike.pods.get(0).key() + (others == 0 ? "" : " +" + others + " alike")),
                    Cell.of(amounts(alike.pods.get(0).spec().requests())),
                    new Cell(
                            alike.placed.size() + " of " + alike.pods.size(),
                            alike.placed.size() == alike.pods.size() ? TextStyle.GOOD : TextStyle.BAD),
                    Cell.of(String.join("; ", parts))));
        }
        table.print(terminal);
    }

    private static Map<String, Integer> messages(Alike alike) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        alike.refused.forEach(member -> counts.merge(member.message(), 1, Integer::sum));
        return counts;
    }

    private static String amounts(Resources resources) {
        List<String> texts = new ArrayList<>();
        for (ResourceName name : AmountFormat.names(resources)) {
            texts.add(name.name() + " " + AmountFormat.text(name, resources.amount(name)));
        }
        return texts.isEmpty() ? "-" : String.join(", ", texts);
    }

    private void printStop(Stop stop, Terminal terminal) {
        if (stop.preFilterRejection().isPresent()) {
            TextTable.printWrapped(
                    "  " + stop.preFilterRejection().get().plugin() + ": "
                            + stop.preFilterRejection().get().status().message(),
                    terminal);
            return;
        }
        List<RejectedNodes> rejected = RejectedNodes.of(stop.objections());
        if (rejected.isEmpty()) {
            TextTable.printWrapped("  " + stop.message(), terminal);
            return;
        }
        RejectedNodes.print(rejected, terminal);
    }

    private void printMissing(Attempt attempt, Best best, Stop stop, Terminal terminal) {
        int missing = attempt.missing();
        if (missing > 0) {
            Map<String, Integer> counts = new LinkedHashMap<>();
            int left = missing;
            for (Alike alike : alike(attempt, best)) {
                int here = Math.min(left, alike.pods.size() - alike.placed.size());
                if (here > 0) {
                    counts.merge(amounts(alike.pods.get(0).spec().requests()), here, Integer::sum);
                    left -= here;
                }
            }
            List<String> texts = new ArrayList<>();
            counts.forEach((amounts, count) -> texts.add(counts.size() == 1 ? amounts : count + " with " + amounts));
            printHeading(
                    "Missing there: room for " + (missing == 1 ? "1 more pod" : missing + " more pods")
                            + (counts.size() == 1 ? (missing == 1 ? " with " : " with each ") : ", ")
                            + String.join(", ", texts) + ".",
                    terminal);
        }
        if (!stop.free().isEmpty() && stop.preFilterRejection().isEmpty()) {
            printRoom(stop, terminal);
        }
    }

    /** The free resources of a node, and the additional resources that the pod would need. */
    private record Room(String node, String free, String lacks, int others, double share) {}

    private void printRoom(Stop stop, Terminal terminal) {
        Resources requests = stop.pod().spec().requests();
        List<Room> rooms = new ArrayList<>();
        stop.free()
                .forEach((node, free) ->
                        rooms.add(room(node, free, requests, stop.objections().getOrDefault(node, List.of()))));
        rooms.sort(Comparator.comparingInt(Room::others).thenComparingDouble(Room::share));
        int shown = terminal.shown(rooms.size(), NODES);
        TextTable table = new TextTable().left("  NODE").left("FREE").left("LACKS FOR ANOTHER");
        for (Room room : rooms.subList(0, shown)) {
            table.row(List.of(Cell.of("  " + room.node), Cell.of(room.free), Cell.of(room.lacks)));
        }
        table.print(terminal);
        if (shown < rooms.size()) {
            terminal.out().println("  and " + (rooms.size() - shown) + " more (-o wide shows all)");
        }
    }

    private static Room room(String node, Resources free, Resources requests, List<PluginStatus> objections) {
        List<String> left = new ArrayList<>();
        List<String> lacks = new ArrayList<>();
        double share = 0;
        for (ResourceName name : AmountFormat.names(requests)) {
            long request = requests.amount(name);
            long has = free.amount(name);
            left.add(name.name() + " " + AmountFormat.text(name, has));
            if (has < request) {
                lacks.add(name.name() + " " + AmountFormat.text(name, request - has));
                share = Math.max(share, (double) (request - has) / request);
            }
        }
        int others = 0;
        for (PluginStatus objection : objections) {
            for (String reason : objection.status().reasons()) {
                if (!reason.startsWith(INSUFFICIENT)) {
                    lacks.add(reason);
                    others++;
                }
            }
        }
        return new Room(
                node,
                left.isEmpty() ? "-" : String.join(", ", left),
                lacks.isEmpty() ? "-" : String.join(", ", lacks),
                others,
                share);
    }

    private void printVictims(Terminal terminal) {
        if (evaluation.victims().isEmpty()) {
            return;
        }
        Map<String, List<String>> podsByGroup = new LinkedHashMap<>();
        for (Pod victim : evaluation.victims()) {
            String group = victim.spec().podGroupName();
            String key = group.isEmpty() ? "" : shown(GroupKey.podGroup(victim.namespace(), group));
            podsByGroup
                    .computeIfAbsent(key, any -> new ArrayList<>())
                    .add(victim.key() + (victim.metadata().isDeleting() ? " (deleting)" : ""));
        }
        TextTable table = new TextTable().left("  PREEMPTED").right("PODS").left("");
        podsByGroup.forEach((group, pods) -> table.row(List.of(
                new Cell("  " + (group.isEmpty() ? "pods of no group" : group), TextStyle.BAD),
                Cell.of(Integer.toString(pods.size())),
                Cell.of(Names.on(terminal, pods)))));
        table.print(terminal);
    }

    private static String shown(GroupKey key) {
        return GroupResult.kind(key) + " " + GroupResult.name(key);
    }

    @Override
    public Answer answer() {
        return GroupExplanationAnswer.of(explanation, notes);
    }
}
