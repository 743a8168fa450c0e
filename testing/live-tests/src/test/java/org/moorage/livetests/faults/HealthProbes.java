// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLSocketFactory;
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.Waiting;

/** Requests a page every 200 ms, on a new connection each time, as a kubelet does. */
final class HealthProbes implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(1);

    private static final Duration BETWEEN = Duration.ofMillis(200);
    private static final int TIMEOUT_MILLIS = 10_000;

    private final SSLSocketFactory tls = ApiAccess.trusting().getSocketFactory();
    private final String what;
    private final int port;
    private final boolean isSecure;
    private final String path;
    private final Thread thread;
    private volatile boolean isOver;
    private int count;
    private int failures;
    private String failure = "";
    private Duration slowest = Duration.ZERO;

    private HealthProbes(String what, int port, boolean isSecure, String path) {
        this.what = what;
        this.port = port;
        this.isSecure = isSecure;
        this.path = path;
        thread = new Thread(this::probe, "probes of " + what);
        thread.setDaemon(true);
    }

    /**
     * Starts the probes.
     *
     * @param what the name of the server, for the report
     */
    static HealthProbes of(String what, int port, boolean isSecure, String path) {
        HealthProbes probes = new HealthProbes(what, port, isSecure, path);
        probes.thread.start();
        return probes;
    }

    private void probe() {
        while (!isOver) {
            long start = System.nanoTime();
            String status = status();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            count++;
            if (!status.contains(" 200 ")) {
                failures++;
                failure = status;
            }
            slowest = took.compareTo(slowest) > 0 ? took : slowest;
            Waiting.pause(BETWEEN);
        }
    }

    /** Returns the status line of the response, or what was received instead. */
    static String status(int port, boolean isSecure, String path) {
        return new HealthProbes("", port, isSecure, path).status();
    }

    private String status() {
        try (Socket plain = new Socket()) {
            plain.setSoTimeout(TIMEOUT_MILLIS);
            plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            try (Socket socket = isSecure ? tls.createSocket(plain, "127.0.0.1", port, true) : plain) {
                socket.getOutputStream()
                        .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return answer.lines().findFirst().orElse("no answer");
            }
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Ends the probes and reports the results; each response must be 200 and within a second. */
    void end(FaultReport report) {
        close();
        report.saw(count + " probes of " + what);
        report.took("the slowest of them", slowest, LIMIT);
        report.holds(failures == 0, failures + " of " + count + " probes of " + what + " failed: " + failure);
    }

    @Override
    public void close() {
        isOver = true;
        try {
            thread.join(TIMEOUT_MILLIS * 2L);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
