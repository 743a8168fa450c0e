// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Reads what a server of this machine serves, whose certificate is one that it has made for itself. */
public final class TrustingClient {
    private TrustingClient() {}

    /** An answer: its code and its text. */
    public record Answer(int code, String text) {}

    /** Trusts every certificate. */
    static final X509TrustManager TRUSTING = new Trusting();

    /** Returns the sockets of clients that trust every certificate. */
    static SSLSocketFactory sockets() {
        try {
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, new TrustManager[] {TRUSTING}, null);
            return tls.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public static Answer get(URI page) throws IOException {
        HttpsURLConnection connection = open(page);
        int code = connection.getResponseCode();
        try (InputStream body = code < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return new Answer(code, new String(body.readAllBytes(), UTF_8));
        }
    }

    /** A connection that has not asked yet. */
    public static HttpsURLConnection open(URI page) throws IOException {
        HttpsURLConnection connection = (HttpsURLConnection) page.toURL().openConnection();
        connection.setSSLSocketFactory(sockets());
        connection.setHostnameVerifier((host, session) -> true);
        return connection;
    }

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
