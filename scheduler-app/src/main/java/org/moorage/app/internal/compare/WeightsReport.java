// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.moorage.api.model.ResourceName;
import org.moorage.app.internal.answer.ClusterFigures;
import org.moorage.app.internal.answer.SchedulingFigures;
import org.moorage.app.internal.compare.WeightsAnswer.Combination;
import org.moorage.app.internal.compare.WeightsAnswer.Unchanged;
import org.moorage.app.internal.report.AmountFormat;
import org.moorage.app.internal.report.Answer;
import org.moorage.app.internal.report.Report;
import org.moorage.app.internal.report.Terminal;
import org.moorage.app.internal.report.TextTable;
import org.moorage.app.internal.report.TextTable.Cell;
import org.moorage.simulation.whatif.ClusterBalance;
import org.moorage.simulation.whatif.ClusterBalance.ResourceBalance;
import org.moorage.simulation.whatif.SchedulingOutcome.Demand;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The results of a configuration with other weights of its plugins, a row for each combination. */
final class WeightsReport implements Report {
    private static final int ROWS = 40;

    private final String name;
    private final Demand demand;
    private final ClusterBalance now;
    private final SchedulingFigures unchanged;
    private final List<Combination> combinations;

    /** The order of combinations: by one of the figures, and of equal ones by the others in this order. */
    enum Order {
        PENDING,
        UNUSABLE,
        IMBALANCE,
        EMPTY_NODES,
        MOVED;

        // The less, the better.
        private double figure(Combination combination) {
            return switch (this) {
                case PENDING -> combination.figures().pending();
                case UNUSABLE -> sum(combination, ResourceBalance::fragmentation);
                case IMBALANCE -> sum(combination, ResourceBalance::imbalance);
                case EMPTY_NODES -> -combination.figures().cluster().emptyNodes();
                case MOVED -> combination.moved();
            };
        }

        private static double sum(Combination combination, ToDoubleFunction<ResourceBalance> figure) {
            return combination.figures().cluster().resources().values().stream()
                    .mapToDouble(figure)
                    .sum();
        }

        private Comparator<Combination> comparator() {
            Comparator<Combination> comparator = Comparator.comparingDouble(this::figure);
            for (Order other : values()) {
                comparator = comparator.thenComparingDouble(other::figure);
            }
            return comparator;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** A converter of the names in lower case. */
        static final class Named implements ITypeConverter<Order> {
            @Override
            public Order convert(String text) {
                for (Order order : values()) {
                    if (order.toString().equals(text)) {
                        return order;
                    }
                }
                List<String> names = Stream.of(values()).map(Order::toString).toList();
                throw new TypeConversionException(
                        "\"" + text + "\" (expected: one of " + String.join(", ", names) + ")");
            }
        }
    }

    /**
     * A report.
     *
     * @param name the name of the configuration
     * @param now how the nodes are filled before
     * @param unchanged the result of the weights of the configuration
     * @param combinations the results of other weights
     */
    WeightsReport(
            String name,
            Demand demand,
            ClusterBalance now,
            SchedulingFigures unchanged,
            List<Combination> combinations,
            Order order) {
        this.name = name;
        this.demand = demand;
        this.now = now;
        this.unchanged = unchanged;
        this.combinations = combinations.stream().sorted(order.comparator()).toList();
    }

    @Override
    public boolean succeeded() {
        return combinations.stream().allMatch(combination -> combination.moved() == 0);
    }

    @Override
    public List<String> names() {
        return List.of();
    }

    @Override
    public void print(Terminal terminal) {
        long moving = combinations.stream()
                .filter(combination -> combination.moved() > 0)
                .count();
        TextTable.printHeadline(
                moving == 0
                        ? "All " + combinations.size() + " combinations schedule all pods to the same nodes."
                        : moving + " of " + combinations.size() + " combinations schedule pods to other nodes than "
                                + name + ".",
                terminal);
        TextTable.printWrapped(CompareReport.scheduled(demand), terminal);
        terminal.out().println();
        List<ResourceName> resources = resources();
        table(resources, terminal).print(terminal);
        if (terminal.shown(combinations.size(), ROWS) < combinations.size()) {
            terminal.out().println("and " + (combinations.size() - ROWS) + " more combinations (-o wide shows all)");
        }
        terminal.out().println();
        TextTable.printWrapped(
                CompareReport.FIGURES + " Both are of "
                        + String.join(
                                ", ", resources.stream().map(ResourceName::name).toList())
                        + ".",
                terminal);
    }

    private TextTable table(List<ResourceName> resources, Terminal terminal) {
        TextTable table = new TextTable().right("MOVED").right("PENDING");
        if (!demand.anew().isEmpty()) {
            table.right("LEFT THEIR NODE");
        }
        table.right("EMPTY NODES").right("IMBALANCE").right("UNUSABLE, %").left("WEIGHTS");
        table.row(cells("-", unchanged, resources, "those of " + name));
        for (Combination combination : combinations.subList(0, terminal.shown(combinations.size(), ROWS))) {
            table.row(
                    cells(Integer.toString(combination.moved()), combination.figures(), resources, combination.text()));
        }
        return table;
    }

    private List<Cell> cells(String moved, SchedulingFigures figures, List<ResourceName> resources, String weights) {
        List<Cell> cells = new ArrayList<>(List.of(Cell.of(moved), CompareReport.pendingCell(figures.pending())));
        if (!demand.anew().isEmpty()) {
            cells.add(Cell.of(figures.leftTheirNode()));
        }
        cells.add(Cell.of(figures.cluster().emptyNodes()));
        cells.add(Cell.of(numbers(figures, resources, ResourceBalance::imbalance)));
        cells.add(Cell.of(numbers(figures, resources, ResourceBalance::fragmentation)));
        cells.add(Cell.of(weights));
        return cells;
    }

    private static String numbers(
            SchedulingFigures figures, List<ResourceName> resources, ToDoubleFunction<ResourceBalance> figure) {
        List<String> numbers = new ArrayList<>();
        for (ResourceName resource : resources) {
            numbers.add(
                    AmountFormat.number(figure.applyAsDouble(figures.cluster().of(resource))));
        }
        return String.join(" / ", numbers);
    }

    // Those that pods request.
    private List<ResourceName> resources() {
        return now.byResource().keySet().stream()
                .filter(resource -> unchanged.cluster().of(resource).requested() > 0
                        || combinations.stream()
                                .anyMatch(combination -> combination
                                                .figures()
                                                .cluster()
                                                .of(resource)
                                                .requested()
                                        > 0))
                .toList();
    }

    @Override
    public Answer answer() {
        return new WeightsAnswer(
                demand.waiting().size(),
                demand.anew().size(),
                ClusterFigures.of(now),
                new Unchanged(name, unchanged),
                combinations);
    }
}
