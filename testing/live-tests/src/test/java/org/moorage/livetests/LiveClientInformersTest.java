// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.livetests.clients.ClientInformers;
import org.moorage.runtime.Scheduler;

/** Schedulers over the informers of other clients, on a real control plane. */
@Tag("live")
class LiveClientInformersTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(BuiltinPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.load("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: embedded}]
            """, "scheduler.yaml", PLUGINS);
    private static final Duration SOON = Duration.ofSeconds(60);

    @ParameterizedTest
    @EnumSource
    void bindsPodsWhileTheServerIsStartedAnewAndInformersListAnew(ClientInformers informers) throws IOException {
        try (ControlPlane plane = ControlPlane.start();
                FreezingProxy proxy = new FreezingProxy(port(plane))) {
            plane.create(
                    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: \"4\", memory: 8Gi,"
                            + " pods: \"2\"}, capacity: {cpu: \"4\", memory: 8Gi, pods: \"2\"}}}\n");
            try (ClientInformers.Open client = informers.open(kubeconfig(plane, proxy.port()));
                    Scheduler scheduler =
                            Scheduler.builder(CONFIG, PLUGINS, client.cluster()).build()) {
                scheduler.start();
                Thread thread = new Thread(scheduler::run, "run");
                thread.setDaemon(true);
                thread.start();
                createPod(plane, "a");
                awaitNode(plane, "a");

                plane.restartApiServer();
                createPod(plane, "b");
                awaitNode(plane, "b");

                // Nobody tells the informers that this pod is gone, and the server that they come back to does not know
                // when it went.
                proxy.refuse(true);
                plane.kubectl("delete", "pod", "a", "--force", "--grace-period=0");
                plane.restartApiServer();
                createPod(plane, "c");
                proxy.refuse(false);
                awaitNode(plane, "c");

                assertThat(plane.kubectl("get", "events", "-o", "jsonpath={.items[*].reason}"))
                        .contains("Scheduled");
            }
        }
    }

    private static int port(ControlPlane plane) throws IOException {
        Matcher server =
                Pattern.compile("https://127\\.0\\.0\\.1:([0-9]+)").matcher(Files.readString(plane.kubeconfig()));
        assertThat(server.find()).isTrue();
        return Integer.parseInt(server.group(1));
    }

    private static Path kubeconfig(ControlPlane plane, int port) throws IOException {
        String text = Files.readString(plane.kubeconfig());
        return Files.writeString(
                plane.folder().resolve("kubeconfig-" + port), text.replace(":" + port(plane), ":" + port));
    }

    private static void createPod(ControlPlane plane, String name) {
        plane.create("{apiVersion: v1, kind: Pod, metadata: {name: " + name
                + "}, spec: {schedulerName: embedded, containers: [{name: main, image: app:1}]}}\n");
    }

    private static void awaitNode(ControlPlane plane, String pod) {
        String ignored = plane.kubectl(
                "wait", "pod/" + pod, "--for=jsonpath={.spec.nodeName}=n1", "--timeout=" + SOON.toSeconds() + "s");
    }
}
