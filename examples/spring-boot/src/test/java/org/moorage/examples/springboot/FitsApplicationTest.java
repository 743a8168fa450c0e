// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class FitsApplicationTest {
    private static final FakeApiServer SERVER = FakeApiServer.start();

    @TempDir
    private static Path folder;

    @LocalServerPort
    private int port;

    @DynamicPropertySource
    static void cluster(DynamicPropertyRegistry properties) throws IOException {
        SERVER.put("{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, pods: 110}}}");
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), SERVER.kubeconfig());
        properties.add("moorage.kubeconfig", kubeconfig::toString);
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Test
    void answersHowManyPodsFit() throws IOException, InterruptedException {
        HttpResponse<String> answer = ask("{\"spec\": {\"containers\": [{\"name\": \"web\", \"image\": \"web:1\","
                + " \"resources\": {\"requests\": {\"cpu\": \"500m\"}}}]}}");

        assertThat(answer.body()).contains("\"fits\":8", "Insufficient cpu");
    }

    @Test
    void returnsTheMessageOfAdmission() throws IOException, InterruptedException {
        HttpResponse<String> answer = ask("{\"spec\": {\"priorityClassName\": \"gold\","
                + " \"containers\": [{\"name\": \"web\", \"image\": \"web:1\"}]}}");

        assertThat(answer.statusCode()).isEqualTo(422);
        assertThat(answer.body()).contains("no PriorityClass with name gold was found");
    }

    @Test
    void showsHealthAndMetrics() throws IOException, InterruptedException {
        assertThat(get("/actuator/health/readiness").statusCode()).isEqualTo(200);
        assertThat(get("/actuator/prometheus").body()).contains("scheduler_cache_size{type=\"nodes\"} 1.0");
    }

    private HttpResponse<String> ask(String template) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri("/fits"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(template))
                .build());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path)).build());
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
