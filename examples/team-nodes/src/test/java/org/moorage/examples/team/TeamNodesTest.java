// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.team;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.Pods;

class TeamNodesTest {
    @ParameterizedTest(name = "a pod of {0} on a node of {1}: {2}")
    @CsvSource({"red, red, true", "blue, red, false", "none, red, false", "red, none, true", "none, none, true"})
    void keepsOthersOff(String podTeam, String nodeTeam, boolean accepted) {
        Nodes node = Nodes.named("n");
        Node built = nodeTeam.equals("none") ? node.build() : node.label("team", nodeTeam).build();
        Pods pod = Pods.named("p");
        Pod waiting = podTeam.equals("none") ? pod.build() : pod.label("team", podTeam).build();
        Status status = new TeamNodes()
                .filter(new CycleState(), waiting, ClusterSketch.of(built).nodeInfo("n"));
        assertEquals(accepted, status.isSuccess());
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(new TeamNodes.Factory());
    }
}
