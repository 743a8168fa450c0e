// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;

/** A scheduler over the informers of other clients: what they tell of, it schedules by. */
class ClientInformersTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(BuiltinPlugins.all());
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final ListServer server = new ListServer();

    @AfterEach
    void close() {
        server.close();
    }

    private static String node(String name, int pods) {
        return """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%s", "uid": "%1$s"},
                 "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "%d"}}}""".formatted(name, pods);
    }

    // With a field that no model knows, as from a newer API server.
    private static String pod(String name, String nodeName) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "default", "uid": "%1$s"},
                 "spec": {"containers": [{"name": "c", "image": "i", "inventedLater": true}], "inventedLater": {"a": 1},
                          "schedulerName": "default-scheduler"%s}}""".formatted(name, nodeName.isEmpty() ? "" : ", \"nodeName\": \"" + nodeName + "\"");
    }

    private static void until(String what, BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as(what).isLessThan(SOON);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private static boolean isUnschedulable(Scheduler scheduler, String pod) {
        return scheduler.dump().queue().pendingPods().stream()
                .anyMatch(pending ->
                        pending.pod().name().equals(pod) && pending.in().equals("unschedulable"));
    }

    @ParameterizedTest
    @EnumSource
    void schedulesByWhatTheInformersTellOf(ClientInformers informers) throws InterruptedException {
        server.put("nodes", node("n1", 1));
        server.put("pods", pod("a", ""));
        try (ClientInformers.Open client = informers.open(server.address());
                Scheduler scheduler = running(client)) {
            assertThat(server.nextBinding()).isEqualTo("a n1");
            server.put("pods", pod("a", "n1"));
            server.put("pods", pod("b", ""));
            until("b waits", () -> isUnschedulable(scheduler, "b"));

            server.put("nodes", node("n2", 1));
            assertThat(server.nextBinding()).isEqualTo("b n2");
            server.put("pods", pod("b", "n2"));

            server.put("pods", pod("c", ""));
            until("c waits", () -> isUnschedulable(scheduler, "c"));
            server.remove("pods", "a");
            assertThat(server.nextBinding()).isEqualTo("c n1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void learnsFromANewListWhatIsGone(ClientInformers informers) throws InterruptedException {
        server.put("nodes", node("n1", 1));
        server.put("pods", pod("a", "n1"));
        server.put("pods", pod("b", ""));
        try (ClientInformers.Open client = informers.open(server.address());
                Scheduler scheduler = running(client)) {
            until("b waits", () -> isUnschedulable(scheduler, "b"));

            server.removeUnseen("pods", "a");

            assertThat(server.nextBinding()).isEqualTo("b n1");
        }
    }

    private static Scheduler running(ClientInformers.Open client) {
        Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(PLUGINS), PLUGINS, client.cluster())
                .build();
        scheduler.start();
        Thread thread = new Thread(scheduler::run, "run");
        thread.setDaemon(true);
        thread.start();
        return scheduler;
    }
}
