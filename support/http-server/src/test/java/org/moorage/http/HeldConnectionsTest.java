// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * More connections than a server has places for, all held in one state: health is answered on a new connection, without
 * waiting for any.
 */
@Timeout(120)
class HeldConnectionsTest {
    private static final int HELD = 1100;
    private static final int MOST_THREADS = 16;
    private static final int HELD_AND_WAITING = MOST_THREADS + 256;
    // Longer than the test: no connection is closed because its time is up.
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n";

    private final List<Socket> sockets = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Semaphore reading = new Semaphore(0);
    private Optional<HttpServer> running = Optional.empty();

    @AfterEach
    void close() throws IOException {
        release.countDown();
        for (Socket socket : sockets) {
            socket.close();
        }
        running.ifPresent(HttpServer::close);
    }

    private enum Held {
        NOTHING_SENT("", 0),
        PART_OF_A_HEAD("GET / HTTP/1.1\r\nX: ", 0),
        BODY_LATE("POST /echo" + HOST + "Content-Length: 1\r\n\r\n", 0),
        CHUNKED_BODY_LATE("POST /echo" + HOST + "Transfer-Encoding: chunked\r\n\r\n5\r\nab", 0),
        BODY_LATE_FOR_HEALTH("POST /health" + HOST + "Content-Length: 1\r\n\r\n", 0),
        BODY_AWAITED_BY_A_THREAD("POST /echo" + HOST + "Content-Length: 100000\r\n\r\n" + "b".repeat(80_000), 0),
        BODY_AFTER_CONTINUE("POST /echo" + HOST + "Content-Length: 1\r\nExpect: 100-continue\r\n\r\n", 8),
        ANSWER_IN_WORK("GET /slow" + HOST + "\r\n", 0, false),
        RESPONSE_NOT_TAKEN("GET /large" + HOST + "\r\n", 0, false),
        RESPONSES_NOT_TAKEN(("GET /health" + HOST + "\r\n").repeat(1500), 0),
        RESPONSE_BEFORE_THE_END("POST /deny" + HOST + "Content-Length: 1000\r\n\r\nb", 8),
        IDLE_AFTER_A_RESPONSE("GET /" + HOST + "\r\n", 8),
        HEAD_AFTER_A_RESPONSE("GET /" + HOST + "\r\nGET / HTTP/1.1\r\n", 8),
        PIPELINED_BEHIND_AN_ANSWER_IN_WORK(("GET /slow" + HOST + "\r\n").repeat(500), 0, false);

        private final String sent;
        private final int read;
        private final boolean leavesThreads;

        Held(String sent, int read) {
            this(sent, read, true);
        }

        /**
         * A state.
         *
         * @param sent what a client sends to get there
         * @param read how many bytes of the response it reads to know that it is there
         * @param leavesThreads whether other requests than those for health find a thread
         */
        Held(String sent, int read, boolean leavesThreads) {
            this.sent = sent;
            this.read = read;
            this.leavesThreads = leavesThreads;
        }
    }

    private final class Pages implements Handler {
        @Override
        public boolean isHealth(Request request) {
            return request.path().equals("/health");
        }

        @Override
        public HandlerResult answer(Request request) throws IOException {
            return switch (request.path()) {
                case "/echo" ->
                    new ReadBody(200_000, LONG, body -> {
                        reading.release();
                        return response(200, body.readAllBytes());
                    });
                case "/slow" -> {
                    try {
                        release.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                    yield response(200, new byte[0]);
                }
                case "/large" -> response(200, new byte[16 << 20]);
                case "/deny" -> response(401, new byte[0]);
                default -> response(200, "ok".getBytes(US_ASCII));
            };
        }

        @Override
        public void failed(Request request, Throwable thrown) {}

        @Override
        public void overloaded(Overload overload) {}

        private static Response response(int status, byte[] body) {
            return Response.of(status, Map.of(), body);
        }
    }

    private HttpServer serve() throws IOException {
        HttpServer server = HttpServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new HttpServer.Settings(
                        Optional.empty(),
                        new HttpServer.Limits(HttpServer.Limits.DEFAULTS.mostConnections(), LONG, LONG, LONG),
                        MOST_THREADS,
                        InstantSource.system(),
                        Executors.defaultThreadFactory()),
                new Pages());
        running = Optional.of(server);
        server.start();
        return server;
    }

    private void hold(HttpServer server, Held held) {
        try {
            Socket socket =
                    new Socket(server.address().getAddress(), server.address().getPort());
            sockets.add(socket);
            socket.getOutputStream().write(held.sent.getBytes(US_ASCII));
            int ignored = socket.getInputStream().readNBytes(held.read).length;
        } catch (IOException closed) {
            // To give its place to another one.
        }
    }

    private static String ask(HttpServer server, String path) throws IOException {
        return ask(server.address(), path);
    }

    private static String ask(InetSocketAddress address, String path) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(("GET " + path + HOST + "Connection: close\r\n\r\n").getBytes(US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), US_ASCII);
        }
    }

    @ParameterizedTest
    @EnumSource
    void healthIsAnsweredNextToConnectionsThatAreHeld(Held held) throws IOException {
        HttpServer server = serve();
        for (int i = 0; i < HELD; i++) {
            hold(server, held);
        }

        assertThat(ask(server, "/health")).startsWith("HTTP/1.1 200").endsWith("ok");
        if (held.leavesThreads) {
            assertThat(ask(server, "/other")).startsWith("HTTP/1.1 200").endsWith("ok");
        }
        Overload overload = server.overload();
        // After a response before the end of its request, a connection is closed soon anyway.
        boolean isOpenForLong = held != Held.RESPONSE_BEFORE_THE_END && held != Held.BODY_LATE_FOR_HEALTH;
        assertThat(overload.isNone() && isOpenForLong).isFalse();
    }

    @Test
    void refusesRequestsThatTooManyOthersAreAheadOf() throws IOException {
        HttpServer server = serve();
        for (int i = 0; i < HELD_AND_WAITING; i++) {
            hold(server, Held.ANSWER_IN_WORK);
        }

        assertThat(ask(server, "/slow")).startsWith("HTTP/1.1 503").contains("retry-after: 1");
        release.countDown();
        assertThat(sockets.get(HELD_AND_WAITING - 1).getInputStream().readNBytes(12))
                .asString(US_ASCII)
                .isEqualTo("HTTP/1.1 200");
        assertThat(ask(server, "/slow")).startsWith("HTTP/1.1 200");
    }

    @Test
    void disconnectsClientsThatKeepThreadsWaitingWhileOthersNeedThem() throws IOException, InterruptedException {
        HttpServer server = serve();
        for (int i = 0; i < MOST_THREADS; i++) {
            hold(server, Held.BODY_AWAITED_BY_A_THREAD);
        }
        reading.acquire(MOST_THREADS);

        assertThat(ask(server, "/other")).startsWith("HTTP/1.1 200");
        assertThat(server.overload().slowClients()).isPositive();
    }

    @Test
    void acceptsConnectionsAgainAfterItHasRunOutOfFileDescriptors() throws Exception {
        // The limit of connections is half of that of files, so that several servers in one process come to the latter
        // first.
        try (FewFiles few = FewFiles.start(3)) {
            for (int i = 0; i < 400; i++) {
                InetSocketAddress address = few.addresses.get(i % few.addresses.size());
                sockets.add(new Socket(address.getAddress(), address.getPort()));
            }

            for (InetSocketAddress address : few.addresses) {
                assertThat(ask(address, "/health")).startsWith("HTTP/1.1 200");
            }
        }
    }

    @Test
    void answersOnTheLastFileDescriptor() throws Exception {
        try (FewFiles few = FewFiles.start(1)) {
            few.leaveOneFile();

            assertThat(ask(few.addresses.get(0), "/health")).startsWith("HTTP/1.1 200");
        }
    }

    /** Servers in another process, which may have few files open. */
    static final class FewFiles implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;
        private final List<InetSocketAddress> addresses = new ArrayList<>();

        private FewFiles(Process process) {
            this.process = process;
            out = process.inputReader();
        }

        static FewFiles start(int servers) throws IOException {
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            FewFiles started = new FewFiles(new ProcessBuilder(
                            "sh",
                            "-c",
                            "ulimit -n 200; exec \"$0\" -cp \"$1\" \"$2\" \"$3\"",
                            java,
                            System.getProperty("java.class.path"),
                            Program.class.getName(),
                            Integer.toString(servers))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
            for (int i = 0; i < servers; i++) {
                InetSocketAddress address = new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(started.out.readLine()));
                started.addresses.add(address);
                // As a first probe does. The JVM opens files to load the classes that it needs for the first answer.
                assertThat(ask(address, "/health")).startsWith("HTTP/1.1 200");
            }
            return started;
        }

        /** Makes the process open files until it may open only one more. */
        void leaveOneFile() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            assertThat(out.readLine()).isEqualTo("one left");
        }

        @Override
        public void close() {
            process.destroy();
        }

        /** The other process. */
        static final class Program {
            private Program() {}

            @SuppressWarnings("SystemOut") // the test reads it
            public static void main(String[] args) throws IOException {
                HeldConnectionsTest test = new HeldConnectionsTest();
                for (int i = 0; i < Integer.parseInt(args[0]); i++) {
                    System.out.println(test.serve().address().getPort());
                }
                if (System.in.read() >= 0) {
                    openAllButOne();
                    System.out.println("one left");
                }
            }

            private static void openAllButOne() throws IOException {
                List<InputStream> open = new ArrayList<>();
                try {
                    while (true) {
                        open.add(new FileInputStream("/dev/null"));
                    }
                } catch (FileNotFoundException noneLeft) {
                    open.get(0).close();
                }
            }
        }
    }
}
