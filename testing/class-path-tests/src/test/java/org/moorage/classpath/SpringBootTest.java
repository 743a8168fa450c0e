// SPDX-License-Identifier: Apache-2.0
package org.moorage.classpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * A Spring Boot application with both clients, each of which has the scheduler bind a pod: with the versions that
 * Spring Boot manages.
 */
class SpringBootTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(BuiltinPlugins.all());
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: embedded}]
            """;
    private static final String OBJECTS = """
            apiVersion: v1
            kind: Node
            metadata: {name: n1}
            status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: a}
            spec: {schedulerName: embedded, containers: [{name: c, image: i}]}
            """;

    private final FakeApiServer server = FakeApiServer.start();

    @SpringBootApplication
    static class Application {
        @Bean
        PluginRegistry plugins() {
            return PLUGINS;
        }
    }

    @BeforeEach
    void start() {
        server.put(OBJECTS);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void bindsAPod(InformerCluster cluster) throws InterruptedException {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run()) {
            PluginRegistry plugins = context.getBean(PluginRegistry.class);
            try (Scheduler scheduler = Scheduler.builder(ConfigLoader.load(CONFIG, "config", plugins), plugins, cluster)
                    .build()) {
                scheduler.start();
                assertThat(scheduler.scheduleNext()).isPresent();
                ObjectFields bound = server.await(
                        "/api/v1/namespaces/default/pods/a",
                        pod -> pod.string("spec", "nodeName").isPresent());
                assertThat(bound.string("spec", "nodeName")).contains("n1");
            }
        }
    }

    @Test
    void schedulesWithClientJava() throws InterruptedException {
        ApiClient client = new ApiClient().setBasePath(server.address());
        client.setReadTimeout(0);
        SharedInformerFactory factory = new SharedInformerFactory(client);
        factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
        factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
        factory.startAllRegisteredInformers();

        bindsAPod(InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(factory)));

        factory.stopAllRegisteredInformers();
    }

    @Test
    void schedulesWithFabric8() throws InterruptedException {
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(server.address())
                .withOnlyHttpWatches(true)
                .build();
        try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build();
                SharedIndexInformer<io.fabric8.kubernetes.api.model.Pod> pods =
                        client.pods().inAnyNamespace().inform();
                SharedIndexInformer<io.fabric8.kubernetes.api.model.Node> nodes = client.nodes().inform()) {
            bindsAPod(InformerCluster.of(
                    Fabric8Requests.through(client), new Fabric8Informers(client).with(pods).with(nodes)));
        }
    }
}
