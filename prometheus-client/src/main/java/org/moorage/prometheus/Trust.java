// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Which servers are trusted. */
final class Trust {
    private Trust() {}

    /** What the settings say; empty for what the JVM trusts. */
    static Optional<SSLContext> of(PrometheusSettings settings) {
        if (settings.insecure()) {
            return Optional.of(context(new AnyServer()));
        }
        return settings.caFile().map(file -> context(authorities(file)));
    }

    private static SSLContext context(TrustManager... trusted) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trusted, null);
            return context;
        } catch (GeneralSecurityException failed) {
            throw new IllegalStateException("TLS is not available: " + failed.getMessage(), failed);
        }
    }

    private static TrustManager[] authorities(Path file) {
        try (InputStream input = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(input)) {
                store.setCertificateEntry("authority-" + store.size(), certificate);
            }
            if (store.size() == 0) {
                throw new PrometheusException("caFile: " + file + " has no certificate (expected: PEM)");
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory.getTrustManagers();
        } catch (IOException failed) {
            throw new PrometheusException("caFile: " + reason(file, failed), failed);
        } catch (GeneralSecurityException failed) {
            throw new PrometheusException("caFile: " + file + ": " + failed.getMessage() + " (expected: PEM)", failed);
        }
    }

    /** Why a file cannot be read, in one line. */
    static String reason(Path file, IOException failed) {
        String why = failed instanceof NoSuchFileException ? "no such file" : String.valueOf(failed.getMessage());
        return file + " (" + why + ")";
    }

    // An extended one, since the JDK also checks the name of the server for others.
    private static final class AnyServer extends X509ExtendedTrustManager {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("no server");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            throw new CertificateException("no server");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("no server");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
