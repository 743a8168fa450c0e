// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.app.internal.rehearsal.MadeUpApiServer;

/** The pages of a scheduler that runs with other flags than the default. */
class ServedPagesTest {
    private record Case(String name, List<String> flags, String page, String line) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<String> EMULATING = List.of("--emulated-version=1.36");

    static final List<Case> CASES = List.of(
            new Case("the version that is emulated by default", List.of(), "/statusz", "Emulation version: 1.37"),
            new Case("the version that is emulated", EMULATING, "/statusz", "Emulation version: 1.36"),
            new Case(
                    "the versions as a metric",
                    EMULATING,
                    "/metrics",
                    "version_info{binary=\"1.37\",component=\"kube\",emulation=\"1.36\",min_compat=\"1.35\"} 1.0"));

    @ParameterizedTest
    @FieldSource("CASES")
    void showWhatHolds(Case c, @TempDir Path folder)
            throws IOException, GeneralSecurityException, InterruptedException, ExecutionException, TimeoutException {
        try (MadeUpApiServer server = MadeUpApiServer.start(Executors.defaultThreadFactory());
                RunningScheduler scheduler = RunningScheduler.start(server, c.page, folder, c.flags)) {
            assertThat(read(URI.create(scheduler.address() + c.page))).contains(c.line);
        }
    }

    private static List<String> read(URI page) throws IOException, GeneralSecurityException {
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, new TrustManager[] {new Trusting()}, null);
        HttpsURLConnection connection = (HttpsURLConnection) page.toURL().openConnection();
        connection.setSSLSocketFactory(tls.getSocketFactory());
        connection.setHostnameVerifier((host, session) -> true);
        try (InputStream body = connection.getInputStream()) {
            return List.of(new String(body.readAllBytes(), UTF_8).split("\n"));
        }
    }

    /** The certificate is one that the scheduler has made for itself. */
    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
