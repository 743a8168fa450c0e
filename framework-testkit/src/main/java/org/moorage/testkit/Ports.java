// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Free ports on loopback for servers that take a port number and cannot report the one that they chose. Each port stays
 * reserved until {@link #close}: a socket is bound to it and does not listen, so the system assigns the port to no
 * other program, and a server that is given its number can bind it, again after each restart.
 */
public final class Ports implements AutoCloseable {
    private final List<SocketChannel> reserved = new ArrayList<>();

    /** Creates an empty set of reserved ports. */
    public Ports() {
        // Nothing is reserved yet.
    }

    /**
     * Reserves a port.
     *
     * @return its number
     * @throws UncheckedIOException if the system has no free port
     */
    public int next() {
        try {
            return reserve(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reserves consecutive ports.
     *
     * @return the number of the first one
     * @throws UncheckedIOException if the system has no free port
     */
    public int consecutive(int count) {
        while (true) {
            int first = next();
            try {
                for (int port = first + 1; port < first + count; port++) {
                    int ignored = reserve(port);
                }
                return first;
            } catch (IOException taken) {
                // Another first port is tried.
            }
        }
    }

    private synchronized int reserve(int port) throws IOException {
        SocketChannel socket = SocketChannel.open(StandardProtocolFamily.INET);
        reserved.add(socket);
        // With the option, bind would also succeed on a port that another process reserves in this way.
        socket.setOption(StandardSocketOptions.SO_REUSEADDR, port == 0);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        return ((InetSocketAddress) socket.getLocalAddress()).getPort();
    }

    @Override
    public synchronized void close() {
        try {
            for (SocketChannel socket : reserved) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
