// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class NodeUnschedulableTest {
    private static final PluginTester PLUGIN = PluginTester.of(NodeUnschedulable.FACTORY);
    private static final Status CLOSED = Status.unresolvable("node(s) were unschedulable");
    private static final Pod PLAIN = Pods.named("plain").build();
    private static final Pod TOLERANT = Pods.named("tolerant")
            .toleratesAll("node.kubernetes.io/unschedulable")
            .build();
    private static final Node OPEN_NODE = Nodes.named("n").build();
    private static final Node CLOSED_NODE = Nodes.named("n").unschedulable().build();

    @Nested
    class Filter {
        record Case(String name, Pod pod, Node node, Status status) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("an open node takes any pod", PLAIN, OPEN_NODE, Status.success()),
            new Case("a closed node takes no pod", PLAIN, CLOSED_NODE, CLOSED),
            new Case("a closed node takes a pod that tolerates it", TOLERANT, CLOSED_NODE, Status.success()),
            new Case(
                    "a toleration of another effect does not help",
                    Pods.named("p")
                            .tolerates("node.kubernetes.io/unschedulable", "", "NoExecute")
                            .build(),
                    CLOSED_NODE,
                    CLOSED),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void filters(Case c) {
            PLUGIN.cluster(c.node).pod(c.pod).filters("n", c.status);
        }
    }

    @Nested
    class Events {
        record Case(String name, ObjectChange<? extends ClusterObject> change, Hint hint) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Case[] CASES = {
            new Case("a new open node", ObjectChange.added(OPEN_NODE), Hint.QUEUE),
            new Case("a new closed node", ObjectChange.added(CLOSED_NODE), Hint.SKIP),
            new Case("a node that opens", ObjectChange.updated(CLOSED_NODE, OPEN_NODE), Hint.QUEUE),
            new Case(
                    "the pod comes to tolerate closed nodes",
                    ObjectChange.updated(
                            PLAIN, Pods.named("plain").toleratesAll("").build()),
                    Hint.QUEUE),
            new Case(
                    "the pod tolerates something else",
                    ObjectChange.updated(
                            PLAIN, Pods.named("plain").toleratesAll("gpu").build()),
                    Hint.SKIP),
        };

        @ParameterizedTest
        @FieldSource("CASES")
        void hints(Case c) {
            PLUGIN.pod(PLAIN).hint(c.change, c.hint);
        }

        record Unasked(String name, ObjectChange<? extends ClusterObject> change) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final Unasked[] UNASKED = {
            new Unasked("a node that closes", ObjectChange.updated(OPEN_NODE, CLOSED_NODE)),
            new Unasked("a node that stays open", ObjectChange.updated(OPEN_NODE, OPEN_NODE)),
            new Unasked("another pod tolerates closed nodes", ObjectChange.updated(PLAIN, TOLERANT)),
        };

        @ParameterizedTest
        @FieldSource("UNASKED")
        void isNotAskedAboutWhatIsNoEvent(Unasked c) {
            PLUGIN.pod(PLAIN).isNotAskedAbout(c.change);
        }

        @Test
        void waitsForNodesAndTolerations() {
            PLUGIN.registers("NodeAdd|UpdateNodeTaint", "TargetPodUpdatePodToleration");
        }
    }
}
