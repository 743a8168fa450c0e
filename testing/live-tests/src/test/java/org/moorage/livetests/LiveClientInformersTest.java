// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.livetests.clients.ClientInformers;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.FreezingProxy;
import org.moorage.livetests.scene.Scene;
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

    @ParameterizedTest
    @EnumSource
    void bindsPodsWhileTheServerIsStartedAnewAndInformersListAnew(ClientInformers informers) throws IOException {
        try (Scene scene = Scene.open();
                FreezingProxy proxy = new FreezingProxy(scene.api().server().getPort())) {
            scene.create(
                    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: \"4\", memory: 8Gi,"
                            + " pods: \"2\"}, capacity: {cpu: \"4\", memory: 8Gi, pods: \"2\"}}}\n");
            try (ClientInformers.Open client = informers.open(scene.kubeconfigThrough(proxy.port()));
                    Scheduler scheduler =
                            Scheduler.builder(CONFIG, PLUGINS, client.cluster()).build()) {
                scheduler.start();
                Thread thread = new Thread(scheduler::run, "run");
                thread.setDaemon(true);
                thread.start();
                createPod(scene, "a");
                String ignored = scene.awaitNode("a");

                scene.plane().restartApiServer();
                createPod(scene, "b");
                ignored = scene.awaitNode("b");

                // No watch shows the informers that this pod is gone, and the restarted server does not know when it
                // went.
                proxy.refuse(true);
                scene.api().delete(ApiAccess.PODS + "/a");
                scene.plane().restartApiServer();
                createPod(scene, "c");
                proxy.refuse(false);
                ignored = scene.awaitNode("c");

                scene.await(
                        "an event Scheduled",
                        () -> scene.api().items(ApiAccess.EVENTS).stream()
                                .anyMatch(event -> event.path("reason").asText().equals("Scheduled")));
            }
        }
    }

    private static void createPod(Scene scene, String name) {
        scene.create("{apiVersion: v1, kind: Pod, metadata: {name: " + name
                + "}, spec: {schedulerName: embedded, containers: [{name: main, image: app:1}]}}\n");
    }
}
