// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.TreeMap;
import org.moorage.livetests.scene.ApiAccess;

/**
 * An agent that {@code moorage extender} serves on loopback.
 *
 * @param port where it listens
 */
record ServedAgent(int port) {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** Whether it listens and can answer. */
    boolean isHealthy() {
        try {
            return send(request("/healthz").build()).statusCode() == 200;
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    /** The number of requests of a route that were answered without an error. */
    long answers(String route) {
        String counter = "moorage_extender_answers_total{code=\"200\",error=\"false\",route=\"" + route + "\"} ";
        return send(request("/metrics").build())
                .body()
                .lines()
                .filter(line -> line.startsWith(counter))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(counter.length())))
                .sum();
    }

    /** The scores that it answers to a request with nodes or their names. */
    Map<String, Long> scores(String route, String body) {
        HttpResponse<String> response = send(request("/scheduler/" + route)
                .POST(BodyPublishers.ofString(body))
                .build());
        Map<String, Long> scores = new TreeMap<>();
        for (JsonNode score : ApiAccess.parse(response.body())) {
            scores.put(score.path("Host").asText(), score.path("Score").asLong());
        }
        return scores;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private static HttpResponse<String> send(HttpRequest request) {
        return ApiAccess.exchange(CLIENT, request, BodyHandlers.ofString());
    }
}
