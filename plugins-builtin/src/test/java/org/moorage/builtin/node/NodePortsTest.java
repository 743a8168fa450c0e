// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class NodePortsTest {
    private static final PluginTester PLUGIN =
            PluginTester.of(NodePorts.FACTORY).cluster(Nodes.named("n").build());
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
        @Test
        void skipsPodsWithoutHostPorts() {
            PLUGIN.pod(pod().build()).skipsFilter();
        }

        @Test
        void skipsPodsOfWhichOnlyAnInitContainerTakesAPort() {
            PLUGIN.pod(pod().initContainer("i").hostPort(80).build()).skipsFilter();
        }

        @Test
        void looksAtContainersAndSidecars() {
            PLUGIN.pod(pod().hostPort(80).build()).accepts("n");
            PLUGIN.pod(pod().sidecar("s").hostPort(80).build()).accepts("n");
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
            PLUGIN.cluster(c.holder.build()).pod(c.pod.build()).filters("n", c.status);
        }
    }

    @Nested
    class Events {
        private static final Pod WAITING = pod().hostPort(80).build();

        record Case(String name, Pods deleted, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a pod that held the port", holder().hostPort(80), Hint.QUEUE),
            new Case("a pod that held another port", holder().hostPort(81), Hint.SKIP),
            new Case(
                    "a pod that was nominated", Pods.named("other").hostPort(80).nominatedTo("n"), Hint.QUEUE),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hintsAfterDeletion(Case c) {
            PLUGIN.pod(WAITING).hint(ObjectChange.deleted(c.deleted.build()), c.hint);
        }

        @Test
        void isNotAskedWhenAPodThatWaitedIsGone() {
            PLUGIN.pod(WAITING)
                    .isNotAskedAbout(ObjectChange.deleted(
                            Pods.named("other").hostPort(80).build()));
        }

        @Test
        void waitsForDeletionsAndNewNodes() {
            PLUGIN.registers("AssignedPodDelete", "NodeAdd");
        }
    }
}
