// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * An HTTPS server (HTTP/1.1) in front of an API server that answers requests itself or forwards them, as a test
 * decides.
 */
public final class AnsweringProxy implements AutoCloseable {
    private static final char[] PASSWORD = "changeit".toCharArray();
    /** Headers of one connection, and what the client makes itself. */
    private static final Set<String> NOT_FORWARDED = Set.of(
            "accept-encoding",
            "connection",
            "content-length",
            "expect",
            "host",
            "http2-settings",
            "transfer-encoding",
            "upgrade");

    private final URI target;
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client = ApiAccess.trustingClient(HttpClient.Version.HTTP_2);
    private volatile Behavior behavior = Exchange::forward;

    /** Handles a request. */
    public interface Behavior {
        void handle(Exchange exchange) throws IOException;
    }

    /**
     * Starts one on a free port.
     *
     * @param certificates the folder with {@code apiserver.crt} and {@code apiserver.key}, which are good for this host
     */
    AnsweringProxy(URI target, Path certificates) {
        this.target = target;
        try {
            server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 500);
            server.setHttpsConfigurator(new HttpsConfigurator(context(certificates)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                behavior.handle(new Exchange(exchange));
            }
        });
        server.start();
    }

    private static SSLContext context(Path certificates) throws IOException {
        Path store = certificates.resolve("proxy.p12");
        try {
            Process openssl = new ProcessBuilder(
                            "openssl",
                            "pkcs12",
                            "-export",
                            "-in",
                            certificates.resolve("apiserver.crt").toString(),
                            "-inkey",
                            certificates.resolve("apiserver.key").toString(),
                            "-out",
                            store.toString(),
                            "-passout",
                            "pass:" + new String(PASSWORD))
                    .inheritIO()
                    .start();
            if (openssl.waitFor() != 0) {
                throw new IOException("openssl pkcs12: exit code " + openssl.exitValue());
            }
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD);
            }
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(factory.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public void behave(Behavior newBehavior) {
        behavior = newBehavior;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    /** A request and what may be done with it; one of these once. */
    public final class Exchange {
        private final HttpExchange exchange;

        private Exchange(HttpExchange exchange) {
            this.exchange = exchange;
        }

        public String method() {
            return exchange.getRequestMethod();
        }

        public String path() {
            return exchange.getRequestURI().getPath();
        }

        public String query() {
            String query = exchange.getRequestURI().getQuery();
            return query == null ? "" : query;
        }

        /** The first value of a header; empty without one. */
        public String header(String name) {
            String value = exchange.getRequestHeaders().getFirst(name);
            return value == null ? "" : value;
        }

        public boolean isBinding() {
            return method().equals("POST") && path().endsWith("/binding");
        }

        public boolean isWatch() {
            return query().contains("watch=true") || query().contains("watch=1");
        }

        /** Whether it lists a kind, given by the plural. */
        public boolean isList(String plural) {
            return method().equals("GET") && !isWatch() && path().endsWith("/" + plural);
        }

        public boolean isWatch(String plural) {
            return isWatch() && path().endsWith("/" + plural);
        }

        /** The API server's answer as it comes. */
        public void forward() throws IOException {
            HttpResponse<InputStream> response = ask();
            try (InputStream in = response.body()) {
                begin(response.statusCode(), response.headers().map());
                byte[] buffer = new byte[1 << 14];
                OutputStream out = exchange.getResponseBody();
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    out.write(buffer, 0, count);
                    out.flush();
                }
            }
        }

        /** Forwards the request, and ends the connection without an answer. */
        public void forwardAndDrop() throws IOException {
            try (InputStream in = ask().body()) {
                in.readAllBytes();
            }
            exchange.close();
        }

        /** Forwards the request, and answers something else. */
        public void forwardAndAnswer(int status, String body) throws IOException {
            try (InputStream in = ask().body()) {
                in.readAllBytes();
            }
            answer(status, body);
        }

        public void answer(int status, String body, String... headers) throws IOException {
            exchange.getRequestBody().readAllBytes();
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
            }
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }

        /** Answers with a status as the API server writes it. */
        public void refuse(int code, String reason, String... headers) throws IOException {
            answer(code, """
                    {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "injected",
                     "reason": "%s", "code": %d}""".formatted(reason, code), headers);
        }

        /** Ends the connection without an answer. */
        public void drop() {
            exchange.close();
        }

        /** Answers with lines, as a watch has them, and ends there. */
        public void answerLines(String... lines) throws IOException {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            for (String line : lines) {
                exchange.getResponseBody().write(line.getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
            }
        }

        /** The API server's answer, one object, changed. */
        public void forward(UnaryOperator<JsonNode> change) throws IOException {
            HttpResponse<InputStream> response = ask();
            try (InputStream in = response.body()) {
                answer(
                        response.statusCode(),
                        change.apply(ApiAccess.JSON.readTree(in)).toString());
            }
        }

        /** The API server's watch, with each event changed. */
        public void forwardEvents(UnaryOperator<JsonNode> change) throws IOException {
            HttpResponse<InputStream> response = ask();
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                exchange.getResponseHeaders().add("Content-Type", "application/json");
                exchange.sendResponseHeaders(response.statusCode(), 0);
                OutputStream out = exchange.getResponseBody();
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    out.write((change.apply(ApiAccess.JSON.readTree(line)) + "\n").getBytes(StandardCharsets.UTF_8));
                    out.flush();
                }
            }
        }

        // Not compressed, so that the answer can be read here.
        private HttpResponse<InputStream> ask() throws IOException {
            HttpRequest.Builder request = HttpRequest.newBuilder(target.resolve(exchange.getRequestURI()));
            exchange.getRequestHeaders().forEach((name, values) -> {
                if (!NOT_FORWARDED.contains(name.toLowerCase(Locale.ROOT))) {
                    values.forEach(value -> request.header(name, value));
                }
            });
            byte[] body = exchange.getRequestBody().readAllBytes();
            request.method(method(), body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
            try {
                return client.send(request.build(), BodyHandlers.ofInputStream());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }

        private void begin(int status, Map<String, List<String>> headers) throws IOException {
            Headers to = exchange.getResponseHeaders();
            long length = -1;
            for (Map.Entry<String, List<String>> header : headers.entrySet()) {
                String name = header.getKey();
                if (name.equalsIgnoreCase("content-length")) {
                    length = Long.parseLong(header.getValue().get(0));
                } else if (!name.startsWith(":") && !NOT_FORWARDED.contains(name.toLowerCase(Locale.ROOT))) {
                    to.put(name, header.getValue());
                }
            }
            // 0 is "chunked" and -1 "no body" to the server.
            exchange.sendResponseHeaders(status, length > 0 ? length : length == 0 ? -1 : 0);
        }
    }
}
