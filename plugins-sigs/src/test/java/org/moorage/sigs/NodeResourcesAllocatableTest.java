// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Node;
import org.moorage.api.plugin.Problems;
import org.moorage.sigs.NodeResourcesAllocatable.Args;
import org.moorage.sigs.NodeResourcesAllocatable.Args.Resource;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;

class NodeResourcesAllocatableTest {
    record Case(String name, Args args, Map<String, Integer> scores) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "small nodes score highest by default",
                    Args.DEFAULTS,
                    Map.of("small", 100, "wide", 43, "large", 0)),
            new Case(
                    "large nodes score highest in mode Most",
                    new Args("Most", List.of()),
                    Map.of("small", 0, "wide", 56, "large", 100)),
            new Case(
                    "only the listed resources count",
                    new Args("Most", List.of(new Resource("memory", 1))),
                    Map.of("small", 0, "wide", 0, "large", 100)),
            new Case(
                    "a resource that no node has leaves all equal",
                    new Args("Least", List.of(new Resource("example.com/gpu", 1))),
                    Map.of("small", 0, "wide", 0, "large", 0)),
            new Case(
                    "of a resource that is named twice, the last weight counts",
                    new Args(
                            "Most",
                            List.of(new Resource("cpu", 1000), new Resource("memory", 1), new Resource("cpu", 1))),
                    Map.of("small", 0, "wide", 0, "large", 100)));

    @ParameterizedTest
    @FieldSource("CASES")
    void scores(Case each) {
        PodTester tester = PluginTester.of(new NodeResourcesAllocatable.Factory(), each.args())
                .cluster(
                        node("small", "2", "4Gi"),
                        node("wide", "10", "4Gi"),
                        node("large", "10", "10Gi"),
                        Pods.named("other").requests("cpu", "1").on("small").build())
                .pod(Pods.named("p").requests("cpu", "1").build());

        each.scores().forEach(tester::scores);
    }

    @Test
    void reportsInvalidArguments() {
        Problems problems = Problems.collector();
        new Args("Middle", List.of(new Resource("cpu", 1), new Resource("memory", 0))).validate(problems);

        assertThat(problems.all())
                .extracting(Problems.Problem::toString)
                .containsExactly(
                        "mode: Invalid value: \"Middle\": invalid support ModeType (expected: Least or Most)",
                        "resources[1].weight: Invalid value: 0: resource weight of memory should be a positive value,"
                                + " got :0 (expected: more than 0)");
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new NodeResourcesAllocatable.Factory());
    }

    private static Node node(String name, String cpu, String memory) {
        return Nodes.named(name)
                .allocatable("cpu", cpu)
                .allocatable("memory", memory)
                .build();
    }
}
