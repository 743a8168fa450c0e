// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
import org.moorage.runtime.cluster.ClusterListener;

/** Servers that are not there, and connections that die without a word. The tests mostly wait, so they run side by side. */
@Tag("live")
@Execution(ExecutionMode.CONCURRENT)
class LiveConnectionsTest {
    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"},
             "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}}""";

    /** Between two looks, so that the tests leave the processors to what they wait for. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private static String pod(String name, String more) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "default"},
                 "spec": {"containers": [{"name": "c", "image": "i"}]%s}}""".formatted(name, more);
    }

    private static int port(Path kubeconfig) throws IOException {
        Matcher server = Pattern.compile("server\"?: *\"?(https://[^\",\\s]+)").matcher(Files.readString(kubeconfig));
        assertThat(server.find()).isTrue();
        return URI.create(server.group(1)).getPort();
    }

    /** The kubeconfig with another port. */
    private static Path through(int port, ControlPlane plane) throws IOException {
        String text = Files.readString(plane.kubeconfig());
        return Files.writeString(
                plane.folder().resolve("kubeconfig-" + port), text.replace(":" + port(plane.kubeconfig()), ":" + port));
    }

    private static RunningProgram moorage(ControlPlane plane, Path kubeconfig) {
        return RunningProgram.start(
                plane.folder().resolve("log").resolve("moorage.log"),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.moorage.app.Main",
                        "--leader-elect=false",
                        "--secure-port=0",
                        "--kubeconfig=" + kubeconfig));
    }

    private static Duration until(Duration limit, String what, BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as(what).isLessThan(limit);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static boolean isBound(ControlPlane plane, String pod) {
        return !plane.kubectl("get", "pod", pod, "-o", "jsonpath={.spec.nodeName}")
                .isEmpty();
    }

    @Test
    void waitsForAServerThatIsNotThereAndSchedulesSoonAfterItCame() throws IOException {
        try (ControlPlane plane = ControlPlane.start()) {
            plane.create(NODE);
            plane.create(pod("early", ""));
            int port = RunningProgram.freePort();
            try (RunningProgram moorage = moorage(plane, through(port, plane))) {
                until(
                        Duration.ofMinutes(1),
                        moorage.log(),
                        () -> moorage.log().contains("The API server does not answer"));
                // By now the waits have grown to their longest.
                long longest = System.nanoTime() + Duration.ofSeconds(15).toNanos();
                until(Duration.ofMinutes(1), "a while", () -> System.nanoTime() > longest);
                try (FreezingProxy proxy = new FreezingProxy(port, port(plane.kubeconfig()))) {
                    assertThat(proxy.port()).isEqualTo(port);
                    Duration took = until(Duration.ofMinutes(1), moorage.log(), () -> isBound(plane, "early"));
                    System.out.println("bound " + took.toMillis() + " ms after the server came");
                    assertThat(took).isLessThan(Duration.ofSeconds(10));
                }
            }
        }
    }

    static final List<Protocol> PROTOCOLS = List.of(Protocol.HTTP_2, Protocol.HTTP_1_1);

    @ParameterizedTest
    @FieldSource("PROTOCOLS")
    void noticesFrozenConnectionsWithin45Seconds(Protocol protocol) throws IOException, InterruptedException {
        try (ControlPlane plane = ControlPlane.start();
                FreezingProxy proxy = new FreezingProxy(port(plane.kubeconfig()))) {
            ApiClient client = new ApiConnection(Optional.of(through(proxy.port(), plane)), Optional.empty())
                    .open()
                    .with(http -> http.protocols(
                            protocol == Protocol.HTTP_2 ? List.of(protocol, Protocol.HTTP_1_1) : List.of(protocol)));
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            try (KubernetesCluster cluster = new KubernetesCluster(
                    client, ClusterSettings.on("host-1"), InstantSource.system(), new Random(1), Thread::new)) {
                cluster.watch(Set.of(ObjectKind.POD, ObjectKind.NODE), Set.of(), listener(told));
                plane.create(NODE);
                assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("node-1");

                proxy.freeze();
                plane.create(pod("unseen", ""));

                long start = System.nanoTime();
                assertThat(told.poll(45, TimeUnit.SECONDS)).isEqualTo("default/unseen");
                System.out.println(protocol + ": told " + (System.nanoTime() - start) / 1_000_000
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
