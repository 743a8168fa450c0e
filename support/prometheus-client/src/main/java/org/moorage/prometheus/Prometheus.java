// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * A client of a Prometheus server, or of a server with the same API. Each query has a timeout and a size limit, and
 * blocks the calling thread. Safe for use by several threads.
 */
public final class Prometheus {
    // 5,000 nodes with all their labels are about 2 MB; an endless response would use all memory.
    private static final int MOST_BYTES =
            (int) Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 16);
    private static final int OK = 200;
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final int NOT_IMPLEMENTED = 501;
    private static final int LONGEST_EXCERPT = 300;

    private final PrometheusSettings settings;
    private final HttpClient client;
    private final String address;
    private final ObjectMapper json = new ObjectMapper();

    private Prometheus(PrometheusSettings settings, HttpClient client) {
        this.settings = settings;
        this.client = client;
        this.address = settings.address().toString().replaceFirst("/+$", "");
    }

    /**
     * Creates a client; sends nothing yet.
     *
     * @throws PrometheusException if the CA file cannot be used
     */
    public static Prometheus connect(PrometheusSettings settings) {
        HttpClient.Builder client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER);
        Trust.of(settings).ifPresent(client::sslContext);
        return new Prometheus(settings, client.build());
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
            throw failure(path, "the result is a " + type + " (expected: a vector or a scalar)");
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
            throw failure(path, "the result is a " + type + " (expected: a matrix)");
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
            throw failure(path, "a sample without a value (expected: one that is a number, not a histogram)");
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
                    throw failure(path, "value \"" + excerpt(text) + "\" (expected: a number)");
                }
        }
    }

    // Sends the query in the body, where its length is not limited; uses GET for servers that do not accept that.
    private JsonNode ask(String path, Map<String, String> parameters) {
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        String form = form(parameters);
        HttpResponse<byte[]> response = send(
                path,
                request(path)
                        .uri(URI.create(address + path))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form)),
                deadline);
        if (response.statusCode() == METHOD_NOT_ALLOWED || response.statusCode() == NOT_IMPLEMENTED) {
            response = send(
                    path,
                    request(path).uri(URI.create(address + path + "?" + form)).GET(),
                    deadline);
        }
        return data(path, response);
    }

    private static String form(Map<String, String> parameters) {
        StringJoiner form = new StringJoiner("&");
        parameters.forEach((name, value) -> form.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return form.toString();
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder().header("Accept", "application/json");
        settings.bearerTokenFile()
                .ifPresent(file -> request.header("Authorization", "Bearer " + secret(path, "bearerTokenFile", file)));
        settings.basicAuth().ifPresent(user -> {
            String pair = user.username() + ":" + secret(path, "passwordFile", user.passwordFile());
            byte[] bytes = pair.getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
        });
        return request;
    }

    private String secret(String path, String field, Path file) {
        String text;
        try {
            text = Files.readString(file).strip();
        } catch (IOException failed) {
            throw new PrometheusException(prefix(path) + field + ": " + Trust.reason(file, failed), failed);
        }
        if (text.isEmpty() || text.chars().anyMatch(Character::isISOControl)) {
            throw failure(path, field + ": " + file + " (expected: a file with one line)");
        }
        return text;
    }

    private HttpResponse<byte[]> send(String path, HttpRequest.Builder request, long deadline) {
        CompletableFuture<HttpResponse<byte[]>> sent = client.sendAsync(request.build(), info -> limited());
        try {
            return sent.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new PrometheusException(
                    prefix(path) + "no answer within " + settings.timeout().toMillis() + " ms", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PrometheusException(prefix(path) + "interrupted while waiting for the answer", interrupted);
        } catch (ExecutionException failed) {
            Throwable cause = Optional.ofNullable(failed.getCause()).orElse(failed);
            throw new PrometheusException(prefix(path) + reason(cause), cause);
        } finally {
            sent.cancel(true);
        }
    }

    private static BodySubscriber<byte[]> limited() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BodySubscriber<Void> collected = BodySubscribers.ofByteArrayConsumer(part -> part.ifPresent(more -> {
            if (more.length > MOST_BYTES - bytes.size()) {
                String tooLong = "an answer of more than " + MOST_BYTES + " bytes (expected: at most that)";
                throw new UncheckedIOException(tooLong, new IOException(tooLong));
            }
            bytes.writeBytes(more);
        }));
        return BodySubscribers.mapping(collected, none -> bytes.toByteArray());
    }

    private static String reason(Throwable cause) {
        if (cause instanceof ConnectException) {
            return cause.getCause() instanceof UnresolvedAddressException ? "no such host" : "connection refused";
        }
        String message = excerpt(String.valueOf(cause.getMessage()));
        return cause instanceof SSLException ? "TLS: " + message : message;
    }

    // Prometheus returns errors as JSON with more detail than the HTTP status; a proxy's error may have any format.
    private JsonNode data(String path, HttpResponse<byte[]> response) {
        JsonNode answer;
        try {
            answer = json.readTree(response.body());
        } catch (IOException none) {
            throw failure(path, other(response));
        }
        if (answer.path("status").asText().equals("error")) {
            throw failure(
                    path,
                    answer.path("errorType").asText() + ": "
                            + excerpt(answer.path("error").asText()));
        }
        if (response.statusCode() != OK || !answer.path("data").isObject()) {
            throw failure(path, other(response));
        }
        return answer.path("data");
    }

    private static String other(HttpResponse<byte[]> response) {
        String body = excerpt(new String(response.body(), StandardCharsets.UTF_8));
        String target =
                response.headers().firstValue("Location").map(to -> " to " + to).orElse("");
        return "HTTP status " + response.statusCode() + target
                + (body.isEmpty() ? "" : ": " + body)
                + " (expected: 200 with an answer of Prometheus)";
    }

    private static String excerpt(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= LONGEST_EXCERPT ? line : line.substring(0, LONGEST_EXCERPT) + "...";
    }

    private PrometheusException failure(String path, String what) {
        return new PrometheusException(prefix(path) + what);
    }

    private String prefix(String path) {
        return "Prometheus at " + address + path + ": ";
    }
}
