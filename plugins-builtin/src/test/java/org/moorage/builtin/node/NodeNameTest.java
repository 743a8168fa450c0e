// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class NodeNameTest {
    private static final PluginTester PLUGIN =
            PluginTester.of(NodeName.FACTORY).cluster(Nodes.named("n1").build());
    private static final Status OTHER = Status.unresolvable("node(s) didn't match the requested node name");

    record Case(String name, String nodeName, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("a pod that names no node may go anywhere", "", Status.success()),
        new Case("a pod may go to the node it names", "n1", Status.success()),
        new Case("a pod may not go to another node", "n2", OTHER),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void filters(Case c) {
        PLUGIN.disabledAt(ExtensionPoint.PRE_FILTER)
                .pod(Pods.named("p").on(c.nodeName).build())
                .filters("n1", c.status);
    }

    @Test
    void leavesOnlyTheNodeThatAPodNames() {
        PLUGIN.pod(Pods.named("p").on("n1").build()).leavesOnlyNodes("n1");
        PLUGIN.pod(Pods.named("p").build()).leavesAllNodes();
    }

    @Test
    void waitsForNewNodes() {
        PLUGIN.registers("NodeAdd");
    }
}
