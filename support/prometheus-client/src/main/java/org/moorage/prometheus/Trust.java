// SPDX-License-Identifier: Apache-2.0
package org.moorage.prometheus;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.moorage.tls.ServerTrust;

/** Creates the TLS context for the settings. */
final class Trust {
    private Trust() {}

    /** Returns the TLS context of the settings; empty for the JVM's default. */
    static Optional<SSLContext> of(PrometheusSettings settings) {
        if (settings.insecure()) {
            return Optional.of(context(ServerTrust.any()));
        }
        return settings.caFile().map(file -> context(authorities(file)));
    }

    private static SSLContext context(TrustManager trusted) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {trusted}, null);
            return context;
        } catch (GeneralSecurityException failed) {
            throw new IllegalStateException("TLS is not available: " + failed.getMessage(), failed);
        }
    }

    private static TrustManager authorities(Path file) {
        try (InputStream input = Files.newInputStream(file)) {
            List<X509Certificate> authorities =
                    CertificateFactory.getInstance("X.509").generateCertificates(input).stream()
                            .map(X509Certificate.class::cast)
                            .toList();
            if (authorities.isEmpty()) {
                throw new PrometheusException("caFile: " + file + " has no certificate (expected: PEM)");
            }
            return ServerTrust.authorities(authorities);
        } catch (IOException failed) {
            throw new PrometheusException("caFile: " + reason(file, failed), failed);
        } catch (GeneralSecurityException failed) {
            throw new PrometheusException("caFile: " + file + ": " + failed.getMessage() + " (expected: PEM)", failed);
        }
    }

    /** Returns why a file cannot be read, in one line. */
    static String reason(Path file, IOException failed) {
        String why = failed instanceof NoSuchFileException ? "no such file" : String.valueOf(failed.getMessage());
        return file + " (" + why + ")";
    }
}
