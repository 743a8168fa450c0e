// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.testkit.Ports;

/** Tests requests to an extender agent with nodes as large and as unusual as an API server accepts. */
class LargeRequestFaultsTest {
    private static final int NODES = 10_000;
    private static final int IMAGES = 50;
    private static final int LEVELS = 10_000;
    private static final int DIGITS = 1_000_000;
    private static final long MEMORY_LIMIT_KB = 1 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String BEGINNING =
            "{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},\"spec\":{\"containers\":[]}},\"Nodes\":{\"items\":[";
    private static final String END = "]},\"NodeNames\":null}";

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    @Test
    @Fault(
            value = 42,
            injected = "10,000 whole nodes of 12 KB in a request to an extender agent, four times and twice at once,"
                    + " bodies that are announced and never come, 10,000 levels, numbers of a million digits")
    void largeRequests(FaultReport report) throws IOException {
        try (Ports ports = new Ports();
                ExtenderProcess agent = ExtenderProcess.start(folder, ports.next(), "")) {
            agent.awaitHealthy();
            try (HealthProbes health = agent.probes()) {
                for (int i = 0; i < 4; i++) {
                    long start = System.nanoTime();
                    expect(report, "10,000 nodes", large(agent).join(), List.of(200));
                    report.took("10,000 nodes", since(start), LIMIT);
                }
                List<CompletableFuture<Integer>> both = List.of(large(agent), large(agent));
                List<Integer> statuses =
                        both.stream().map(CompletableFuture::join).toList();
                statuses.forEach(status -> expect(report, "one of two at once", status, List.of(200, 413, 503)));
                report.holds(statuses.contains(200), "two at once are answered " + statuses);
                report.saw("two at once are answered " + statuses);
                withoutBodies(agent, report);
                String deep = node("\"deep\":" + "[".repeat(LEVELS) + "]".repeat(LEVELS));
                String digits = node("\"long\":" + "1".repeat(DIGITS) + ",\"point\":0." + "1".repeat(DIGITS)
                        + ",\"power\":1e" + "9".repeat(DIGITS));
                for (String strange : List.of(deep, digits)) {
                    int status = small(agent, strange).join();
                    expect(report, "a strange body", status, List.of(200, 400, 413, 503));
                    report.saw("a strange body is answered " + status);
                }
                expect(report, "a plain node", small(agent, node("\"plain\":1")).join(), List.of(200));
                health.end(report);
            }
            report.holds(agent.program().isRunning(), "the process has ended");
            long resident = resident(agent.program().pid());
            report.saw("at most %d MB resident".formatted(resident >> 10));
            report.holds(resident < MEMORY_LIMIT_KB, "more resident than the manifest's limit");
        }
    }

    // Half of the requests send the start of a body, so that the server has read something.
    private void withoutBodies(ExtenderProcess agent, FaultReport report) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), agent.port());
                sockets.add(socket);
                OutputStream out = socket.getOutputStream();
                out.write("POST /scheduler/filter HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                        .formatted(100_000_000)
                        .getBytes(StandardCharsets.US_ASCII));
                if (i % 2 == 0) {
                    out.write((BEGINNING + node("") + ",").getBytes(StandardCharsets.US_ASCII));
                }
            }
            long start = System.nanoTime();
            expect(report, "with bodies that never arrive", large(agent).join(), List.of(200));
            report.took("10,000 nodes with bodies that never arrive", since(start), LIMIT);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static void expect(FaultReport report, String what, int status, List<Integer> expected) {
        report.holds(expected.contains(status), what + " is answered " + status);
    }

    /** Returns the status of the complete response for 10,000 nodes; 0 if there is no response. */
    private CompletableFuture<Integer> large(ExtenderProcess agent) {
        byte[] first = whole(0);
        long length = BEGINNING.length() + first.length * (long) NODES - 1 + END.length();
        Iterable<byte[]> parts = () -> new Iterator<>() {
            private int next = -1;

            @Override
            public boolean hasNext() {
                return next <= NODES;
            }

            @Override
            public byte[] next() {
                int now = next++;
                return now < 0
                        ? BEGINNING.getBytes(StandardCharsets.US_ASCII)
                        : now == NODES ? END.getBytes(StandardCharsets.US_ASCII) : whole(now);
            }
        };
        return post(agent, BodyPublishers.fromPublisher(BodyPublishers.ofByteArrays(parts), length));
    }

    private CompletableFuture<Integer> small(ExtenderProcess agent, String node) {
        return post(agent, BodyPublishers.ofString(BEGINNING + node + END));
    }

    private CompletableFuture<Integer> post(ExtenderProcess agent, HttpRequest.BodyPublisher body) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + agent.port() + "/scheduler/filter"))
                .timeout(LIMIT)
                .POST(body)
                .build();
        return client.sendAsync(request, BodyHandlers.ofInputStream())
                .thenApplyAsync(LargeRequestFaultsTest::read)
                .exceptionally(broken -> 0);
    }

    private static int read(HttpResponse<InputStream> response) {
        try (InputStream body = response.body()) {
            body.transferTo(OutputStream.nullOutputStream());
            return response.statusCode();
        } catch (IOException broken) {
            throw new CompletionException(broken);
        }
    }

    private static String node(String more) {
        return "{\"metadata\":{\"name\":\"n\"},\"spec\":{" + more + "},\"status\":{}}";
    }

    /** Returns a node of 12 KB, most of which is the kubelet's list of images; all have the same length. */
    private static byte[] whole(int place) {
        StringBuilder node = new StringBuilder(12_500);
        String name = String.format(Locale.ROOT, "node-%05d", place);
        node.append("{\"metadata\":{\"name\":\"").append(name).append("\",\"labels\":{\"kubernetes.io/hostname\":\"");
        node.append(name)
                .append(
                        "\"}},\"spec\":{},\"status\":{\"allocatable\":{\"cpu\":\"32\",\"memory\":\"64Gi\",\"pods\":\"110\"},");
        node.append("\"images\":[");
        for (int image = 0; image < IMAGES; image++) {
            node.append(image == 0 ? "" : ",")
                    .append("{\"names\":[\"registry.example/team/application-")
                    .append(name)
                    .append("-")
                    .append(10 + image)
                    .append("@sha256:")
                    .append("0123456789abcdef".repeat(4))
                    .append("\",\"registry.example/team/application-")
                    .append(name)
                    .append(":v1\"],\"sizeBytes\":123456789}");
        }
        return node.append("]}}")
                .append(place == NODES - 1 ? "" : ",")
                .toString()
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static long resident(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow();
    }
}
