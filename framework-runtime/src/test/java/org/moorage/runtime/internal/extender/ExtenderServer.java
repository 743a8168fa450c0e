// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** A web server on the loopback address with configured responses. */
final class ExtenderServer implements AutoCloseable {
    private final HttpServer server;
    private final String scheme;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<String> requests = new CopyOnWriteArrayList<>();

    /** How it answers. */
    interface Answer {
        void to(HttpExchange exchange, ExtenderServer server) throws IOException;
    }

    private ExtenderServer(HttpServer server, String scheme, Answer answer) {
        this.server = server;
        this.scheme = scheme;
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Content-Type") + " " + body);
            answer.to(exchange, this);
        });
        server.start();
    }

    static ExtenderServer answering(Answer answer) throws IOException {
        return new ExtenderServer(HttpServer.create(anyPort(), 0), "http", answer);
    }

    static ExtenderServer secured(SSLContext context, boolean wantsCertificate, Answer answer) throws IOException {
        HttpsServer server = HttpsServer.create(anyPort(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters tls = context.getDefaultSSLParameters();
                tls.setNeedClientAuth(wantsCertificate);
                parameters.setSSLParameters(tls);
            }
        });
        return new ExtenderServer(server, "https", answer);
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Answers with a status and a body. */
    static Answer with(int status, String body) {
        return (exchange, server) -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        };
    }

    /** Answers with a success. */
    static Answer with(String body) {
        return with(200, body);
    }

    /** Starts a response, and does not continue until it is closed. */
    static Answer startingWith(int status, String body) {
        return (exchange, server) -> {
            exchange.sendResponseHeaders(status, 0);
            exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            server.hang();
        };
    }

    /** Does not answer until it is closed. */
    void hang() {
        try {
            boolean ignored = closed.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    String address() {
        return scheme + "://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns the received requests: method, path, type and body. */
    List<String> requests() {
        return requests;
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
