// SPDX-License-Identifier: Apache-2.0
package org.moorage.clienttests;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
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
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.api.model.ObjectFields;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.clientjava.ClientJavaInformers;
import org.moorage.clientjava.ClientJavaRequests;
import org.moorage.clientjava.LenientListerWatcher;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.fabric8.Fabric8Informers;
import org.moorage.fabric8.Fabric8Requests;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.runtime.Scheduler;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

/** A scheduler that reads pods and nodes from the informers of another client. */
@ParameterizedClass
@EnumSource
@Timeout(60)
class InformersTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(BuiltinPlugins.all());
    private static final String PODS = "/api/v1/namespaces/default/pods/";

    private record Connection(InformerCluster cluster, Runnable close) {}

    enum Client {
        CLIENT_JAVA {
            @Override
            Connection connect(String address) {
                ApiClient client = new ApiClient().setBasePath(address);
                client.setReadTimeout(0);
                // region client-java-informers
                SharedInformerFactory factory = new SharedInformerFactory(client);
                factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
                factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
                factory.startAllRegisteredInformers();

                InformerCluster cluster =
                        InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(factory));
                // endregion
                return new Connection(cluster, () -> {
                    factory.stopAllRegisteredInformers();
                    client.getHttpClient().dispatcher().executorService().shutdown();
                });
            }
        },
        FABRIC8 {
            @Override
            Connection connect(String address) {
                Config config = new ConfigBuilder(Config.empty())
                        .withMasterUrl(address)
                        .withOnlyHttpWatches(true)
                        .build();
                KubernetesClient client =
                        new KubernetesClientBuilder().withConfig(config).build();
                // region fabric8-informers
                SharedIndexInformer<Pod> pods = client.pods().inAnyNamespace().runnableInformer(0);
                SharedIndexInformer<Node> nodes = client.nodes().runnableInformer(0);
                pods.exceptionHandler((isStarted, thrown) -> true).start();
                nodes.exceptionHandler((isStarted, thrown) -> true).start();

                InformerCluster cluster = InformerCluster.of(
                        Fabric8Requests.through(client),
                        new Fabric8Informers(client).with(pods).with(nodes));
                // endregion
                return new Connection(cluster, () -> {
                    pods.close();
                    nodes.close();
                    client.close();
                });
            }
        };

        abstract Connection connect(String address);
    }

    private final FakeApiServer server = FakeApiServer.start();

    @Parameter
    private Client client;

    private Connection connection;
    private Scheduler scheduler;

    @BeforeEach
    void start() {
        putNode("n1");
        connection = client.connect(server.address());
        scheduler = Scheduler.builder(ConfigLoader.defaults(PLUGINS), PLUGINS, connection.cluster())
                .build();
        scheduler.start();
        Thread thread = new Thread(scheduler::run, "run");
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void stop() {
        scheduler.close();
        connection.close().run();
        server.close();
    }

    private void putNode(String name) {
        server.put("{apiVersion: v1, kind: Node, metadata: {name: " + name
                + "}, status: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"1\"}}}");
    }

    // With a field that no model has, as from a newer API server.
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
    void addedAndDeletedObjectsReachTheScheduler() throws InterruptedException {
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
    void aNewListRemovesDeletedObjects() throws InterruptedException {
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
    void aFailedBindingIsRetried() throws InterruptedException {
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
