// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.team;

import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class TeamNodesTest {
    private static final Status OTHER_TEAM = Status.unresolvable("node(s) belonged to another team");
    // region tester
    private static final Node RED = Nodes.named("red-1").label("team", "red").build();
    private static final Node SHARED = Nodes.named("shared-1").build();

    private static final PluginTester PLUGIN =
            PluginTester.of(new TeamNodes.Factory()).cluster(RED, SHARED);

    @Test
    void keepsOthersOffTheNodesOfATeam() {
        PLUGIN.pod(Pods.named("p").label("team", "red").build()).accepts("red-1", "shared-1");
        PLUGIN.pod(Pods.named("p").label("team", "blue").build()).rejects("red-1", OTHER_TEAM).accepts("shared-1");
        PLUGIN.pod(Pods.named("p").build()).rejects("red-1", OTHER_TEAM).accepts("shared-1");
    }
    // endregion

    // region hints
    @Test
    void requeuesAPodWhenANodeIsAddedOrItsLabelsChange() {
        Node empty = Nodes.named("red-1").build();
        Node full = Nodes.named("red-1").label("team", "red").allocatable("cpu", "1").build();
        PLUGIN.pod(Pods.named("p").build())
                .hint(ObjectChange.added(SHARED), Hint.QUEUE)
                .hint(ObjectChange.updated(RED, empty), Hint.QUEUE)
                .isNotAskedAbout(ObjectChange.updated(RED, full));
    }
    // endregion

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(new TeamNodes.Factory());
    }
}
