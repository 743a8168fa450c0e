// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.PluginProject;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;

/**
 * The story of {@code examples/minimal-scheduler}: its program is the scheduler of a real control plane with ten nodes.
 */
@Tag("live")
class LiveMinimalSchedulerTest {
    @Test
    void triesFiveNodesOfTenAndOthersLater() throws IOException {
        PluginProject example = new PluginProject("examples/minimal-scheduler");
        try (Scene scene = Scene.open()) {
            // Tried each second, so that the one node of ten is not missed for long.
            Path config = scene.write(
                    "scheduler.yaml", Files.readString(example.file("scheduler.yaml")) + "podMaxBackoffSeconds: 1\n");
            try (RunningProgram program = scene.start(
                    "minimal-scheduler",
                    Moorage.java(
                            example.jar(),
                            "org.moorage.examples.minimal.MinimalScheduler",
                            "--config=" + config,
                            "--kubeconfig=" + scene.plane().kubeconfig(),
                            "--secure-port=0",
                            "--v=2"))) {
                StringBuilder nodes = new StringBuilder();
                for (int i = 0; i < 10; i++) {
                    nodes.append(node(i));
                }
                scene.create(nodes.toString());

                scene.create(pod("plain", "cpu: 500m", ""));
                assertThat(scene.awaitNode("plain")).as(program.log()).matches("n[0-9]");

                scene.create(pod("huge", "cpu: \"64\"", ""));
                String note = scene.await(
                                "an event of the huge pod",
                                () -> scene.api()
                                        .items(ApiAccess.EVENTS
                                                + "?fieldSelector=reason=FailedScheduling,regarding.name=huge"),
                                events -> !events.isEmpty())
                        .get(0)
                        .path("note")
                        .asText();
                assertThat(note)
                        .startsWith("0/10 nodes are available: 5 Insufficient cpu,"
                                + " 5 node(s) didn't satisfy plugin(s) [RandomNodeSample]. nodes drawn: ");
                assertThat(note.substring(note.lastIndexOf(": ") + 2).split(", "))
                        .hasSize(5)
                        .doesNotHaveDuplicates()
                        .allMatch(name -> name.matches("n[0-9]"));

                scene.create(pod("choosy", "cpu: 500m", "nodeSelector: {disk: ssd}, "));
                assertThat(scene.awaitNode("choosy")).as(program.log()).isEqualTo("n7");

                assertThat(program.terminate()).as(program.log()).isZero();
                assertThat(program.errors()).isEmpty();
            }
        }
    }

    private static String node(int number) {
        String labels = number == 7 ? ", labels: {disk: ssd}" : "";
        return "---\n{apiVersion: v1, kind: Node, metadata: {name: n" + number + labels
                + "}, status: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"110\"},"
                + " capacity: {cpu: \"4\", memory: 8Gi, pods: \"110\"}}}\n";
    }

    private static String pod(String name, String requests, String more) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {schedulerName: random-five, " + more
                + "containers: [{name: main, image: app, resources: {requests: {" + requests + "}}}]}}";
    }
}
