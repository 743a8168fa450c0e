// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.builtin.dra.DeviceObjects.exactly;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;

/** Taints of devices, and the tolerations of requests. */
class DeviceTaintsTest {
    private static final String IMPOSSIBLE = "cannot allocate all claims";

    private record Case(String name, UnaryOperator<AllocationQuestion> question, String answer) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a tainted device is skipped",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoSchedule}]}", "{name: b}")
                            .requests(exactly("r", "")),
                    "r=b"),
            new Case(
                    "also if the taint would end pods",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoExecute}]}", "{name: b}")
                            .requests(exactly("r", "")),
                    "r=b"),
            new Case(
                    "a taint may only inform",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: None}]}", "{name: b}")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a toleration of the key",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoSchedule}]}")
                            .requests(exactly("r", "tolerations: [{key: worn, operator: Exists}]")),
                    "r=a"),
            new Case(
                    "a toleration of everything",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoSchedule}]}")
                            .requests(exactly("r", "tolerations: [{operator: Exists}]")),
                    "r=a"),
            new Case(
                    "a toleration of key and value",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoSchedule}]}")
                            .requests(exactly("r", "tolerations: [{key: worn, operator: Equal, value: very}]")),
                    "r=a"),
            new Case(
                    "a toleration of another value",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoSchedule}]}")
                            .requests(exactly("r", "tolerations: [{key: worn, operator: Equal, value: hardly}]")),
                    IMPOSSIBLE),
            new Case(
                    "a toleration of another effect",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoSchedule}]}")
                            .requests(exactly("r", "tolerations: [{key: worn, operator: Exists, effect: NoExecute}]")),
                    IMPOSSIBLE),
            new Case(
                    "one of two taints is tolerated",
                    q -> q.devices(
                                    "{name: a, taints: [{key: worn, effect: NoSchedule}, {key: hot, effect: NoSchedule}]}")
                            .requests(exactly("r", "tolerations: [{key: worn, operator: Exists}]")),
                    IMPOSSIBLE),
            new Case(
                    "a tainted device keeps a request for all devices from them",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoSchedule}]}", "{name: b}")
                            .requests(exactly("r", "allocationMode: All")),
                    IMPOSSIBLE),
            new Case(
                    "taints do not matter while the feature is off",
                    q -> q.devices("{name: a, taints: [{key: worn, value: 'very', effect: NoSchedule}]}")
                            .feature(FeatureGates.DRA_DEVICE_TAINTS, false)
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a rule taints the devices of a driver",
                    q -> q.devices("{name: a}")
                            .taintRule(
                                    "{deviceSelector: {driver: gpu.example.com}, taint: {key: worn, effect: NoSchedule}}")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "a rule taints the devices of a pool",
                    q -> q.devices("{name: a}")
                            .taintRule("{deviceSelector: {pool: n2}, taint: {key: worn, effect: NoSchedule}}")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a rule taints one device",
                    q -> q.devices("{name: a}", "{name: b}")
                            .taintRule("{deviceSelector: {device: a}, taint: {key: worn, effect: NoSchedule}}")
                            .requests(exactly("r", "")),
                    "r=b"),
            new Case(
                    "a rule that selects by nothing taints all devices",
                    q -> q.devices("{name: a}")
                            .taintRule("{deviceSelector: {}, taint: {key: worn, effect: NoSchedule}}")
                            .requests(exactly("r", "")),
                    IMPOSSIBLE),
            new Case(
                    "a rule without a selector taints none",
                    q -> q.devices("{name: a}")
                            .taintRule("{taint: {key: worn, effect: NoSchedule}}")
                            .requests(exactly("r", "")),
                    "r=a"),
            new Case(
                    "a request may tolerate the taint of a rule",
                    q -> q.devices("{name: a}")
                            .taintRule("{deviceSelector: {device: a}, taint: {key: worn, effect: NoSchedule}}")
                            .requests(exactly("r", "tolerations: [{key: worn, operator: Exists}]")),
                    "r=a"));

    @ParameterizedTest
    @FieldSource("CASES")
    void keepsToTaints(Case expected) {
        assertThat(expected.question.apply(new AllocationQuestion()).answer()).isEqualTo(expected.answer);
    }
}
