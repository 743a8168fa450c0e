// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.Problems;
import org.moorage.config.ExtenderConfig;
import org.moorage.tls.KeyedCertificate;
import org.moorage.tls.Pem;
import org.moorage.tls.ServerTrust;

/**
 * The TLS settings for an extender.
 *
 * @param enableHttps whether any certificate is accepted if no authorities are configured
 * @param config the certificates, keys and names, if given
 */
record ExtenderTls(boolean enableHttps, Optional<ExtenderConfig.Tls> config) {
    /**
     * Applies the settings to a client.
     *
     * @param problems receives unreadable files, and unusable certificates and keys; the client must then not be used
     */
    void applyTo(HttpClient.Builder client, Problems problems) {
        if (!enableHttps && config.isEmpty()) {
            return;
        }
        ExtenderConfig.Tls tls = config.orElse(new ExtenderConfig.Tls(false, "", "", "", "", "", "", ""));
        try {
            KeyManager @Nullable [] ownCertificate = readOrReport(() -> ownCertificate(tls, problems), problems);
            TrustManager trust = readOrReport(() -> trust(tls, enableHttps), problems);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(ownCertificate, trust == null ? null : new TrustManager[] {trust}, null);
            client.sslContext(context);
        } catch (GeneralSecurityException unusable) {
            problems.report(String.valueOf(unusable.getMessage()));
        }
        if (!tls.serverName().isEmpty()) {
            SSLParameters parameters = new SSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(tls.serverName())));
            client.sslParameters(parameters);
        }
    }

    private interface Reading<T> {
        @Nullable
        T read() throws IOException, GeneralSecurityException;
    }

    // Returns null if it fails, and reports the problem: the message starts with the field.
    private static <T> @Nullable T readOrReport(Reading<T> reading, Problems problems) {
        try {
            return reading.read();
        } catch (IOException | GeneralSecurityException unusable) {
            String[] message = String.valueOf(unusable.getMessage()).split(": ", 2);
            problems.at(message[0]).report(message[message.length - 1]);
            return null;
        }
    }

    private static TrustManager trust(ExtenderConfig.Tls tls, boolean enableHttps)
            throws IOException, GeneralSecurityException {
        Pem authorities = pem("ca", tls.caFile(), tls.caData());
        if (tls.insecure() || enableHttps && authorities.isNone()) {
            return ServerTrust.any();
        }
        X509ExtendedTrustManager trust = authorities.isNone()
                ? ServerTrust.knownAuthorities()
                : ServerTrust.authorities(authorities.certificates());
        return tls.serverName().isEmpty() ? trust : ServerTrust.named(tls.serverName(), trust);
    }

    // As in kube-scheduler, a certificate without a key, or a key without a certificate, is ignored.
    private static KeyManager @Nullable [] ownCertificate(ExtenderConfig.Tls tls, Problems problems)
            throws GeneralSecurityException {
        if (tls.certFile().isEmpty() && tls.certData().isEmpty()
                || tls.keyFile().isEmpty() && tls.keyData().isEmpty()) {
            return null;
        }
        Pem certificate = readOrReport(() -> pem("cert", tls.certFile(), tls.certData()), problems);
        Pem key = readOrReport(() -> pem("key", tls.keyFile(), tls.keyData()), problems);
        return certificate == null || key == null
                ? null
                : KeyedCertificate.read(certificate, key).keyManagers();
    }

    // Inline data take precedence over a file.
    private static Pem pem(String field, String file, String data) throws IOException {
        if (!data.isEmpty()) {
            return Pem.of(field + "Data", Base64.getMimeDecoder().decode(data));
        }
        return file.isEmpty() ? Pem.NONE : Pem.ofFile(field + "File", Path.of(file));
    }
}
