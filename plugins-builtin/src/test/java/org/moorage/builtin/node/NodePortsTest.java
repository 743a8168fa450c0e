// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class NodePortsTest {
    private static final NodePorts PLUGIN =
            new NodePorts.Factory().create(PluginArgs.None.DEFAULTS, TestHandle.create());
    private static final Status TAKEN =
            Status.unschedulable("node(s) didn't have free ports for the requested pod ports");

    private static Pods holder() {
        return Pods.named("holder").on("n");
    }

    private static Pods pod() {
        return Pods.named("p");
    }

    @Nested
    class PreFilter {
        private boolean skips(Pods pod) {
            return PLUGIN.preFilter(new CycleState(), pod.build(), ClusterSketch.empty())
                    .status()
                    .isSkip();
        }

        @Test
        void skipsPodsWithoutHostPorts() {
            assertThat(skips(pod())).isTrue();
        }

        @Test
        void skipsPodsOfWhichOnlyAnInitContainerTakesAPort() {
            assertThat(skips(pod().initContainer("i").hostPort(80))).isTrue();
        }

        @Test
        void looksAtContainersAndSidecars() {
            assertThat(skips(pod().hostPort(80))).isFalse();
            assertThat(skips(pod().sidecar("s").hostPort(80))).isFalse();
        }
    }

    @Nested
    class Filter {
        record Case(String name, Pods holder, Pods pod, Status status) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("another port is free", holder().hostPort(80), pod().hostPort(81), Status.success()),
            new Case("the same port is taken", holder().hostPort(80), pod().hostPort(80), TAKEN),
            new Case(
                    "another protocol is free",
                    holder().hostPort("", "UDP", 80),
                    pod().hostPort("", "TCP", 80),
                    Status.success()),
            new Case("no protocol means TCP", holder().hostPort("", "TCP", 80), pod().hostPort("", "", 80), TAKEN),
            new Case(
                    "another address is free",
                    holder().hostPort("127.0.0.1", "", 80),
                    pod().hostPort("127.0.0.2", "", 80),
                    Status.success()),
            new Case(
                    "all addresses include one that is taken",
                    holder().hostPort("127.0.0.1", "", 80),
                    pod().hostPort("0.0.0.0", "", 80),
                    TAKEN),
            new Case(
                    "an address is taken if all are",
                    holder().hostPort("", "", 80),
                    pod().hostPort("127.0.0.1", "", 80),
                    TAKEN),
            new Case(
                    "each of the pod's ports must be free",
                    holder().hostPort(80),
                    pod().hostPort(81).container("second").hostPort(80),
                    TAKEN),
            new Case(
                    "a sidecar holds its port",
                    holder().sidecar("s").hostPort(80),
                    pod().sidecar("s").hostPort(80),
                    TAKEN),
            new Case(
                    "an init container does not hold its port",
                    holder().initContainer("i").hostPort(80),
                    pod().hostPort(80),
                    Status.success()),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void filters(Case c) {
            ClusterSketch cluster = ClusterSketch.of(Nodes.named("n").build()).with(c.holder.build());
            assertThat(PLUGIN.filter(new CycleState(), c.pod.build(), cluster.nodeInfo("n")))
                    .isEqualTo(c.status);
        }
    }

    @Nested
    class Events {
        record Case(String name, Pods deleted, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a pod that held the port", holder().hostPort(80), Hint.QUEUE),
            new Case("a pod that held another port", holder().hostPort(81), Hint.SKIP),
            new Case("a pod that was nominated", pod().hostPort(80).nominatedTo("n"), Hint.QUEUE),
            new Case("a pod that waited", pod().hostPort(80), Hint.SKIP),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hintsAfterDeletion(Case c) {
            Pod waiting = pod().hostPort(80).build();
            assertThat(PLUGIN.eventsToRegister().get(0).hint().hint(waiting, ObjectChange.deleted((Object)
                            c.deleted.build())))
                    .isEqualTo(c.hint);
        }

        @Test
        void waitsForDeletionsAndNewNodes() {
            assertThat(PLUGIN.eventsToRegister())
                    .extracting(EventRegistration::event)
                    .extracting(Object::toString)
                    .containsExactly("PodDelete", "NodeAdd");
        }
    }
}
