// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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

/** Schedulers in a program of one's own, as in {@code examples/embedded-scheduler}, on a real control plane. */
@Tag("live")
class LiveKubernetesSchedulerTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: embedded}]
            leaderElection: {resourceName: embedded-scheduler, leaseDuration: 5s, renewDeadline: 3s, retryPeriod: 1s}
            """;

    @Test
    void oneSchedulesAndTheOtherWhenItIsClosed() {
        try (ControlPlane plane = ControlPlane.start();
                Running first = new Running(plane.kubeconfig())) {
            plane.create(
                    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: \"4\", memory: 8Gi, pods:"
                            + " \"110\"}, capacity: {cpu: \"4\", memory: 8Gi, pods: \"110\"}}}\n");
            awaitNode(plane, "a");
            try (Running second = new Running(plane.kubeconfig())) {
                assertThat(first.scheduler.leadership().orElseThrow().isLeader())
                        .isTrue();
                first.stop();
                assertThat(first.isLost()).isFalse();

                awaitNode(plane, "b");
                assertThat(second.scheduler.leadership().orElseThrow().isLeader())
                        .isTrue();

                plane.kubectl(
                        "-n",
                        "kube-system",
                        "patch",
                        "lease",
                        "embedded-scheduler",
                        "--type=merge",
                        "-p",
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
            return ended.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
        }

        void stop() {
            scheduler.close();
        }

        @Override
        public void close() {
            stop();
        }
    }

    private static void awaitNode(ControlPlane plane, String pod) {
        plane.create("{apiVersion: v1, kind: Pod, metadata: {name: " + pod
                + "}, spec: {schedulerName: embedded, containers: [{name: main, image: app:1}]}}\n");
        List<String> wait = List.of(
                "wait", "pod/" + pod, "--for=jsonpath={.spec.nodeName}=n1", "--timeout=" + SOON.toSeconds() + "s");
        plane.kubectl(wait.toArray(String[]::new));
    }
}
