// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.model.ObjectFields;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.runtime.Scheduler;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

/** A scheduler over client-java's informers. */
@Timeout(60)
class ClientJavaInformersTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(BuiltinPlugins.all());
    private static final String PODS = "/api/v1/namespaces/default/pods/";

    private final FakeApiServer server = FakeApiServer.start();
    private ApiClient client;
    private Runnable stopInformers;
    private Scheduler scheduler;

    @BeforeEach
    void start() {
        putNode("n1");
        client = new ApiClient().setBasePath(server.address());
        client.setReadTimeout(0);
        scheduler = Scheduler.builder(ConfigLoader.defaults(PLUGINS), PLUGINS, cluster())
                .build();
        scheduler.start();
        Thread thread = new Thread(scheduler::run, "run");
        thread.setDaemon(true);
        thread.start();
    }

    private InformerCluster cluster() {
        // region informers
        SharedInformerFactory factory = new SharedInformerFactory(client);
        factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
        factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
        factory.startAllRegisteredInformers();

        InformerCluster cluster =
                InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(factory));
        // endregion
        stopInformers = factory::stopAllRegisteredInformers;
        return cluster;
    }

    @AfterEach
    void stop() {
        scheduler.close();
        stopInformers.run();
        client.getHttpClient().dispatcher().executorService().shutdown();
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

    @Test
    void bindsAPodAgainAfterAFailureOfTheServer() throws InterruptedException {
        // region fake-api-server
        AtomicInteger bindings = new AtomicInteger();
        server.on(
                "POST",
                PODS + "web/binding",
                request -> bindings.incrementAndGet() == 1
                        ? Response.status(500, "InternalError", "etcdserver: no leader")
                        : server.respond(request));
        server.put("""
                apiVersion: v1
                kind: Pod
                metadata: {name: web}
                spec: {schedulerName: default-scheduler, containers: [{name: c}]}
                """);

        ObjectFields web =
                server.await(PODS + "web", pod -> pod.string("spec", "nodeName").isPresent());

        assertThat(web.string("spec", "nodeName")).contains("n1");
        assertThat(bindings).hasValue(2);
        // endregion
    }
}
