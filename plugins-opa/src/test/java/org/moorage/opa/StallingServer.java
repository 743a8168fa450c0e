// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A server of HTTP that never comes to the end of an answer. */
final class StallingServer implements AutoCloseable {
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

    /** The behavior after it has read a part of a request. */
    enum Answer {
        NONE,
        HALF_A_HEAD,
        HEAD_ALONE,
        HALF_A_BODY,
        BYTE_AFTER_BYTE,
        WITHOUT_END
    }

    private final ServerSocket listening;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);

    StallingServer(Answer answer) {
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(() -> accept(answer));
    }

    String url() {
        return "http://127.0.0.1:" + listening.getLocalPort();
    }

    private void accept(Answer answer) {
        try {
            while (true) {
                Socket socket = listening.accept();
                threads.execute(() -> serve(socket, answer));
            }
        } catch (IOException over) {
            // It is closed.
        }
    }

    private void serve(Socket socket, Answer answer) {
        try (socket;
                InputStream in = socket.getInputStream();
                OutputStream out = socket.getOutputStream()) {
            int first = in.read();
            switch (answer) {
                case NONE -> {}
                case HALF_A_HEAD -> write(out, HEAD);
                case HEAD_ALONE -> write(out, HEAD + "Content-Length: 20\r\n\r\n");
                case HALF_A_BODY -> write(out, HEAD + "Content-Length: 20\r\n\r\n{\"result\"");
                case BYTE_AFTER_BYTE -> {
                    write(out, HEAD + "Content-Length: 100000\r\n\r\n");
                    while (first >= 0 && !closed.await(20, TimeUnit.MILLISECONDS)) {
                        write(out, " ");
                    }
                }
                case WITHOUT_END -> {
                    write(out, HEAD + "\r\n");
                    String spaces = " ".repeat(1 << 16);
                    while (closed.getCount() > 0) {
                        write(out, spaces);
                    }
                }
            }
            closed.await();
        } catch (IOException | InterruptedException over) {
            // The client has gone, or the test.
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    @Override
    public void close() {
        closed.countDown();
        threads.shutdownNow();
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
