// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.moorage.livetests.scene.ApiAccess;

/**
 * Connections to a port that send nothing, or one byte a second, before or after the TLS handshake. Connections that
 * the server closes are opened again. One thread handles all of them, so that they hardly load the machine of the test.
 */
final class SlowConnections implements AutoCloseable {
    private static final Duration BETWEEN_BYTES = Duration.ofSeconds(1);
    private static final int TLS_LIMIT_MILLIS = 2000;
    // As many at the same time as needed to reopen connections that are closed together within a few seconds.
    private static final int MOST_OPENED = 20;
    /** The start of a ClientHello of 4 KB. */
    private static final byte[] HELLO = {22, 3, 1, 16, 0, 1, 0, 15, (byte) 252, 3, 3};

    private static final byte[] HEAD = "GET /healthz HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII);

    private final InetSocketAddress address;
    private final Slow[] connections;
    private final Random random;
    private final SSLSocketFactory tls = ApiAccess.trusting().getSocketFactory();
    private final Selector selector;
    private final Thread thread;
    private volatile boolean isOver;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger opened = new AtomicInteger();

    /** How a connection is slow. */
    private enum Way {
        SILENT,
        HANDSHAKE,
        HEAD
    }

    /** One open connection. */
    private static final class Slow {
        private final Way way;
        private final Socket socket;
        private int sent;
        private long next;

        Slow(Way way, Socket socket) {
            this.way = way;
            this.socket = socket;
        }
    }

    private SlowConnections(int port, int count, Random random) throws IOException {
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        connections = new Slow[count];
        this.random = random;
        selector = Selector.open();
        thread = new Thread(this::hold, "slow-connections");
        thread.setDaemon(true);
    }

    /** Opens connections once the port accepts them. */
    static SlowConnections to(int port, int count, Random random) {
        try {
            SlowConnections slow = new SlowConnections(port, count, random);
            slow.thread.start();
            return slow;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of open connections. */
    int open() {
        return open.get();
    }

    /** Returns the number of connections that were opened. */
    int opened() {
        return opened.get();
    }

    private void hold() {
        try (selector) {
            while (!isOver) {
                openMissing();
                sendBytes();
                selector.select(this::drop, 20);
            }
            for (Slow each : connections) {
                if (each != null) {
                    each.socket.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void openMissing() {
        int now = 0;
        int tried = 0;
        for (int i = 0; i < connections.length; i++) {
            if (connections[i] == null && tried < MOST_OPENED) {
                tried++;
                // Only some connections do a handshake, since handshakes take processor time from the tested server.
                Way way = i % 10 == 0 ? Way.HEAD : i % 2 == 0 ? Way.HANDSHAKE : Way.SILENT;
                Optional<Slow> slow = open(i, way);
                connections[i] = slow.orElse(null);
                opened.addAndGet(slow.isPresent() ? 1 : 0);
            }
            now += connections[i] == null ? 0 : 1;
        }
        open.set(now);
    }

    private Optional<Slow> open(int place, Way way) {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.socket().connect(address, TLS_LIMIT_MILLIS);
            Slow slow;
            if (way == Way.HEAD) {
                channel.socket().setSoTimeout(TLS_LIMIT_MILLIS);
                SSLSocket secure = (SSLSocket) tls.createSocket(channel.socket(), "127.0.0.1", address.getPort(), true);
                secure.startHandshake();
                slow = new Slow(way, secure);
            } else {
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ, place);
                slow = new Slow(way, channel.socket());
            }
            slow.next = System.nanoTime() + (long) (random.nextDouble() * BETWEEN_BYTES.toNanos());
            return Optional.of(slow);
        } catch (IOException refused) {
            closeQuietly(channel);
            return Optional.empty();
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException alreadyGone) {
            // It is gone.
        }
    }

    private void sendBytes() {
        long now = System.nanoTime();
        for (int i = 0; i < connections.length; i++) {
            Slow slow = connections[i];
            if (slow == null || slow.way == Way.SILENT || now - slow.next < 0) {
                continue;
            }
            slow.next = now + BETWEEN_BYTES.toNanos();
            try {
                if (slow.way == Way.HEAD) {
                    slow.socket.getOutputStream().write(slow.sent < HEAD.length ? HEAD[slow.sent] : 'x');
                } else {
                    byte next = slow.sent < HELLO.length ? HELLO[slow.sent] : 0;
                    slow.socket.getChannel().write(ByteBuffer.wrap(new byte[] {next}));
                }
                slow.sent++;
            } catch (IOException closed) {
                drop(i);
            }
        }
    }

    // The server sent an alert or closed the connection.
    private void drop(SelectionKey key) {
        drop((Integer) key.attachment());
    }

    private void drop(int place) {
        Slow slow = connections[place];
        connections[place] = null;
        try {
            if (slow != null) {
                slow.socket.close();
            }
        } catch (IOException alreadyGone) {
            // It is gone.
        }
    }

    @Override
    public void close() {
        isOver = true;
        selector.wakeup();
        try {
            thread.join(Duration.ofSeconds(10).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
