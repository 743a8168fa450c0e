// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import okhttp3.Protocol;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.livetests.scene.FreezingProxy;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.Waiting;
import org.moorage.runtime.cluster.ClusterListener;

/**
 * Servers that are not there, and connections that die without a word. The tests mostly wait, so they run side by side.
 */
@Tag("live")
@Execution(ExecutionMode.CONCURRENT)
class LiveConnectionsTest {
    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"},
             "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}}""";

    private static final String OUTAGE = "The API server does not answer";

    private static String pod(String name, String more) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "default"},
                 "spec": {"containers": [{"name": "c", "image": "i"}]%s}}""".formatted(name, more);
    }

    @Test
    void waitsForAServerThatIsNotThereAndSchedulesWhenItComes() throws IOException {
        try (Scene scene = Scene.open()) {
            scene.create(NODE);
            scene.create(pod("early", ""));
            int port = scene.port();
            RunningProgram moorage = scene.moorage(
                    "moorage",
                    "--leader-elect=false",
                    "--secure-port=0",
                    "--kubeconfig=" + scene.kubeconfigThrough(port));
            // Logged once a minute, so that the waits between two tries have become as long as they get.
            scene.await("the outage is logged twice", () -> moorage.log().split(OUTAGE, -1).length > 2);
            try (FreezingProxy proxy =
                    new FreezingProxy(port, scene.api().server().getPort())) {
                assertThat(proxy.port()).isEqualTo(port);
                assertThat(scene.awaitNode("early")).isEqualTo("node-1");
            }
        }
    }

    static final List<Protocol> PROTOCOLS = List.of(Protocol.HTTP_2, Protocol.HTTP_1_1);

    @ParameterizedTest
    @FieldSource("PROTOCOLS")
    void noticesFrozenConnections(Protocol protocol) throws IOException, InterruptedException {
        try (Scene scene = Scene.open();
                FreezingProxy proxy = new FreezingProxy(scene.api().server().getPort())) {
            ApiClient client = new ApiConnection(Optional.of(scene.kubeconfigThrough(proxy.port())), Optional.empty())
                    .open()
                    .with(http -> http.protocols(
                            protocol == Protocol.HTTP_2 ? List.of(protocol, Protocol.HTTP_1_1) : List.of(protocol)));
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            try (KubernetesCluster cluster = new KubernetesCluster(
                    client, ClusterSettings.on("host-1"), InstantSource.system(), new Random(1), Thread::new)) {
                cluster.watch(Set.of(ObjectKind.POD, ObjectKind.NODE), Set.of(), listener(told));
                scene.create(NODE);
                assertThat(told.poll(Waiting.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isEqualTo("node-1");

                proxy.freeze();
                scene.create(pod("unseen", ""));

                long start = System.nanoTime();
                assertThat(told.poll(Waiting.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isEqualTo("default/unseen");
                System.out.println(protocol + ": seen " + (System.nanoTime() - start) / 1_000_000
                        + " ms after the connections froze");
            }
        }
    }

    private static ClusterListener listener(BlockingQueue<String> told) {
        return new ClusterListener() {
            @Override
            public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
                objects.forEach(object -> told.add(object.key()));
            }

            @Override
            public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
                told.add(object.key());
            }

            @Override
            public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {}
        };
    }
}
