// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.config.ExtenderConfig;

/**
 * How an extender is trusted, and trusts us.
 *
 * @param enableHttps whether any certificate is accepted where there are none to trust
 * @param config the certificates, keys and names, if given
 */
record ExtenderTls(boolean enableHttps, Optional<ExtenderConfig.Tls> config) {
    private static final char[] NO_PASSWORD = new char[0];

    /** Has a client use it. */
    void applyTo(HttpClient.Builder client) throws TlsFileException {
        if (!enableHttps && config.isEmpty()) {
            return;
        }
        ExtenderConfig.Tls tls = config.orElse(new ExtenderConfig.Tls(false, "", "", "", "", "", "", ""));
        boolean hasCa = !tls.caFile().isEmpty() || !tls.caData().isEmpty();
        boolean insecure = tls.insecure() || enableHttps && !hasCa;
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(ownCertificate(tls), trust(tls, insecure, hasCa), null);
            client.sslContext(context);
        } catch (GeneralSecurityException unusable) {
            throw new TlsFileException("certFile: " + unusable.getMessage(), unusable);
        }
        if (!tls.serverName().isEmpty()) {
            SSLParameters parameters = new SSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(tls.serverName())));
            client.sslParameters(parameters);
        }
    }

    private static TrustManager @Nullable [] trust(ExtenderConfig.Tls tls, boolean insecure, boolean hasCa)
            throws GeneralSecurityException, TlsFileException {
        if (insecure) {
            return new TrustManager[] {ServerTrust.any()};
        }
        if (!hasCa && tls.serverName().isEmpty()) {
            return null;
        }
        X509ExtendedTrustManager authorities = trustManager(hasCa ? authorities(tls) : null);
        return new TrustManager[] {
            tls.serverName().isEmpty() ? authorities : ServerTrust.named(tls.serverName(), authorities)
        };
    }

    private static KeyStore authorities(ExtenderConfig.Tls tls) throws GeneralSecurityException, TlsFileException {
        String field = tls.caData().isEmpty() ? "caFile" : "caData";
        Collection<? extends Certificate> certificates =
                certificates(field, content(field, tls.caFile(), tls.caData()));
        KeyStore store = emptyStore();
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("authority-" + store.size(), certificate);
        }
        return store;
    }

    private static X509ExtendedTrustManager trustManager(@Nullable KeyStore authorities)
            throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(authorities);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509ExtendedTrustManager extended) {
                return extended;
            }
        }
        throw new GeneralSecurityException("no trust manager for X.509 certificates");
    }

    // As in kube-scheduler, half of the pair is none.
    private static KeyManager @Nullable [] ownCertificate(ExtenderConfig.Tls tls)
            throws GeneralSecurityException, TlsFileException {
        if (tls.certFile().isEmpty() && tls.certData().isEmpty()
                || tls.keyFile().isEmpty() && tls.keyData().isEmpty()) {
            return null;
        }
        String field = tls.certData().isEmpty() ? "certFile" : "certData";
        String keyField = tls.keyData().isEmpty() ? "keyFile" : "keyData";
        Collection<? extends Certificate> chain = certificates(field, content(field, tls.certFile(), tls.certData()));
        PrivateKey key;
        try {
            key = PrivateKeys.read(content(keyField, tls.keyFile(), tls.keyData()));
        } catch (GeneralSecurityException | IllegalArgumentException unusable) {
            throw unusable(keyField, tls.keyFile(), "a private key in PEM", unusable);
        }
        KeyStore store = emptyStore();
        store.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static Collection<? extends Certificate> certificates(String field, byte[] pem) throws TlsFileException {
        try {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
            if (certificates.isEmpty()) {
                throw new GeneralSecurityException("none found");
            }
            return certificates;
        } catch (GeneralSecurityException unusable) {
            throw unusable(field, "", "certificates in PEM", unusable);
        }
    }

    private static byte[] content(String field, String file, String data) throws TlsFileException {
        if (!data.isEmpty()) {
            return Base64.getMimeDecoder().decode(data);
        }
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (IOException unreadable) {
            throw unusable(field, file, "a readable file", unreadable);
        }
    }

    // Data may be a key, so it is not shown.
    private static TlsFileException unusable(String field, String file, String expected, Exception why) {
        return new TlsFileException(
                field + ": " + (file.isEmpty() ? "not usable" : "\"" + file + "\"") + " (expected: " + expected + ")",
                why);
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException impossible) {
            throw new GeneralSecurityException(impossible);
        }
        return store;
    }
}
