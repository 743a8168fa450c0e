// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * An agent that {@code moorage extender} serves on loopback.
 *
 * @param port where it listens
 */
record ServedAgent(int port) {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** Whether it listens and can answer. */
    boolean isHealthy() throws IOException {
        try {
            return send(request("/healthz").build()).statusCode() == 200;
        } catch (ConnectException notYet) {
            return false;
        }
    }

    /** How many requests of a route it answered without an error. */
    long answers(String route) throws IOException {
        String counter = "moorage_extender_answers_total{code=\"200\",error=\"false\",route=\"" + route + "\"} ";
        return send(request("/metrics").build())
                .body()
                .lines()
                .filter(line -> line.startsWith(counter))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(counter.length())))
                .sum();
    }

    /** The scores that it answers to a request with nodes or their names. */
    Map<String, Long> scores(String route, String body) throws IOException {
        HttpResponse<String> response = send(request("/scheduler/" + route)
                .POST(BodyPublishers.ofString(body))
                .build());
        Map<String, Long> scores = new TreeMap<>();
        for (JsonNode score : JSON.readTree(response.body())) {
            scores.put(score.path("Host").asText(), score.path("Score").asLong());
        }
        return scores;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(LIMIT);
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return CLIENT.send(request, BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
