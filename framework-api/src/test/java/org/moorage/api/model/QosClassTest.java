// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class QosClassTest {
    private static final Map<String, Quantity> BOTH = amounts("cpu", "1", "memory", "1Gi");

    record Case(String name, PodSpec.Builder spec, QosClass expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("without requests and limits", containers(app(Map.of(), Map.of())), QosClass.BEST_EFFORT),
            new Case(
                    "requests of 0 and of other resources do not count",
                    containers(app(amounts("cpu", "0", "example.com/gpu", "1"), amounts("example.com/gpu", "1"))),
                    QosClass.BEST_EFFORT),
            new Case("a request alone", containers(app(amounts("cpu", "1"), Map.of())), QosClass.BURSTABLE),
            new Case("a limit of one resource", containers(app(Map.of(), amounts("cpu", "1"))), QosClass.BURSTABLE),
            new Case("limits equal to requests", containers(app(BOTH, BOTH)), QosClass.GUARANTEED),
            new Case(
                    "limits above requests",
                    containers(app(amounts("cpu", "500m", "memory", "1Gi"), BOTH)),
                    QosClass.BURSTABLE),
            new Case(
                    "one container without limits",
                    containers(app(BOTH, BOTH), app(Map.of(), Map.of())),
                    QosClass.BURSTABLE),
            new Case(
                    "one init container without limits",
                    containers(app(BOTH, BOTH)).initContainers(List.of(app(Map.of(), Map.of()))),
                    QosClass.BURSTABLE),
            new Case(
                    "pod-level resources replace those of containers",
                    containers(app(amounts("cpu", "1"), Map.of()))
                            .podRequests(BOTH)
                            .podLimits(BOTH),
                    QosClass.GUARANTEED),
            new Case(
                    "pod-level resources that the scheduler ignores",
                    containers(app(amounts("cpu", "1"), Map.of()))
                            .podRequests(BOTH)
                            .podLimits(BOTH)
                            .podLevelRequests(PodLevelRequests.IGNORED),
                    QosClass.BURSTABLE));

    @ParameterizedTest
    @FieldSource("CASES")
    void derivesTheClassFromTheSpecification(Case each) {
        Pod pod = Pod.of(ObjectMeta.named("p").build(), each.spec().build());

        assertThat(pod.qosClass()).isEqualTo(each.expected());
    }

    @Test
    void prefersTheClassInTheStatus() {
        Pod pod = Pod.of(
                ObjectMeta.named("p").build(), containers(app(BOTH, BOTH)).build());

        assertThat(pod.qosClass()).isEqualTo(QosClass.GUARANTEED);
        assertThat(pod.withStatus(PodStatus.builder()
                                .qosClass(QosClass.BEST_EFFORT)
                                .build())
                        .qosClass())
                .isEqualTo(QosClass.BEST_EFFORT);
    }

    private static PodSpec.Builder containers(Container... containers) {
        return PodSpec.builder().containers(List.of(containers));
    }

    private static Container app(Map<String, Quantity> requests, Map<String, Quantity> limits) {
        return new Container("app", "app:1", requests, limits, List.of(), "");
    }

    private static Map<String, Quantity> amounts(String... resourcesAndAmounts) {
        Map<String, Quantity> amounts = new HashMap<>();
        for (int i = 0; i < resourcesAndAmounts.length; i += 2) {
            amounts.put(resourcesAndAmounts[i], Quantity.parse(resourcesAndAmounts[i + 1]));
        }
        return amounts;
    }
}
