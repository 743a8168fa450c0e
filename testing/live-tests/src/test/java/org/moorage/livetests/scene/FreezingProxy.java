// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy between a client and a server on loopback. Its connections can be frozen: they then discard all data without
 * closing, so neither side notices.
 */
public final class FreezingProxy implements AutoCloseable {
    private static final int FROZEN = -1;

    private final int target;
    private final ServerSocket socket;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    /** Connections of an earlier generation are frozen. */
    private final AtomicInteger generation = new AtomicInteger();

    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isRefusing;
    private volatile boolean isFreezingAll;

    /** Creates a proxy on a free port for the server on a port. */
    public FreezingProxy(int target) {
        this(0, target);
    }

    public FreezingProxy(int port, int target) {
        this.target = target;
        try {
            socket = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    public int port() {
        return socket.getLocalPort();
    }

    /** Freezes all open connections; new ones work. */
    public void freeze() {
        generation.incrementAndGet();
    }

    /** Freezes all connections, including new ones, or lets new ones work again. */
    public void freezeAll(boolean isFreezing) {
        isFreezingAll = isFreezing;
        freeze();
    }

    /** Closes all connections, and each new one immediately; or stops doing so. */
    public void refuse(boolean isRefusing) {
        this.isRefusing = isRefusing;
        if (isRefusing) {
            open.forEach(FreezingProxy::close);
            open.clear();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Already closed.
        }
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                if (isRefusing) {
                    client.close();
                    continue;
                }
                open.add(client);
                Socket server = connect(client);
                open.add(server);
                int of = isFreezingAll ? FROZEN : generation.get();
                threads.execute(() -> forward(client, server, of));
                threads.execute(() -> forward(server, client, of));
            } catch (IOException e) {
                // The proxy is closed, or the server does not run: the client retries.
            }
        }
    }

    // A client must not wait for a server that does not run.
    private Socket connect(Socket client) throws IOException {
        try {
            return new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException e) {
            close(client);
            throw e;
        }
    }

    private void forward(Socket from, Socket to, int of) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (generation.get() == of) {
                    out.write(buffer, 0, count);
                    out.flush();
                }
            }
        } catch (IOException e) {
            // One side closed the connection.
        } finally {
            if (generation.get() == of) {
                close(from);
                close(to);
            }
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
