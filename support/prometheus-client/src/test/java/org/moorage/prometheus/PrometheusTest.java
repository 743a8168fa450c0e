// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the client against an HTTP server with configured responses. */
final class PrometheusTest {
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch released = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    @TempDir
    private Path files;

    /** The server's reaction to a request. */
    private interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(loopback(), 0);
    }

    @AfterEach
    void end() {
        released.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private Prometheus answering(int status, String body) {
        return answering(exchange -> send(exchange, status, body));
    }

    private Prometheus answering(Answer answer) {
        start(answer);
        return Prometheus.connect(settings());
    }

    private void start(Answer answer) {
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            asked.add(
                    exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath() + " "
                            + decoded(exchange.getRequestURI().getRawQuery())
                            + decoded(new String(body, StandardCharsets.UTF_8))
                            + String.join("", exchange.getRequestHeaders().getOrDefault("Authorization", List.of())));
            answer.to(exchange);
            exchange.close();
        });
        server.setExecutor(threads);
        server.start();
    }

    private PrometheusSettings settings() {
        String scheme = server instanceof HttpsServer ? "https" : "http";
        return PrometheusSettings.of(
                scheme + "://127.0.0.1:" + server.getAddress().getPort());
    }

    private static String decoded(String form) {
        return form == null || form.isEmpty() ? "" : URLDecoder.decode(form, StandardCharsets.UTF_8) + " ";
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static String vector(String... elements) {
        return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" + String.join(",", elements)
                + "]}}";
    }

    private static String sample(String node, String value) {
        return "{\"metric\":{\"nodename\":\"" + node + "\"},\"value\":[1700000000.25,\"" + value + "\"]}";
    }

    record NumberCase(String text, double value) {
        @Override
        public String toString() {
            return text;
        }
    }

    static Stream<NumberCase> numbers() {
        return Stream.of(
                new NumberCase("0", 0),
                new NumberCase("140000", 140000),
                new NumberCase("1.2541068340e10", 12541068340.0),
                new NumberCase("-1.5", -1.5),
                new NumberCase("NaN", Double.NaN),
                new NumberCase("+Inf", Double.POSITIVE_INFINITY),
                new NumberCase("-Inf", Double.NEGATIVE_INFINITY));
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void readsAVector(NumberCase number) {
        Prometheus prometheus = answering(200, vector(sample("node01", number.text())));

        assertThat(prometheus.query("up"))
                .containsExactly(new Sample(
                        Map.of("nodename", "node01"), Instant.parse("2023-11-14T22:13:20.250Z"), number.value()));
    }

    @Test
    void readsAScalar() {
        Prometheus prometheus = answering(
                200, "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1700000000,\"7\"]}}");

        assertThat(prometheus.query("7")).containsExactly(new Sample(Map.of(), Instant.ofEpochSecond(1700000000), 7));
    }

    @Test
    void asksWithAForm() {
        answering(200, vector()).query("sum(up{job=\"a b+c\"}) / 2");

        assertThat(asked).containsExactly("POST /api/v1/query query=sum(up{job=\"a b+c\"}) / 2 ");
    }

    @Test
    void asksWithAGetWhereAFormIsNotAllowed() {
        Prometheus prometheus = answering(exchange -> send(
                exchange,
                exchange.getRequestMethod().equals("GET") ? 200 : 405,
                exchange.getRequestMethod().equals("GET") ? vector(sample("n", "1")) : ""));

        assertThat(prometheus.query("up{a=\"&\"}")).hasSize(1);
        assertThat(asked)
                .containsExactly("POST /api/v1/query query=up{a=\"&\"} ", "GET /api/v1/query query=up{a=\"&\"} ");
    }

    @Test
    void sendsATokenThatIsGiven() {
        start(exchange -> send(exchange, 200, vector()));
        PrometheusSettings settings = settings().withBearerToken("abc");
        Prometheus.connect(settings).query("up");

        assertThat(asked).containsExactly("POST /api/v1/query query=up Bearer abc");
        assertThat(settings.toString()).doesNotContain("abc");
        assertThatThrownBy(() -> settings().withBearerToken("a\nb"))
                .hasMessage("bearerToken: has other characters than printable ASCII (expected: a token)");
    }

    @Test
    void readsADocumentOfAnotherServer() {
        start(exchange -> send(exchange, 200, "{}"));

        assertThat(HttpDocument.of("load watcher", settings(), "/watcher").read())
                .isEqualTo("{}");
        assertThat(asked).containsExactly("GET /watcher ");
    }

    @Test
    void namesTheServerOfADocumentThatCannotBeRead() {
        start(exchange -> send(exchange, 503, "starting"));
        HttpDocument document = HttpDocument.of("load watcher", settings(), "/watcher");

        assertThatThrownBy(document::read)
                .isInstanceOf(PrometheusException.class)
                .hasMessage("load watcher at " + settings().address()
                        + "/watcher: HTTP status 503: starting (expected: 200 with an answer of load watcher)");
    }

    @Test
    void keepsThePathOfTheAddress() {
        start(exchange -> send(exchange, 200, vector()));
        Prometheus.connect(PrometheusSettings.of(settings().address() + "/behind/"))
                .query("up");

        assertThat(asked).containsExactly("POST /behind/api/v1/query query=up ");
    }

    @Test
    void readsARange() {
        Prometheus prometheus = answering(
                200,
                "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{\"a\":\"b\"},"
                        + "\"values\":[[1700000000,\"1\"],[1700000015,\"NaN\"]]}]}}");
        Instant start = Instant.ofEpochSecond(1700000000);

        assertThat(prometheus.queryRange("up", start, start.plusSeconds(20), Duration.ofSeconds(15)))
                .containsExactly(new Series(
                        Map.of("a", "b"), List.of(new Point(start, 1), new Point(start.plusSeconds(15), Double.NaN))));
        assertThat(asked)
                .containsExactly("POST /api/v1/query_range query=up&start=2023-11-14T22:13:20Z"
                        + "&end=2023-11-14T22:13:40Z&step=15.0 ");
    }

    record ErrorCase(String name, int status, String body, String expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<ErrorCase> errors() {
        return Stream.of(
                new ErrorCase(
                        "a query that does not parse",
                        400,
                        "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"invalid parameter\\n \\\"query\\\"\"}",
                        "bad_data: invalid parameter \"query\""),
                new ErrorCase(
                        "a query that takes too long there",
                        503,
                        "{\"status\":\"error\",\"errorType\":\"timeout\",\"error\":\"query timed out\"}",
                        "timeout: query timed out"),
                new ErrorCase(
                        "an HTML page",
                        502,
                        "<html>\n<h1>Bad Gateway</h1>",
                        "HTTP status 502: <html> <h1>Bad Gateway</h1> (expected: 200 with an answer of Prometheus)"),
                new ErrorCase(
                        "an empty response", 200, "", "HTTP status 200 (expected: 200 with an answer of Prometheus)"),
                new ErrorCase(
                        "JSON of another server",
                        200,
                        "{\"kind\":\"Status\"}",
                        "HTTP status 200: {\"kind\":\"Status\"} (expected: 200 with an answer of Prometheus)"),
                new ErrorCase(
                        "a range where a value is expected",
                        200,
                        "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}",
                        "the result is a matrix (expected: a vector or a scalar)"),
                new ErrorCase(
                        "a histogram",
                        200,
                        vector("{\"metric\":{},\"histogram\":[1700000000,{}]}"),
                        "a sample without a value (expected: one that is a number, not a histogram)"),
                new ErrorCase(
                        "a value that is none", 200, vector(sample("n", "x")), "value \"x\" (expected: a number)"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void saysWhatWentWrongInOneLine(ErrorCase error) {
        Prometheus prometheus = answering(error.status(), error.body());

        assertThatThrownBy(() -> prometheus.query("up"))
                .isInstanceOf(PrometheusException.class)
                .hasMessage("Prometheus at " + settings().address() + "/api/v1/query: " + error.expected());
    }

    @Test
    void namesTheTargetOfARedirection() {
        Prometheus prometheus = answering(exchange -> {
            exchange.getResponseHeaders().set("Location", "/login");
            send(exchange, 302, "");
        });

        assertThatThrownBy(() -> prometheus.query("up"))
                .hasMessageContaining("HTTP status 302 to /login (expected: 200");
    }

    @Test
    void reportsAClosedPort() {
        PrometheusSettings settings = settings();
        start(exchange -> send(exchange, 200, vector()));
        server.stop(0);

        assertThatThrownBy(() -> Prometheus.connect(settings).query("up"))
                .isInstanceOf(PrometheusException.class)
                .hasMessageEndingWith("/api/v1/query: connection refused");
    }

    @Test
    void timesOutIfTheServerDoesNotRespond() {
        start(exchange -> await());
        Prometheus prometheus = Prometheus.connect(settings().withTimeout(Duration.ofMillis(200)));

        assertThatThrownBy(() -> prometheus.query("up")).hasMessageEndingWith(": no answer within 200 ms");
    }

    @Test
    void timesOutIfTheResponseDoesNotEnd() {
        start(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
            await();
        });
        Prometheus prometheus = Prometheus.connect(settings().withTimeout(Duration.ofMillis(200)));

        assertThatThrownBy(() -> prometheus.query("up")).hasMessageEndingWith(": no answer within 200 ms");
    }

    private void await() {
        try {
            if (!released.await(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("the test did not end");
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void limitsTheSizeOfTheResponse() {
        start(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] part = new byte[1 << 20];
            for (int i = 0; i < 80; i++) {
                exchange.getResponseBody().write(part);
            }
        });
        Prometheus prometheus = Prometheus.connect(settings().withTimeout(Duration.ofSeconds(20)));

        assertThatThrownBy(() -> prometheus.query("up"))
                .hasMessageEndingWith("an answer of more than 67108864 bytes (expected: at most that)");
    }

    @Test
    void readsTheTokenAnewForEachQuery() throws IOException {
        Path token = Files.writeString(files.resolve("token"), "first\n");
        start(exchange -> send(exchange, 200, vector()));
        Prometheus prometheus = Prometheus.connect(settings().withBearerTokenFile(token));

        prometheus.query("up");
        Files.writeString(token, "second\n");
        prometheus.query("up");

        assertThat(asked)
                .containsExactly(
                        "POST /api/v1/query query=up Bearer first", "POST /api/v1/query query=up Bearer second");
    }

    @Test
    void asksAsAUser() throws IOException {
        Path password = Files.writeString(files.resolve("password"), "geheim\n");
        start(exchange -> send(exchange, 200, vector()));
        Prometheus.connect(settings().withBasicAuth("moorage", password)).query("up");

        String pair = Base64.getEncoder().encodeToString("moorage:geheim".getBytes(StandardCharsets.UTF_8));
        assertThat(asked).containsExactly("POST /api/v1/query query=up Basic " + pair);
    }

    @Test
    void saysThatATokenIsMissing() {
        Path token = files.resolve("absent");

        assertThatThrownBy(() -> Prometheus.connect(settings().withBearerTokenFile(token))
                        .query("up"))
                .isInstanceOf(PrometheusException.class)
                .hasMessageEndingWith("/api/v1/query: bearerTokenFile: " + token + " (no such file)");
    }

    @Test
    void trustsTheAuthoritiesOfAFileOnly() throws Exception {
        Path authority = secure();
        start(exchange -> send(exchange, 200, vector(sample("n", "1"))));

        assertThat(Prometheus.connect(settings().withCaFile(authority)).query("up"))
                .hasSize(1);
        assertThat(Prometheus.connect(settings().acceptingAnyCertificate()).query("up"))
                .hasSize(1);
        assertThatThrownBy(() -> Prometheus.connect(settings()).query("up"))
                .isInstanceOf(PrometheusException.class)
                .hasMessageContaining("/api/v1/query: TLS: ");
    }

    // A certificate for 127.0.0.1 that is its own authority, by the JDK's tool.
    private Path secure() throws Exception {
        Path store = files.resolve("server.p12");
        run(
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-ext",
                "san=ip:127.0.0.1",
                "-dname",
                "CN=stub",
                "-keyalg",
                "EC");
        Path authority = files.resolve("ca.crt");
        run("-exportcert", "-rfc", "-keystore", store.toString(), "-file", authority.toString());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream input = Files.newInputStream(store)) {
            keys.load(input, "changeit".toCharArray());
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, "changeit".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        server.stop(0);
        HttpsServer secure = HttpsServer.create(loopback(), 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(context));
        server = secure;
        return authority;
    }

    private static void run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storepass", "changeit", "-alias", "stub"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    @Test
    void saysThatAnAuthorityIsMissing() throws IOException {
        Path absent = files.resolve("absent");
        Path empty = Files.writeString(files.resolve("empty"), "");

        assertThatThrownBy(() -> Prometheus.connect(settings().withCaFile(absent)))
                .isInstanceOf(PrometheusException.class)
                .hasMessage("caFile: " + absent + " (no such file)");
        assertThatThrownBy(() -> Prometheus.connect(settings().withCaFile(empty)))
                .isInstanceOf(PrometheusException.class)
                .hasMessage("caFile: " + empty + " has no certificate (expected: PEM)");
    }

    static Stream<String> unusableAddresses() {
        return Stream.of("10.0.0.4:9090", "ftp://10.0.0.4", "http://", "http://a b", "http://a/?x=1", "");
    }

    @ParameterizedTest
    @MethodSource("unusableAddresses")
    void refusesAnAddressThatIsNone(String address) {
        assertThatThrownBy(() -> PrometheusSettings.of(address))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("address: \"" + address + "\" (expected: a URL such as http://10.0.0.4:9090)");
    }

    @Test
    void doesNotLogThePasswordOfAnAddress() {
        assertThatThrownBy(() -> PrometheusSettings.of("http://user:geheim@10.0.0.4:9090"))
                .hasMessage("address: names a user (expected: one without; there is basicAuth for it)");
    }
}
