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
 * Stands between a client and a server on loopback. Connections can be frozen: from then on they swallow what is sent, and neither side
 * is told.
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

    /** A proxy on a free port in front of the server on a port. */
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

    /** Freezes all connections that are open; new ones work. */
    public void freeze() {
        generation.incrementAndGet();
    }

    /** Freezes all connections, new ones as well, or lets new ones work again. */
    public void freezeAll(boolean isFreezing) {
        isFreezingAll = isFreezing;
        freeze();
    }

    /** Ends all connections, and each new one at once, or no longer. */
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
            // It is closed.
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
                // Closed, or the server is not there: the client tries again.
            }
        }
    }

    // A client whose server is not there must not wait for it.
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
            // One side is gone.
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
