// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.api.preemption.Victim.Kind;
import org.moorage.testkit.Pods;

/** Tests the order of reprieves, and the number of violated budgets if no pod can stay. */
class ReprieveTest {
    /**
     * Victims and the budgets that protect them.
     *
     * @param asked the first pods of those who are asked about, in that order
     */
    private record Case(
            String name, List<Victim> possible, List<PodDisruptionBudget> budgets, List<String> asked, int violations) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Pod pod(String name, String app) {
        Pods pod = Pods.named(name);
        return app.isEmpty() ? pod.build() : pod.label(app, "yes").build();
    }

    private static Victim victim(int priority, Pod... pods) {
        return new Victim(pods.length > 1 ? Kind.POD_GROUP : Kind.POD, priority, List.of(pods), 0);
    }

    private static PodDisruptionBudget budget(String app, int allowed, String... disrupted) {
        return new PodDisruptionBudget(
                ObjectMeta.named("of " + app).namespace("default").build(),
                Optional.of(new LabelSelector(app.isEmpty() ? Map.of() : Map.of(app, "yes"), List.of())),
                allowed,
                Set.of(disrupted));
    }

    private static final Victim HIGH = victim(2, pod("high", "web"));
    private static final Victim LOW = victim(1, pod("low", "web"));
    private static final Victim UNPROTECTED = victim(3, pod("unprotected", ""));
    private static final Victim GROUP = victim(1, pod("first", "web"), pod("second", "web"), pod("third", ""));

    static final List<Case> CASES = List.of(
            new Case("nobody", List.of(), List.of(), List.of(), 0),
            new Case("no budget", List.of(LOW, HIGH), List.of(), List.of("high", "low"), 0),
            new Case("a budget of others", List.of(LOW), List.of(budget("db", 0)), List.of("low"), 0),
            new Case("enough disruptions", List.of(LOW), List.of(budget("web", 1)), List.of("low"), 0),
            new Case(
                    "no disruption",
                    List.of(LOW, UNPROTECTED),
                    List.of(budget("web", 0)),
                    List.of("low", "unprotected"),
                    1),
            new Case(
                    "the most important one uses up the disruption",
                    List.of(LOW, HIGH),
                    List.of(budget("web", 1)),
                    List.of("low", "high"),
                    1),
            new Case("each pod of a group counts", List.of(GROUP), List.of(budget("web", 0)), List.of("first"), 2),
            new Case(
                    "a group is protected if one of its pods is",
                    List.of(GROUP, UNPROTECTED),
                    List.of(budget("web", 1)),
                    List.of("first", "unprotected"),
                    1),
            new Case("a group within the budget", List.of(GROUP), List.of(budget("web", 2)), List.of("first"), 0),
            new Case(
                    "a pod that is disrupted already",
                    List.of(LOW),
                    List.of(budget("web", 0, "low")),
                    List.of("low"),
                    0),
            new Case("a budget that selects no pod", List.of(LOW), List.of(budget("", 0)), List.of("low"), 0),
            new Case(
                    "a pod that violates two budgets counts once",
                    List.of(LOW),
                    List.of(budget("web", 0), budget("web", 0)),
                    List.of("low"),
                    1));

    @ParameterizedTest
    @FieldSource("CASES")
    void asksFirstAboutThoseThatBudgetsProtect(Case c) {
        List<String> asked = new ArrayList<>();
        Reprieve reprieve = Reprieve.of(c.possible, c.budgets, victim -> {
            asked.add(victim.pods().get(0).name());
            return Reprieve.Outcome.LEAVES;
        });
        assertThat(asked).isEqualTo(c.asked);
        assertThat(reprieve.pdbViolations()).isEqualTo(c.violations);
        assertThat(reprieve.victims()).containsExactlyInAnyOrderElementsOf(c.possible);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void doesNotCountThoseThatStay(Case c) {
        assertThat(Reprieve.of(c.possible, c.budgets, victim -> Reprieve.Outcome.STAYS))
                .isEqualTo(new Reprieve(List.of(), 0));
    }
}
