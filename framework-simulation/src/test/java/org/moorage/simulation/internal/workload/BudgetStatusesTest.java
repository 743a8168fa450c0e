// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;

/** Tests which pods on a node count for disruption budgets. */
class BudgetStatusesTest {
    private record Case(String phase, List<PodCondition> conditions, boolean isHealthy, boolean isStarting) {}

    private static PodCondition condition(String type, String status) {
        return new PodCondition(type, status, "", "", 0);
    }

    static final List<Case> CASES = List.of(
            new Case("", List.of(), true, false),
            new Case("Running", List.of(), true, false),
            new Case("Pending", List.of(), false, true),
            new Case("Unknown", List.of(), false, false),
            new Case("Failed", List.of(), false, false),
            new Case("Succeeded", List.of(condition("Ready", "True")), false, false),
            new Case("Pending", List.of(condition("PodScheduled", "True")), false, true),
            new Case("Running", List.of(condition("PodScheduled", "True")), false, false),
            new Case("", List.of(condition("PodScheduled", "True")), false, false),
            new Case("Running", List.of(condition("Ready", "True")), true, false),
            new Case("", List.of(condition("Ready", "True")), true, false),
            new Case("Running", List.of(condition("Ready", "False")), false, false),
            new Case("Running", List.of(condition("Ready", "Unknown")), false, false));

    @ParameterizedTest
    @FieldSource("CASES")
    void aPodIsHealthyIfItIsReady(Case given) {
        Pod pod = Pod.of(
                        ObjectMeta.named("p").namespace("default").build(),
                        PodSpec.builder().build())
                .withNode("n1")
                .withStatus(PodStatus.builder()
                        .phase(given.phase)
                        .conditions(given.conditions)
                        .build());

        assertThat(BudgetStatuses.isHealthy(pod)).isEqualTo(given.isHealthy);
        assertThat(BudgetStatuses.isStarting(pod)).isEqualTo(given.isStarting);
    }
}
