// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The story of {@code examples/minimal-scheduler}: its program is the scheduler of a real control plane with ten nodes. */
@Tag("live")
class LiveMinimalSchedulerTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    void triesFiveNodesOfTenAndOthersLater() throws IOException {
        PluginProject example = new PluginProject("examples/minimal-scheduler");
        Path jar = example.jar();
        try (ControlPlane plane = ControlPlane.start()) {
            // Tried each second, so that the one node of ten is not missed for long.
            Path config = Files.writeString(
                    plane.folder().resolve("scheduler.yaml"),
                    Files.readString(example.file("scheduler.yaml")) + "podMaxBackoffSeconds: 1\n");
            try (RunningProgram program = RunningProgram.start(
                    plane.folder().resolve("log").resolve("minimal-scheduler.log"),
                    PluginProject.java(
                            List.of(jar),
                            "org.moorage.examples.minimal.MinimalScheduler",
                            "--config=" + config,
                            "--kubeconfig=" + plane.kubeconfig(),
                            "--secure-port=0",
                            "--v=2"))) {
                StringBuilder nodes = new StringBuilder();
                for (int i = 0; i < 10; i++) {
                    nodes.append(node(i));
                }
                plane.create(nodes.toString());

                plane.create(pod("plain", "cpu: 500m", ""));
                assertThat(nodeOf(plane, "plain")).as(program.log()).matches("n[0-9]");

                plane.create(pod("huge", "cpu: \"64\"", ""));
                String note = until(
                        () -> plane.kubectl(
                                "get",
                                "events.events.k8s.io",
                                "--field-selector=reason=FailedScheduling,regarding.name=huge",
                                "-o",
                                "jsonpath={.items[0].note}"),
                        text -> !text.isEmpty());
                assertThat(note)
                        .startsWith("0/10 nodes are available: 5 Insufficient cpu,"
                                + " 5 node(s) didn't satisfy plugin(s) [RandomNodeSample]. nodes drawn: ");
                assertThat(note.substring(note.lastIndexOf(": ") + 2).split(", "))
                        .hasSize(5)
                        .doesNotHaveDuplicates()
                        .allMatch(name -> name.matches("n[0-9]"));

                plane.create(pod("choosy", "cpu: 500m", "nodeSelector: {disk: ssd}, "));
                assertThat(nodeOf(plane, "choosy")).as(program.log()).isEqualTo("n7");

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

    private static String nodeOf(ControlPlane plane, String pod) {
        return until(
                () -> plane.kubectl("get", "pod", pod, "-o", "jsonpath={.spec.nodeName}"), node -> !node.isEmpty());
    }

    // Each look takes kubectl a moment, so there is no need to wait in between.
    private static String until(Supplier<String> look, Predicate<String> done) {
        Instant deadline = Instant.now().plus(SOON);
        while (true) {
            String seen = look.get();
            if (done.test(seen)) {
                return seen;
            }
            assertThat(Instant.now()).as("not there in time, only: %s", seen).isBefore(deadline);
        }
    }
}
