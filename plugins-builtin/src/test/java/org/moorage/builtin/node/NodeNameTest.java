// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class NodeNameTest {
    private static final NodeName PLUGIN = new NodeName.Factory().create(PluginArgs.None.DEFAULTS, TestHandle.create());
    private static final NodeInfo NODE =
            ClusterSketch.of(Nodes.named("n1").build()).nodeInfo("n1");
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
        assertThat(PLUGIN.filter(
                        new CycleState(), Pods.named("p").on(c.nodeName).build(), NODE))
                .isEqualTo(c.status);
    }

    @Test
    void waitsForNewNodes() {
        assertThat(PLUGIN.eventsToRegister())
                .extracting(EventRegistration::event)
                .extracting(Object::toString)
                .containsExactly("NodeAdd");
    }
}
