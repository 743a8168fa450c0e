// SPDX-License-Identifier: Apache-2.0
package org.moorage.fabric8;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.runtime.Scheduler;
import org.moorage.testkit.apiserver.FakeApiServer;

/** A scheduler over the informers of fabric8's client. */
@Timeout(60)
class Fabric8InformersTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(BuiltinPlugins.all());
    private static final String PODS = "/api/v1/namespaces/default/pods/";

    private final FakeApiServer server = FakeApiServer.start();
    private KubernetesClient client;
    private Runnable stopInformers;
    private Scheduler scheduler;

    @BeforeEach
    void start() {
        putNode("n1");
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(server.address())
                .withOnlyHttpWatches(true)
                .build();
        client = new KubernetesClientBuilder().withConfig(config).build();
        scheduler = Scheduler.builder(ConfigLoader.defaults(PLUGINS), PLUGINS, cluster())
                .build();
        scheduler.start();
        Thread thread = new Thread(scheduler::run, "run");
        thread.setDaemon(true);
        thread.start();
    }

    private InformerCluster cluster() {
        // region informers
        SharedIndexInformer<io.fabric8.kubernetes.api.model.Pod> pods =
                client.pods().inAnyNamespace().runnableInformer(0);
        SharedIndexInformer<io.fabric8.kubernetes.api.model.Node> nodes =
                client.nodes().runnableInformer(0);
        pods.exceptionHandler((isStarted, thrown) -> true).start();
        nodes.exceptionHandler((isStarted, thrown) -> true).start();

        InformerCluster cluster = InformerCluster.of(
                Fabric8Requests.through(client),
                new Fabric8Informers(client).with(pods).with(nodes));
        // endregion
        stopInformers = () -> {
            pods.close();
            nodes.close();
        };
        return cluster;
    }

    @AfterEach
    void stop() {
        scheduler.close();
        stopInformers.run();
        client.close();
        server.close();
    }

    private void putNode(String name) {
        server.put("{apiVersion: v1, kind: Node, metadata: {name: " + name
                + "}, status: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"1\"}}}");
    }

    // With a field that no model knows, as from a newer API server.
    private void putPod(String name) {
        server.put(
                "{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {schedulerName: default-scheduler,"
                        + " inventedLater: {a: 1}, containers: [{name: c, image: i, inventedLater: true}]}}");
    }

    private void awaitNode(String pod, String node) throws InterruptedException {
        server.await(PODS + pod, object -> object.string("spec", "nodeName").equals(Optional.of(node)));
    }

    private void awaitUnschedulable(String pod) throws InterruptedException {
        server.await(
                PODS + pod, object -> !object.objects("status", "conditions").isEmpty());
    }

    @Test
    void schedulesByWhatTheInformersTellOf() throws InterruptedException {
        putPod("a");
        awaitNode("a", "n1");
        putPod("b");
        awaitUnschedulable("b");

        putNode("n2");
        awaitNode("b", "n2");

        putPod("c");
        awaitUnschedulable("c");
        server.delete(PODS + "a");
        awaitNode("c", "n1");
    }

    @Test
    void learnsFromANewListWhatIsGone() throws InterruptedException {
        putPod("a");
        awaitNode("a", "n1");
        putPod("b");
        awaitUnschedulable("b");

        server.stop();
        server.delete(PODS + "a");
        server.expire();
        server.restart();

        awaitNode("b", "n1");
    }
}
