// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.plugin.cluster.ClusterException;

/** Connections of HTTP/1.1 that swallow what is sent. */
@Timeout(60)
final class DeadConnectionsTest {
    private static final int CONNECTIONS = 4;
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".getBytes(StandardCharsets.US_ASCII);

    /** Answers each request; the connections that it has so far can be frozen. */
    private static final class FreezingServer implements AutoCloseable {
        private final ServerSocket socket;
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final AtomicInteger frozen = new AtomicInteger();
        private final AtomicInteger accepted = new AtomicInteger();
        /** Holds the first requests until all are there, so that each uses a separate connection. */
        private final CyclicBarrier together = new CyclicBarrier(CONNECTIONS);

        FreezingServer() throws IOException {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            threads.execute(this::accept);
        }

        String address() {
            return "http://127.0.0.1:" + socket.getLocalPort();
        }

        void freeze() {
            frozen.set(accepted.get());
        }

        private void accept() {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    int number = accepted.incrementAndGet();
                    threads.execute(() -> serve(client, number));
                } catch (IOException closed) {
                    return;
                }
            }
        }

        private void serve(Socket client, int number) {
            try (client;
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.isEmpty() && number > frozen.get()) {
                        if (number <= CONNECTIONS) {
                            together.await(10, TimeUnit.SECONDS);
                        }
                        client.getOutputStream().write(ANSWER);
                    }
                }
            } catch (IOException | BrokenBarrierException | TimeoutException e) {
                // The connection has ended, or the test has.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
            threads.shutdownNow();
        }
    }

    @Test
    void costOneRequestItsTimeLimitAndNotEachOneItsOwn()
            throws ExecutionException, IOException, InterruptedException, TimeoutException {
        ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
        try (FreezingServer server = new FreezingServer();
                ApiRequests requests = new ApiRequests(
                        new ApiClient(server.address(), new OkHttpClient()),
                        InstantSource.system(),
                        RequestMetrics.NONE)) {
            List<Future<?>> first = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                first.add(threads.submit(() -> requests.get("get it", "/it", Duration.ofSeconds(20))));
            }
            for (Future<?> request : first) {
                request.get(20, TimeUnit.SECONDS);
            }
            assertThat(server.accepted).hasValue(CONNECTIONS);
            server.freeze();

            assertThatThrownBy(() -> requests.get("get it", "/it", Duration.ofMillis(300)))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageEndingWith(": timed out");

            assertThat(requests.get("get it", "/it", Duration.ofSeconds(20))).isPresent();
        } finally {
            threads.shutdownNow();
        }
    }
}
