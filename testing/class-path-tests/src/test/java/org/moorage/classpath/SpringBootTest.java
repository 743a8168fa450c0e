// SPDX-License-Identifier: Apache-2.0
package org.moorage.classpath;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** A Spring Boot application with both clients, each of which has the scheduler bind a pod: with the versions that Spring Boot manages. */
class SpringBootTest {
    private static final PluginRegistry PLUGINS = PluginRegistry.of(BuiltinPlugins.all());
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: embedded}]
            """;
    private static final String NODES = """
            {"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "2"}, "items": [
              {"metadata": {"name": "n1", "uid": "n1", "resourceVersion": "1"},
               "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}]}""";
    private static final String PODS = """
            {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "2"}, "items": [
              {"metadata": {"name": "a", "namespace": "default", "uid": "a", "resourceVersion": "1"},
               "spec": {"containers": [{"name": "c", "image": "i"}], "schedulerName": "embedded"}}]}""";

    private final CountDownLatch closed = new CountDownLatch(1);
    private final BlockingQueue<String> bindings = new LinkedBlockingQueue<>();
    private HttpServer server;

    @SpringBootApplication
    static class Application {
        @Bean
        PluginRegistry plugins() {
            return PLUGINS;
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", this::handle);
        server.start();
    }

    @AfterEach
    void stop() {
        closed.countDown();
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            if (path.endsWith("/binding")) {
                bindings.add(body);
                answer(exchange, 201, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}");
            } else if (String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true")) {
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().flush();
                closed.await();
            } else if (path.endsWith("/pods") || path.endsWith("/nodes")) {
                answer(exchange, 200, path.endsWith("/pods") ? PODS : NODES);
            } else {
                answer(exchange, 404, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"NotFound\",\"code\":404}");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
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
                assertThat(bindings.poll(20, TimeUnit.SECONDS)).contains("\"name\":\"n1\"");
            }
        }
    }

    @Test
    void schedulesWithClientJava() throws InterruptedException {
        ApiClient client = new ApiClient().setBasePath(address());
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
                .withMasterUrl(address())
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
