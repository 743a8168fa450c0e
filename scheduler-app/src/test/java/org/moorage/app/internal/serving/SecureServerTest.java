// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Security;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import okhttp3.OkHttpClient;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ObjectFields;
import org.moorage.app.internal.process.CommandException;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.RequestMetrics;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;
import picocli.CommandLine;

/** The server with an API server that knows one token, and allows its user to read metrics. */
class SecureServerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TestKeys CLIENTS = TestKeys.authority("CN=clients");
    private static final TestKeys PROXIES = TestKeys.authority("CN=proxies");
    private static final TestKeys OTHERS = TestKeys.authority("CN=others");

    @TempDir
    private Path folder;

    private final FakeApiServer api = FakeApiServer.start();
    private final List<String> reviews = new CopyOnWriteArrayList<>();
    private final CountDownLatch releaseReviews = new CountDownLatch(1);
    private final List<SecureServer> servers = new ArrayList<>();
    private volatile Instant now = Instant.now();

    @BeforeEach
    void prepareApiServer() {
        api.put(JSON.createObjectNode()
                .put("apiVersion", "v1")
                .put("kind", "ConfigMap")
                .<ObjectNode>set(
                        "metadata",
                        JSON.createObjectNode()
                                .put("name", "extension-apiserver-authentication")
                                .put("namespace", "kube-system"))
                .set(
                        "data",
                        JSON.createObjectNode()
                                .put("client-ca-file", CLIENTS.certificatePem())
                                .put("requestheader-client-ca-file", PROXIES.certificatePem())
                                .put("requestheader-allowed-names", "[\"front\"]")
                                .put("requestheader-username-headers", "[\"X-Remote-User\"]")
                                .put("requestheader-group-headers", "[\"X-Remote-Group\"]"))
                .toString());
        api.on("POST", "/apis/authentication.k8s.io/v1/tokenreviews", this::reviewToken);
        api.on("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", this::reviewAccess);
    }

    @AfterEach
    void stop() {
        releaseReviews.countDown();
        servers.forEach(SecureServer::close);
        api.close();
    }

    private Response reviewToken(Request request) {
        String token = request.fields().string("spec", "token").orElse("");
        reviews.add("token " + token);
        Response response = Response.of(
                201,
                token.equals("good")
                        ? "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"reader\",\"groups\":[\"g\"]}}}"
                        : "{\"status\":{\"authenticated\":false}}");
        return token.equals("held") ? response.after(releaseReviews) : response;
    }

    private Response reviewAccess(Request request) {
        ObjectFields spec = request.fields().object("spec");
        String access = spec.string("user").orElse("") + " " + spec.strings("groups") + " "
                + spec.string("nonResourceAttributes", "verb").orElse("") + " "
                + spec.string("nonResourceAttributes", "path").orElse("");
        reviews.add(access);
        boolean isAllowed = access.startsWith("reader ") && access.endsWith(" get /metrics");
        return Response.of(201, "{\"status\":{\"allowed\":" + isAllowed + "}}");
    }

    private SecureServer serve(String... flags) {
        ServingOptions options = new ServingOptions();
        CommandLine line = new CommandLine(new Flags(options));
        List<String> all = new ArrayList<>(List.of("--bind-address=127.0.0.1"));
        if (Stream.of(flags).noneMatch(flag -> flag.startsWith("--secure-port="))) {
            all.add("--secure-port=0");
        }
        all.addAll(List.of(flags));
        line.parseArgs(all.toArray(String[]::new));
        InstantSource clock = () -> now;
        ApiRequests requests =
                new ApiRequests(new ApiClient(api.address(), new OkHttpClient()), clock, RequestMetrics.NONE);
        SecureServer server =
                SecureServer.listen(options, "test", requests, requests, clock, Executors.defaultThreadFactory());
        servers.add(server);
        server.health("healthz", List.of());
        server.health(
                "readyz",
                List.of(
                        new HealthCheck("leaderElection", Optional::empty),
                        new HealthCheck("shutdown", () -> Optional.of("process is shutting down"))));
        server.page("/metrics", query -> Reply.text(200, "m 1\n"));
        server.start();
        return server;
    }

    @CommandLine.Command
    private static final class Flags implements Runnable {
        @CommandLine.Mixin
        @SuppressWarnings("unused") // picocli acts on the annotation
        private final ServingOptions options;

        Flags(ServingOptions options) {
            this.options = options;
        }

        @Override
        public void run() {}
    }

    private final List<X509Certificate> seen = new CopyOnWriteArrayList<>();

    private HttpClient client(KeyManager... keys) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(trusting(keys))
                .build();
    }

    private SSLContext trusting(KeyManager... keys) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {new Trusting()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Trusts every server, and remembers whom. */
    private final class Trusting extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
            seen.add(chain[0]);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
            seen.add(chain[0]);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            seen.add(chain[0]);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private static HttpResponse<String> get(HttpClient client, SecureServer server, String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + path))
                .timeout(Duration.ofSeconds(20));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /**
     * A request, and what is answered.
     *
     * @param name a sentence
     * @param subject the subject of the client's certificate; empty if it has none
     * @param authority who signed it
     * @param path what is asked for
     * @param headers the request's headers
     * @param code the answer's code
     * @param body the answer's body
     */
    private record Case(
            String name, String subject, TestKeys authority, String path, List<String> headers, int code, String body) {
        Case(String name, String path, List<String> headers, int code, String body) {
            this(name, "", CLIENTS, path, headers, code, body);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static String status(String message, String reason, int code) {
        return "{\n  \"kind\" : \"Status\",\n  \"apiVersion\" : \"v1\",\n  \"metadata\" : { },\n  \"status\" : \"Failure\",\n"
                + "  \"message\" : \"" + message.replace("\"", "\\\"") + "\",\n  \"reason\" : \"" + reason + "\",\n"
                + (code == 403 ? "  \"details\" : { },\n" : "") + "  \"code\" : " + code + "\n}";
    }

    private static String forbidden(String user, String path) {
        return status("forbidden: User \"" + user + "\" cannot get path \"" + path + "\"", "Forbidden", 403);
    }

    static Stream<Case> cases() {
        List<String> none = List.of();
        List<String> good = List.of("Authorization", "Bearer good");
        String unauthorized = status("Unauthorized", "Unauthorized", 401);
        return Stream.of(
                new Case("health needs no authorization", "/healthz", none, 200, "ok"),
                new Case("health can be verbose", "/healthz?verbose", none, 200, "[+]ping ok\nhealthz check passed\n"),
                new Case(
                        "a check that fails withholds its reason from all",
                        "/readyz",
                        none,
                        500,
                        "[+]leaderElection ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n"),
                new Case(
                        "checks can be excluded",
                        "/readyz?verbose&exclude=shutdown&exclude=nope",
                        none,
                        200,
                        "[+]leaderElection ok\n[+]shutdown excluded: ok\n"
                                + "warn: some health checks cannot be excluded: no matches for \"nope\"\n"
                                + "readyz check passed\n"),
                new Case(
                        "a single check needs authorization",
                        "/readyz/shutdown",
                        none,
                        403,
                        forbidden("system:anonymous", "/readyz/shutdown")),
                new Case(
                        "metrics need authorization", "/metrics", none, 403, forbidden("system:anonymous", "/metrics")),
                new Case("who has a token and a permission may", "/metrics", good, 200, "m 1\n"),
                new Case("a permission is for a path", "/other", good, 403, forbidden("reader", "/other")),
                new Case(
                        "a token that the API server does not know is rejected",
                        "/healthz",
                        List.of("Authorization", "Bearer bad"),
                        401,
                        unauthorized),
                new Case(
                        "a certificate of the clients' authority names its user",
                        "CN=joe,O=dev",
                        CLIENTS,
                        "/metrics",
                        none,
                        403,
                        forbidden("joe", "/metrics")),
                new Case(
                        "a certificate of system:masters may all",
                        "CN=admin,O=system:masters",
                        CLIENTS,
                        "/readyz/shutdown",
                        none,
                        500,
                        "internal server error: process is shutting down\n"),
                new Case(
                        "what is not there is not found",
                        "CN=admin,O=system:masters",
                        CLIENTS,
                        "/readyz/nope",
                        none,
                        404,
                        "404 page not found\n"),
                new Case(
                        "a certificate of another authority is ignored",
                        "CN=admin,O=system:masters",
                        OTHERS,
                        "/metrics",
                        none,
                        401,
                        unauthorized),
                new Case(
                        "a token counts in addition to such a certificate",
                        "CN=admin,O=system:masters",
                        OTHERS,
                        "/metrics",
                        good,
                        200,
                        "m 1\n"),
                new Case(
                        "a proxy names the user in a header",
                        "CN=front",
                        PROXIES,
                        "/metrics",
                        List.of("X-Remote-User", "reader", "X-Remote-Group", "h"),
                        200,
                        "m 1\n"),
                new Case(
                        "not every certificate of the proxies' authority is a proxy's",
                        "CN=back",
                        PROXIES,
                        "/metrics",
                        List.of("X-Remote-User", "reader"),
                        401,
                        unauthorized),
                new Case(
                        "such headers of others mean nothing",
                        "/metrics",
                        List.of("X-Remote-User", "reader"),
                        403,
                        forbidden("system:anonymous", "/metrics")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answers(Case test) {
        SecureServer server = serve();
        HttpClient client = test.subject().isEmpty()
                ? client()
                : client(test.authority().sign(test.subject()).managers());

        HttpResponse<String> response =
                get(client, server, test.path(), test.headers().toArray(String[]::new));

        assertThat(response.body()).isEqualTo(test.body());
        assertThat(response.statusCode()).isEqualTo(test.code());
        assertThat(response.headers().firstValue("cache-control")).contains("no-cache, private");
    }

    @Test
    void asksTheApiServerOnceForWhatItHasJustSaid() {
        SecureServer server = serve();
        HttpClient client = client();
        for (int i = 0; i < 3; i++) {
            get(client, server, "/metrics", "Authorization", "Bearer good");
            get(client, server, "/metrics");
        }
        assertThat(reviews)
                .containsExactlyInAnyOrder(
                        "token good",
                        "reader [g, system:authenticated] get /metrics",
                        "system:anonymous [system:unauthenticated] get /metrics");
    }

    @Test
    void refusesWhatItCannotAskAbout() {
        SecureServer server = serve("--authentication-skip-lookup");
        api.stop();

        assertThat(get(client(), server, "/metrics", "Authorization", "Bearer good")
                        .statusCode())
                .isEqualTo(401);
        assertThat(get(client(), server, "/metrics").statusCode()).isEqualTo(403);
        assertThat(get(client(), server, "/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void servesANewCertificateWithoutARestart() throws IOException {
        // As the client of the API server does.
        Security.addProvider(new BouncyCastleProvider());
        TestKeys first = CLIENTS.sign("CN=first");
        TestKeys second = CLIENTS.sign("CN=second");
        Path cert = first.writeCertificate(folder.resolve("tls.crt"));
        Path key = first.writeKey(folder.resolve("tls.key"));
        SecureServer server = serve("--tls-cert-file=" + cert, "--tls-private-key-file=" + key);

        get(client(), server, "/healthz");
        second.writeCertificate(cert);
        second.writeKey(key);
        now = now.plusSeconds(11);
        get(client(), server, "/healthz");

        assertThat(seen).containsExactly(first.certificate(), second.certificate());
    }

    @Test
    void servesTheCertificateOfBeforeUntilItsNewKeyIsThereToo() throws IOException {
        TestKeys first = CLIENTS.sign("CN=first");
        TestKeys second = CLIENTS.sign("CN=second");
        Path cert = first.writeCertificate(folder.resolve("tls.crt"));
        Path key = first.writeKey(folder.resolve("tls.key"));
        SecureServer server = serve("--tls-cert-file=" + cert, "--tls-private-key-file=" + key);

        second.writeCertificate(cert);
        now = now.plusSeconds(11);
        get(client(), server, "/healthz");
        second.writeKey(key);
        now = now.plusSeconds(11);
        get(client(), server, "/healthz");

        assertThat(seen).containsExactly(first.certificate(), second.certificate());
    }

    @Test
    void namesTheFileThatCannotBeUsed() throws IOException {
        TestKeys own = CLIENTS.sign("CN=own");
        Path cert = own.writeCertificate(folder.resolve("tls.crt"));

        assertThatThrownBy(() -> serve("--tls-cert-file=" + cert, "--tls-private-key-file=" + cert))
                .isInstanceOf(CommandException.class)
                .hasMessage("--tls-private-key-file: \"" + cert
                        + "\": not usable (expected: a private key in PEM): no private key");
        assertThatThrownBy(() -> serve("--client-ca-file=/nowhere/ca.crt"))
                .isInstanceOf(CommandException.class)
                .hasMessage("--client-ca-file: \"/nowhere/ca.crt\": no such file (expected: a readable file)");
    }

    @Test
    void speaksOnlyTheConfiguredVersions() {
        SecureServer server = serve("--tls-min-version=VersionTLS13");

        assertThat(get(client(), server, "/healthz").sslSession().orElseThrow().getProtocol())
                .isEqualTo("TLSv1.3");
    }

    /** A command line that is refused. */
    private record Refused(List<String> flags, String message) {}

    static Stream<Refused> refused() {
        return Stream.of(
                new Refused(List.of("--secure-port=70000"), "--secure-port: 70000 (expected: 0 to 65535)"),
                new Refused(
                        List.of("--tls-min-version=VersionTLS9"),
                        "--tls-min-version: \"VersionTLS9\" (expected: VersionTLS12 or VersionTLS13)"),
                new Refused(
                        List.of("--tls-cipher-suites=NULL"),
                        "--tls-cipher-suites: \"NULL\" (expected: names such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256)"),
                new Refused(
                        List.of("--tls-cert-file=x"),
                        "--tls-cert-file and --tls-private-key-file: one of them is set (expected: both or none)"),
                new Refused(
                        List.of("--authorization-webhook-cache-authorized-ttl=ten"),
                        "--authorization-webhook-cache-authorized-ttl: \"ten\" (expected: a duration such as 10s)"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesFlagsThatMakeNoSense(Refused test) {
        assertThatThrownBy(() -> serve(test.flags().toArray(String[]::new)))
                .isInstanceOf(CommandException.class)
                .hasMessage(test.message());
    }

    @Test
    void refusesAPortThatIsTaken() {
        int port = serve().port();

        assertThatThrownBy(() -> serve("--secure-port=" + port))
                .isInstanceOf(CommandException.class)
                .hasMessage("failed to create listener: failed to listen on 127.0.0.1:" + port
                        + ": Address already in use (expected: a free --secure-port, or 0 to serve nothing)");
    }

    @Test
    void listsItsPages() {
        assertThat(serve().paths()).isEqualTo(Arrays.asList("/healthz", "/metrics", "/readyz"));
    }

    private enum Held {
        PART_OF_A_HANDSHAKE(1100, Optional.empty()),
        NOTHING_AFTER_THE_HANDSHAKE(50, Optional.of("")),
        BODY_LATE(50, Optional.of("POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")),
        TOKEN_IN_REVIEW(50, Optional.of("GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer held\r\n\r\n")),
        RESPONSES_NOT_TAKEN(50, Optional.of("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(200)));

        private final int count;
        private final Optional<String> sent;

        /**
         * A state.
         *
         * @param count how many connections are held: handshakes take long, and the server's own tests hold more
         *     without them
         * @param sent what a client sends after its handshake; empty if it does not finish that
         */
        Held(int count, Optional<String> sent) {
            this.count = count;
            this.sent = sent;
        }
    }

    /** Many connections that clients without credentials hold in one state. */
    @ParameterizedTest
    @EnumSource
    @Timeout(300)
    void answersHealthNextToConnectionsThatAreHeld(Held held) throws IOException {
        SecureServer server = serve();
        HttpClient probe = client();
        List<Socket> sockets = new ArrayList<>();
        try {
            SSLSocketFactory tls = trusting().getSocketFactory();
            for (int i = 0; i < held.count; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                sockets.add(socket);
                hold(socket, tls, held);
            }

            assertThat(get(probe, server, "/healthz").body()).isEqualTo("ok");
        } finally {
            releaseReviews.countDown();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static void hold(Socket socket, SSLSocketFactory tls, Held held) {
        try {
            if (held.sent.isEmpty()) {
                socket.getOutputStream().write(0x16);
            } else {
                SSLSocket secure = (SSLSocket) tls.createSocket(socket, "localhost", socket.getPort(), false);
                secure.startHandshake();
                secure.getOutputStream().write(held.sent.get().getBytes(UTF_8));
            }
        } catch (IOException closed) {
            // To give its place to another one.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "OTHER"})
    void refusesMethodsThatAPageDoesNotHave(String method) throws IOException, InterruptedException {
        SecureServer server = serve();
        HttpClient admin = client(CLIENTS.sign("CN=admin,O=system:masters").managers());
        for (String path : List.of("/healthz", "/metrics", "/other")) {
            HttpResponse<String> response = admin.send(
                    HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + path))
                            .method(method, HttpRequest.BodyPublishers.ofString("body"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(path.equals("/other") ? 404 : 405);
            assertThat(response.headers().firstValue("Allow"))
                    .isEqualTo(path.equals("/other") ? Optional.empty() : Optional.of("GET, HEAD"));
        }
    }

    @Test
    @Timeout(60)
    void refusesASecondHandshakeOnAConnection() throws IOException {
        SecureServer server = serve();
        SSLSocketFactory tls = trusting().getSocketFactory();
        for (int i = 0; i < 2; i++) {
            try (SSLSocket socket = (SSLSocket) tls.createSocket(InetAddress.getLoopbackAddress(), server.port())) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                assertThat(healthOver(socket)).startsWith("HTTP/1.1 200");

                assertThatThrownBy(() -> {
                            socket.startHandshake();
                            throw new AssertionError(healthOver(socket));
                        })
                        .isInstanceOf(IOException.class);
            }
        }
    }

    private static String healthOver(SSLSocket socket) throws IOException {
        socket.getOutputStream().write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
        StringBuilder text = new StringBuilder();
        while (!text.toString().endsWith("\r\n\r\nok")) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new EOFException(text.toString());
            }
            text.append((char) next);
        }
        return text.toString();
    }
}
