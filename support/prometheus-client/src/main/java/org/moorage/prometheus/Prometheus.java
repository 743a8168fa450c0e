// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * A client of a Prometheus server, or of a server with the same API. Each query has a timeout and a size limit, and
 * blocks the calling thread. Safe for use by several threads.
 */
public final class Prometheus {
    private static final int OK = 200;
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final int NOT_IMPLEMENTED = 501;

    private final PrometheusConnection connection;
    private final ObjectMapper json = new ObjectMapper();

    private Prometheus(PrometheusConnection connection) {
        this.connection = connection;
    }

    /**
     * Creates a client; sends nothing yet.
     *
     * @throws PrometheusException if the CA file cannot be used
     */
    public static Prometheus connect(PrometheusSettings settings) {
        return new Prometheus(new PrometheusConnection("Prometheus", settings));
    }

    /**
     * Evaluates an expression at the current time.
     *
     * @param promql an expression whose value is an instant vector or a scalar, which is a sample without labels
     * @throws PrometheusException if the server does not respond in time, or responds with an error
     */
    public List<Sample> query(String promql) {
        String path = "/api/v1/query";
        JsonNode data = ask(path, Map.of("query", promql));
        JsonNode result = data.path("result");
        String type = data.path("resultType").asText();
        if (type.equals("scalar")) {
            Point point = point(path, result);
            return List.of(new Sample(Map.of(), point.time(), point.value()));
        }
        if (!type.equals("vector")) {
            throw connection.failure(path, "the result is a " + type + " (expected: a vector or a scalar)");
        }
        List<Sample> samples = new ArrayList<>(result.size());
        for (JsonNode element : result) {
            Point point = point(path, element.path("value"));
            samples.add(new Sample(labels(element), point.time(), point.value()));
        }
        return samples;
    }

    /**
     * Evaluates an expression over a range of time.
     *
     * @param promql an expression whose value is an instant vector or a scalar
     * @param start the time of the first evaluation
     * @param end the latest time of the last evaluation
     * @param step the time between two evaluations
     * @throws PrometheusException if the server does not respond in time, or responds with an error
     */
    public List<Series> queryRange(String promql, Instant start, Instant end, Duration step) {
        String path = "/api/v1/query_range";
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("query", promql);
        parameters.put("start", start.toString());
        parameters.put("end", end.toString());
        parameters.put("step", String.valueOf(step.toMillis() / 1e3));
        JsonNode data = ask(path, parameters);
        String type = data.path("resultType").asText();
        if (!type.equals("matrix")) {
            throw connection.failure(path, "the result is a " + type + " (expected: a matrix)");
        }
        List<Series> series = new ArrayList<>();
        for (JsonNode element : data.path("result")) {
            List<Point> points = new ArrayList<>();
            for (JsonNode value : element.path("values")) {
                points.add(point(path, value));
            }
            series.add(new Series(labels(element), points));
        }
        return series;
    }

    private static Map<String, String> labels(JsonNode element) {
        Map<String, String> labels = new HashMap<>();
        element.path("metric")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    private Point point(String path, JsonNode value) {
        JsonNode number = value.path(1);
        if (!value.path(0).isNumber() || !number.isTextual()) {
            throw connection.failure(
                    path, "a sample without a value (expected: one that is a number, not a histogram)");
        }
        return new Point(
                Instant.ofEpochMilli(Math.round(value.path(0).asDouble() * 1e3)), number(path, number.asText()));
    }

    private double number(String path, String text) {
        switch (text) {
            case "+Inf":
                return Double.POSITIVE_INFINITY;
            case "-Inf":
                return Double.NEGATIVE_INFINITY;
            default:
                try {
                    return Double.parseDouble(text);
                } catch (NumberFormatException none) {
                    throw connection.failure(
                            path, "value \"" + PrometheusConnection.excerpt(text) + "\" (expected: a number)");
                }
        }
    }

    // Sends the query in the body, where its length is not limited; uses GET for servers that do not accept that.
    private JsonNode ask(String path, Map<String, String> parameters) {
        long deadline = connection.deadline();
        String form = form(parameters);
        HttpResponse<byte[]> response = connection.send(
                path,
                connection
                        .request(path, "")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form)),
                deadline);
        if (response.statusCode() == METHOD_NOT_ALLOWED || response.statusCode() == NOT_IMPLEMENTED) {
            response =
                    connection.send(path, connection.request(path, "?" + form).GET(), deadline);
        }
        return data(path, response);
    }

    private static String form(Map<String, String> parameters) {
        StringJoiner form = new StringJoiner("&");
        parameters.forEach((name, value) -> form.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return form.toString();
    }

    // Prometheus returns errors as JSON with more detail than the HTTP status; a proxy's error may have any format.
    private JsonNode data(String path, HttpResponse<byte[]> response) {
        JsonNode answer;
        try {
            answer = json.readTree(response.body());
        } catch (IOException none) {
            throw connection.failure(path, connection.unexpected(response));
        }
        if (answer.path("status").asText().equals("error")) {
            throw connection.failure(
                    path,
                    answer.path("errorType").asText() + ": "
                            + PrometheusConnection.excerpt(answer.path("error").asText()));
        }
        if (response.statusCode() != OK || !answer.path("data").isObject()) {
            throw connection.failure(path, connection.unexpected(response));
        }
        return answer.path("data");
    }
}
