// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.Problems;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class NodeResourcesBalancedAllocationTest {
    private static final PluginTester PLUGIN = plugin("cpu", "memory");

    private static PluginTester plugin(String... resources) {
        List<ResourceSpec> specs = List.of(resources).stream()
                .map(name -> new ResourceSpec(name, 1))
                .toList();
        return PluginTester.of(
                NodeResourcesBalancedAllocation.FACTORY, new NodeResourcesBalancedAllocation.Args(specs));
    }

    private static Pods pod(String cpu, String memory) {
        return Pods.named("p").requests("cpu", cpu).requests("memory", memory);
    }

    private static List<ClusterObject> node(String usedCpu, String usedMemory) {
        return List.of(
                Nodes.named("n")
                        .allocatable("cpu", "10")
                        .allocatable("memory", "10Gi")
                        .allocatable("example.com/gpu", "10")
                        .build(),
                Pods.named("r")
                        .requests("cpu", usedCpu)
                        .requests("memory", usedMemory)
                        .on("n")
                        .build());
    }

    @Nested
    class PreScore {
        @Test
        void skipsPodsThatRequestNothingThatCounts() {
            PluginTester plugin = PLUGIN.cluster(node("0", "0"));
            plugin.pod(Pods.named("p").requests("example.com/gpu", "1").build()).skipsScore();
            plugin.pod(pod("0", "1").build()).scores("n", 74);
        }
    }

    @Nested
    class Score {
        record Case(String name, PluginTester plugin, Pods pod, List<ClusterObject> cluster, long score) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("even parts stay even", PLUGIN, pod("2", "2Gi"), node("1", "1Gi"), 75),
            new Case("the pod makes the parts even", PLUGIN, pod("0", "4Gi"), node("4", "0"), 85),
            new Case("the pod makes the parts uneven", PLUGIN, pod("8", "0"), node("0", "0"), 55),
            new Case("a part is at most the whole", PLUGIN, pod("20", "10Gi"), node("0", "0"), 75),
            new Case(
                    "three resources, by the standard deviation",
                    plugin("cpu", "memory", "example.com/gpu"),
                    pod("0", "0").requests("example.com/gpu", "9"),
                    node("0", "0"),
                    53),
            new Case(
                    "a resource other than cpu and memory counts only if it is requested",
                    plugin("cpu", "memory", "example.com/gpu"),
                    pod("2", "2Gi"),
                    node("1", "1Gi"),
                    75),
            new Case(
                    "a resource that the node does not have is ignored",
                    plugin("cpu", "ephemeral-storage"),
                    pod("5", "0"),
                    node("0", "0"),
                    75),
            new Case("one resource is always even", plugin("cpu"), pod("5", "0"), node("0", "0"), 75),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void scores(Case c) {
            PluginTester plugin = c.plugin.cluster(c.cluster);
            plugin.pod(c.pod.build()).scores("n", c.score);
            plugin.disabledAt(ExtensionPoint.PRE_SCORE).pod(c.pod.build()).scores("n", c.score);
        }
    }

    @Nested
    class Args {
        @Test
        void demandsEachResourceOnceWithWeightOne() {
            Problems problems = Problems.collector();
            new NodeResourcesBalancedAllocation.Args(List.of(
                            new ResourceSpec("cpu", 2), new ResourceSpec("memory", 1), new ResourceSpec("cpu", 0)))
                    .validate(problems);
            assertThat(problems.all())
                    .extracting(Object::toString)
                    .containsExactly(
                            "resources[0].weight: 2 (expected: 1)",
                            "resources[2].name: \"cpu\" (expected: each resource once)");
        }

        @Test
        void looksAtCpuAndMemoryByDefault() {
            assertThat(NodeResourcesBalancedAllocation.Args.DEFAULTS.resources())
                    .extracting(ResourceSpec::name)
                    .containsExactly("cpu", "memory");
        }
    }
}
