// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.app.TrustingClient;
import org.moorage.runtime.MonotonicClock;
import picocli.CommandLine;

/** Replies of the server to clients that accept compressed ones, or do not. */
class CompressionTest {
    private static final String LONG = "abcdefghij".repeat(500);
    private static final String JUST_LONG = "a".repeat(Compression.LEAST_BYTES);
    private static final String SHORT = "a".repeat(Compression.LEAST_BYTES - 1);

    private @Nullable SecureServer server;
    private String address = "";

    @BeforeEach
    void start() {
        ServingOptions options = new ServingOptions();
        Object ignored = new CommandLine(options).parseArgs("--bind-address=127.0.0.1", "--secure-port=0");
        SecureServer started = SecureServer.listenOnLoopback(
                options, "localhost", MonotonicClock.system(), Executors.defaultThreadFactory());
        server = started;
        started.page("/long", query -> Reply.text(200, LONG));
        started.page("/just-long", query -> Reply.text(200, JUST_LONG));
        started.page("/short", query -> Reply.text(200, SHORT));
        started.start();
        address = "https://127.0.0.1:" + started.port();
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    private HttpsURLConnection ask(String method, String path, @Nullable String accepted)
            throws IOException, GeneralSecurityException {
        HttpsURLConnection connection = TrustingClient.open(URI.create(address + path));
        connection.setRequestMethod(method);
        if (accepted != null) {
            connection.setRequestProperty("Accept-Encoding", accepted);
        }
        assertThat(connection.getResponseCode()).isEqualTo(200);
        return connection;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip",
                "GZIP",
                "deflate, gzip;q=0.5",
                "br;q=1.0, gzip ; q = 1, *;q=0.1",
                "*",
                "identity, *;q=0.001",
            })
    void compressesForClientsThatAcceptIt(String accepted) throws IOException, GeneralSecurityException {
        HttpsURLConnection answer = ask("GET", "/long", accepted);
        byte[] body = answer.getInputStream().readAllBytes();

        assertThat(answer.getHeaderField("Content-Encoding")).isEqualTo("gzip");
        assertThat(answer.getHeaderField("Vary")).isEqualTo("Accept-Encoding");
        assertThat(answer.getHeaderField("Content-Type")).isEqualTo("text/plain; charset=utf-8");
        assertThat(answer.getContentLength()).isEqualTo(body.length).isLessThan(LONG.length() / 10);
        assertThat(new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes())
                .isEqualTo(LONG.getBytes(UTF_8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {"none", "''", "identity", "br", "gzipped", "gzip;q=0", "*, gzip;q=0.000", "*;q=0"})
    void doesNotCompressForOthers(@Nullable String accepted) throws IOException, GeneralSecurityException {
        HttpsURLConnection answer = ask("GET", "/long", accepted);

        assertThat(answer.getHeaderField("Content-Encoding")).isNull();
        assertThat(answer.getHeaderField("Vary")).isEqualTo("Accept-Encoding");
        assertThat(answer.getContentLength()).isEqualTo(LONG.length());
        assertThat(answer.getInputStream().readAllBytes()).isEqualTo(LONG.getBytes(UTF_8));
    }

    @Test
    void doesNotCompressShortBodies() throws IOException, GeneralSecurityException {
        HttpsURLConnection answer = ask("GET", "/short", "gzip");

        assertThat(answer.getHeaderField("Content-Encoding")).isNull();
        assertThat(answer.getHeaderField("Vary")).isNull();
        assertThat(answer.getInputStream().readAllBytes()).isEqualTo(SHORT.getBytes(UTF_8));
        assertThat(ask("GET", "/just-long", "gzip").getHeaderField("Content-Encoding"))
                .isEqualTo("gzip");
    }

    @ParameterizedTest
    @CsvSource({"/long,gzip", "/long,identity", "/short,gzip"})
    void answersHeadWithTheHeadersOfGet(String path, String accepted) throws IOException, GeneralSecurityException {
        HttpsURLConnection get = ask("GET", path, accepted);
        HttpsURLConnection head = ask("HEAD", path, accepted);

        for (String name : new String[] {"Content-Length", "Content-Encoding", "Content-Type", "Vary"}) {
            assertThat(head.getHeaderField(name)).as(name).isEqualTo(get.getHeaderField(name));
        }
        assertThat(head.getInputStream().readAllBytes()).isEmpty();
        assertThat(get.getInputStream().readAllBytes()).isNotEmpty();
    }
}
