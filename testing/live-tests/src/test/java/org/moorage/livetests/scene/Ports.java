// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

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
 * Ports on loopback for programs that have to be told theirs. Each is held until this is closed, by a socket that is bound to it and does not
 * listen: the system gives the port to nobody else, and a server that asks for it by number may bind it, as often as it is restarted.
 */
public final class Ports implements AutoCloseable {
    private final List<SocketChannel> held = new ArrayList<>();

    public int next() {
        try {
            return hold(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first of several ports in a row. */
    public int inARow(int count) {
        while (true) {
            int first = next();
            try {
                for (int port = first + 1; port < first + count; port++) {
                    int ignored = hold(port);
                }
                return first;
            } catch (IOException taken) {
                // Others are tried.
            }
        }
    }

    private synchronized int hold(int port) throws IOException {
        SocketChannel socket = SocketChannel.open(StandardProtocolFamily.INET);
        held.add(socket);
        // Without it the system refuses a port that another one holds like this.
        socket.setOption(StandardSocketOptions.SO_REUSEADDR, port == 0);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        return ((InetSocketAddress) socket.getLocalAddress()).getPort();
    }

    @Override
    public synchronized void close() {
        try {
            for (SocketChannel socket : held) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
