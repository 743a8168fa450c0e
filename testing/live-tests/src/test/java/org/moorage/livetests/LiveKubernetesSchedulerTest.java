// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.ApiConnection;
import org.moorage.kubernetes.scheduler.KubernetesScheduler;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.Waiting;

/** Schedulers embedded in a program, as in {@code examples/embedded-scheduler}, on a real control plane. */
@Tag("live")
class LiveKubernetesSchedulerTest {
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: embedded}]
            leaderElection: {resourceName: embedded-scheduler, leaseDuration: 5s, renewDeadline: 3s, retryPeriod: 1s}
            """;

    @Test
    void oneSchedulesAndTheOtherWhenItIsClosed() {
        try (Scene scene = Scene.open();
                Running first = new Running(scene.plane().kubeconfig())) {
            scene.create(
                    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: \"4\", memory: 8Gi, pods:"
                            + " \"110\"}, capacity: {cpu: \"4\", memory: 8Gi, pods: \"110\"}}}\n");
            awaitNode(scene, "a");
            try (Running second = new Running(scene.plane().kubeconfig())) {
                assertThat(first.scheduler.leadership().orElseThrow().isLeader())
                        .isTrue();
                first.stop();
                assertThat(first.isLost()).isFalse();

                awaitNode(scene, "b");
                assertThat(second.scheduler.leadership().orElseThrow().isLeader())
                        .isTrue();

                scene.api()
                        .patch(
                                ApiAccess.LEASES + "/embedded-scheduler",
                                "{\"spec\": {\"holderIdentity\": \"somebody\"}}");
                assertThat(second.isLost()).isTrue();
            }
        }
    }

    private static final class Running implements AutoCloseable {
        private final KubernetesScheduler scheduler;
        private final CompletableFuture<Boolean> ended;

        Running(Path kubeconfig) {
            PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
            LoadedConfig config = ConfigLoader.load(CONFIG, "scheduler.yaml", plugins);
            scheduler = KubernetesScheduler.builder(config, plugins)
                    .connection(new ApiConnection(Optional.of(kubeconfig), Optional.empty()))
                    .build();
            ended = CompletableFuture.supplyAsync(scheduler::run);
        }

        /** Waits until it has ended. */
        boolean isLost() {
            return ended.orTimeout(Waiting.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        }

        void stop() {
            scheduler.close();
        }

        @Override
        public void close() {
            stop();
        }
    }

    private static void awaitNode(Scene scene, String pod) {
        scene.create("{apiVersion: v1, kind: Pod, metadata: {name: " + pod
                + "}, spec: {schedulerName: embedded, containers: [{name: main, image: app:1}]}}\n");
        assertThat(scene.awaitNode(pod)).isEqualTo("n1");
    }
}
