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
import org.moorage.runtime.config.ExtenderConfig;
import org.moorage.runtime.tls.KeyedCertificate;
import org.moorage.runtime.tls.Pem;
import org.moorage.runtime.tls.ServerTrust;

/**
 * How an extender is trusted, and trusts us.
 *
 * @param enableHttps whether any certificate is accepted where there are none to trust
 * @param config the certificates, keys and names, if given
 */
record ExtenderTls(boolean enableHttps, Optional<ExtenderConfig.Tls> config) {
    /**
     * Has a client use it.
     *
     * @throws IOException if a file cannot be read; the message starts with its field
     * @throws GeneralSecurityException if a certificate or key cannot be used; the message starts with its field
     */
    void applyTo(HttpClient.Builder client) throws IOException, GeneralSecurityException {
        if (!enableHttps && config.isEmpty()) {
            return;
        }
        ExtenderConfig.Tls tls = config.orElse(new ExtenderConfig.Tls(false, "", "", "", "", "", "", ""));
        Pem authorities = pem("ca", tls.caFile(), tls.caData());
        boolean insecure = tls.insecure() || enableHttps && authorities.isNone();
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(ownCertificate(tls), new TrustManager[] {trust(tls.serverName(), insecure, authorities)}, null);
        client.sslContext(context);
        if (!tls.serverName().isEmpty()) {
            SSLParameters parameters = new SSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(tls.serverName())));
            client.sslParameters(parameters);
        }
    }

    private static TrustManager trust(String serverName, boolean insecure, Pem authorities)
            throws GeneralSecurityException {
        if (insecure) {
            return ServerTrust.any();
        }
        X509ExtendedTrustManager trust = authorities.isNone()
                ? ServerTrust.knownAuthorities()
                : ServerTrust.authorities(authorities.certificates());
        return serverName.isEmpty() ? trust : ServerTrust.named(serverName, trust);
    }

    // As in kube-scheduler, half of the pair is none.
    private static KeyManager @Nullable [] ownCertificate(ExtenderConfig.Tls tls)
            throws IOException, GeneralSecurityException {
        if (tls.certFile().isEmpty() && tls.certData().isEmpty()
                || tls.keyFile().isEmpty() && tls.keyData().isEmpty()) {
            return null;
        }
        Pem certificate = pem("cert", tls.certFile(), tls.certData());
        return KeyedCertificate.read(certificate, pem("key", tls.keyFile(), tls.keyData()))
                .keyManagers();
    }

    // Data count more than a file.
    private static Pem pem(String field, String file, String data) throws IOException {
        if (!data.isEmpty()) {
            return Pem.of(field + "Data", Base64.getMimeDecoder().decode(data));
        }
        return file.isEmpty() ? Pem.NONE : Pem.ofFile(field + "File", Path.of(file));
    }
}
