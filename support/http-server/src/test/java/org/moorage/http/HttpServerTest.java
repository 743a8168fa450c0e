// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server under untrusted clients, over sockets. */
@Timeout(60)
class HttpServerTest {
    private static final String CLOSE = "Host: localhost\r\nConnection: close\r\n\r\n";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final HttpServer.Limits PATIENT = new HttpServer.Limits(100, LONG, LONG, LONG);

    private final List<Socket> sockets = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private Optional<HttpServer> running = Optional.empty();

    @AfterEach
    void close() throws IOException {
        release.countDown();
        for (Socket socket : sockets) {
            socket.close();
        }
        running.ifPresent(HttpServer::close);
    }

    /** Answers health, returns bodies, waits to be released, fails. */
    private final class Pages implements Handler {
        @Override
        public boolean isHealth(Request request) {
            return request.path().equals("/health");
        }

        @Override
        public HandlerResult answer(Request request) throws IOException {
            return switch (request.path()) {
                case "/echo" ->
                    new ReadBody(100_000, LONG, body -> text(200, new String(body.readAllBytes(), US_ASCII)));
                case "/slow" -> {
                    try {
                        release.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                    yield text(200, "slow");
                }
                case "/deny" -> text(401, "no");
                case "/fail" -> throw new IllegalStateException("bad");
                default -> text(200, "ok");
            };
        }

        @Override
        public void failed(Request request, Throwable thrown) {
            assertThat(thrown).hasMessage("bad");
        }

        @Override
        public void overloaded(Overload overload) {}

        private static Response text(int status, String body) {
            return Response.of(status, Map.of("Content-Type", "text/plain"), body.getBytes(US_ASCII));
        }
    }

    private HttpServer serve(HttpServer.Limits limits) throws IOException {
        return serve(limits, InstantSource.system());
    }

    private HttpServer serve(HttpServer.Limits limits, InstantSource clock) throws IOException {
        HttpServer server = HttpServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new HttpServer.Settings(Optional.empty(), limits, 2, clock, Executors.defaultThreadFactory()),
                new Pages());
        running = Optional.of(server);
        server.start();
        return server;
    }

    private Socket send(HttpServer server, String text) throws IOException {
        Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort());
        sockets.add(socket);
        socket.getOutputStream().write(text.getBytes(US_ASCII));
        return socket;
    }

    private String ask(HttpServer server, String text) throws IOException {
        return new String(send(server, text).getInputStream().readAllBytes(), US_ASCII);
    }

    @Test
    void answersHealthWhileRequestsHoldAllThreads() throws IOException {
        HttpServer server = serve(PATIENT);
        for (int i = 0; i < 10; i++) {
            send(server, "GET /slow HTTP/1.1\r\n" + CLOSE);
        }

        assertThat(ask(server, "GET /health HTTP/1.1\r\n" + CLOSE))
                .startsWith("HTTP/1.1 200")
                .endsWith("ok");
    }

    @Test
    void closesAConnectionWhoseHeadIsNotThereInTimeHoweverOftenAByteComes() throws IOException {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        HttpServer server = serve(new HttpServer.Limits(100, Duration.ofSeconds(5), LONG, LONG), now::get);
        Socket socket = send(server, "GET / HTTP/1.1\r\nX-A: ");
        for (int second = 1; second <= 5; second++) {
            // Connections are accepted in the order in which they come.
            assertThat(ask(server, "GET / HTTP/1.1\r\n" + CLOSE)).endsWith("ok");
            now.set(Instant.EPOCH.plusSeconds(second));
            socket.getOutputStream().write('a');
        }

        now.set(Instant.EPOCH.plusSeconds(5).plusMillis(1));

        assertThat(isClosed(socket)).isTrue();
    }

    @Test
    void answersARequestWhoseHeadIsCompleteInTime() throws IOException {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        HttpServer server = serve(new HttpServer.Limits(100, Duration.ofSeconds(5), LONG, LONG), now::get);
        Socket socket = send(server, "GET / HTTP/1.1\r\n");
        assertThat(ask(server, "GET / HTTP/1.1\r\n" + CLOSE)).endsWith("ok");
        now.set(Instant.EPOCH.plusSeconds(5));

        socket.getOutputStream().write(CLOSE.getBytes(US_ASCII));

        assertThat(socket.getInputStream().readAllBytes()).asString(US_ASCII).endsWith("ok");
    }

    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void closesTheConnectionThatHasSentNothingForLongestForANewOne() throws IOException {
        HttpServer server = serve(PATIENT);
        for (int i = 0; i < 300; i++) {
            send(server, "");
        }

        assertThat(ask(server, "GET / HTTP/1.1\r\n" + CLOSE)).endsWith("ok");
        assertThat(sockets.get(0).getInputStream().read()).isNegative();
    }

    @Test
    void refusesByTheHead() throws IOException {
        HttpServer server = serve(PATIENT);

        assertThat(ask(server, "PUT /deny HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"))
                .startsWith("HTTP/1.1 401")
                .endsWith("no");
        assertThat(ask(server, "PUT /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100001\r\n\r\n"))
                .startsWith("HTTP/1.1 413");
        assertThat(ask(server, "GET / HTTP/1.1\r\nX: " + "x".repeat(40_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431");
        assertThat(ask(server, "nonsense\r\n\r\n")).startsWith("HTTP/1.1 400");
    }

    @Test
    void sendsItsResponseToAClientThatReadsOnlyAfterItsWholeBody() throws IOException {
        HttpServer server = serve(PATIENT);
        String body = "b".repeat(16 << 20);
        String chunk = "100000\r\n" + body.substring(0, 1 << 20) + "\r\n";

        assertThat(ask(
                        server,
                        "PUT /deny HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n\r\n"
                                + body))
                .startsWith("HTTP/1.1 401")
                .endsWith("no");
        assertThat(ask(
                        server,
                        "PUT /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n\r\n"
                                + body))
                .startsWith("HTTP/1.1 413");
        assertThat(ask(
                        server,
                        "PUT /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.repeat(16)
                                + "0\r\n\r\n"))
                .startsWith("HTTP/1.1 413");
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "LOCALHOST:8181, 200",
        "127.0.0.1, 200",
        "127.0.0.1:8181, 200",
        "127.1.2.3, 200",
        "[::1]:80, 200",
        "[0:0:0:0:0:0:0:1], 200",
        "evil.example, 421",
        "evil.example:8181, 421",
        "localhost.evil.example, 421",
        "127.0.0.1.evil.example, 421",
        "127.0.0.1@evil.example, 421",
        "10.0.0.1, 421",
        "[::2], 421",
        "'', 421"
    })
    void answersOnlyRequestsForThisMachineOnALoopbackAddress(String host, int status) throws IOException {
        HttpServer server = serve(PATIENT);
        String end = "Connection: close\r\n\r\n";

        assertThat(ask(server, "GET / HTTP/1.1\r\nHost: " + host + "\r\n" + end))
                .startsWith("HTTP/1.1 " + status);
        assertThat(ask(server, "GET http://" + host + "/ HTTP/1.1\r\nHost: localhost\r\n" + end))
                .startsWith("HTTP/1.1 " + (host.isEmpty() ? 200 : status));
        assertThat(ask(server, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: " + host + "\r\n" + end))
                .startsWith("HTTP/1.1 " + status);
    }

    @Test
    void answersARequestThatNamesNoHost() throws IOException {
        assertThat(ask(serve(PATIENT), "GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200");
    }

    @Test
    void answersWhatFailsWith500AndLivesOn() throws IOException {
        HttpServer server = serve(PATIENT);

        assertThat(ask(server, "GET /fail HTTP/1.1\r\n" + CLOSE)).startsWith("HTTP/1.1 500");
        assertThat(ask(server, "GET / HTTP/1.1\r\n" + CLOSE)).endsWith("ok");
    }

    @Test
    void readsBodiesAndTakesSeveralRequestsOnAConnection() throws IOException {
        HttpServer server = serve(PATIENT);
        String body = "b".repeat(100_000);

        assertThat(ask(
                        server,
                        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + body
                                + "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                                + "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\n" + CLOSE))
                .contains(body, "\r\n\r\nabcHTTP/1.1 200")
                .endsWith("ok");
    }
}
