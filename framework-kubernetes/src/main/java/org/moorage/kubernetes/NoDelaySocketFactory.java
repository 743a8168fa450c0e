// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Makes sockets with {@code TCP_NODELAY}. OkHttp leaves Nagle's algorithm on and writes a request in several pieces;
 * against a real API server a binding then takes 9 ms instead of 2.
 */
final class NoDelaySocketFactory extends SocketFactory {
    private final SocketFactory factory = SocketFactory.getDefault();

    @Override
    public Socket createSocket() throws IOException {
        return withNoDelay(factory.createSocket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return withNoDelay(factory.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return withNoDelay(factory.createSocket(host, port, localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return withNoDelay(factory.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        return withNoDelay(factory.createSocket(address, port, localAddress, localPort));
    }

    private static Socket withNoDelay(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        return socket;
    }
}
