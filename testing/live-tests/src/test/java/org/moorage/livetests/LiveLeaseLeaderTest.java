// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.clientjava.ClientJavaInformers;
import org.moorage.clientjava.ClientJavaRequests;
import org.moorage.clientjava.LeaseLeader;
import org.moorage.clientjava.LenientListerWatcher;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.Waiting;
import org.moorage.runtime.Scheduler;

/** Two controllers with client-java, each with a scheduler, of which one leads by client-java-extended's elector. */
@Tag("live")
class LiveLeaseLeaderTest {
    private static final String LEASE = ApiAccess.LEASES + "/embedded";
    private static final PluginRegistry PLUGINS = PluginRegistry.of(BuiltinPlugins.all());
    private static final LoadedConfig CONFIG = ConfigLoader.load("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: embedded}]
            leaderElection: {resourceName: embedded, leaseDuration: 5s, renewDeadline: 3s, retryPeriod: 1s}
            """, "scheduler.yaml", PLUGINS);

    @Test
    void oneSchedulesAndTheOtherWhenItIsClosed() throws IOException {
        try (Scene scene = Scene.open();
                Controller first = new Controller(scene.plane().kubeconfig(), "first")) {
            scene.create(
                    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: \"4\", memory: 8Gi,"
                            + " pods: \"110\"}, capacity: {cpu: \"4\", memory: 8Gi, pods: \"110\"}}}\n");
            awaitNode(scene, "a");
            try (Controller second = new Controller(scene.plane().kubeconfig(), "second")) {
                assertThat(scene.api().get(LEASE).at("/spec/holderIdentity").asText())
                        .isEqualTo("first");
                first.leader.close();
                assertThat(first.isLost()).isFalse();

                awaitNode(scene, "b");

                scene.api().patch(LEASE, "{\"spec\": {\"holderIdentity\": \"somebody\"}}");
                assertThat(second.isLost()).isTrue();
            }
        }
    }

    private static void awaitNode(Scene scene, String pod) {
        scene.create("{apiVersion: v1, kind: Pod, metadata: {name: " + pod
                + "}, spec: {schedulerName: embedded, containers: [{name: main, image: app:1}]}}\n");
        assertThat(scene.awaitNode(pod)).isEqualTo("n1");
    }

    private static final class Controller implements AutoCloseable {
        private final SharedInformerFactory factory;
        private final ApiClient client;
        private final LeaseLeader leader;
        private final CompletableFuture<Boolean> ended;

        Controller(Path kubeconfig, String identity) throws IOException {
            try (Reader file = Files.newBufferedReader(kubeconfig)) {
                client = ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(file))
                        .setReadTimeout(Duration.ZERO)
                        .build();
            }
            factory = new SharedInformerFactory(client);
            factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
            factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
            factory.startAllRegisteredInformers();
            leader = new LeaseLeader(
                    ClientJavaRequests.through(client), CONFIG.config().leaderElection(), identity);
            ended = CompletableFuture.supplyAsync(this::runs);
        }

        private boolean runs() {
            // region leader
            InformerCluster cluster = InformerCluster.of(
                    leader.guard(ClientJavaRequests.through(client)), new ClientJavaInformers(factory));
            try (Scheduler scheduler =
                    Scheduler.builder(CONFIG, PLUGINS, cluster).build()) {
                scheduler.start();
                return leader.run(scheduler::run, scheduler::stop);
            }
            // endregion
        }

        /** Waits until it has ended. */
        boolean isLost() {
            return ended.orTimeout(Waiting.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        }

        @Override
        public void close() {
            leader.close();
            factory.stopAllRegisteredInformers();
        }
    }
}
