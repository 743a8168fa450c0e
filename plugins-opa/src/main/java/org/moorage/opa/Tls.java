// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS with certificates and keys from PEM files. */
final class Tls {
    private static final char[] NO_PASSWORD = new char[0];

    private Tls() {}

    /** Returns the context of a client that trusts these authorities. */
    static SSLContext trusting(Path authorities) {
        try {
            return context(null, trust(authorities));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(authorities + ": not PEM certificates: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the context of a server.
     *
     * @param clients the authorities of client certificates; null if clients need no certificate
     */
    static SSLContext serving(Path certificate, Path key, @Nullable Path clients) {
        try {
            KeyStore store = empty();
            store.setKeyEntry(
                    "server", key(key), NO_PASSWORD, certificates(certificate).toArray(Certificate[]::new));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            return context(keys, clients == null ? null : trust(clients));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(
                    certificate + ", " + key + ": not a PEM certificate with its PKCS#8 key: " + e.getMessage(), e);
        }
    }

    private static SSLContext context(@Nullable KeyManagerFactory keys, @Nullable TrustManagerFactory trust)
            throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                keys == null ? null : keys.getKeyManagers(), trust == null ? null : trust.getTrustManagers(), null);
        return context;
    }

    private static TrustManagerFactory trust(Path authorities) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        int number = 0;
        for (Certificate certificate : certificates(authorities)) {
            store.setCertificateEntry("authority-" + number++, certificate);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust;
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static PrivateKey key(Path file) throws GeneralSecurityException, IOException {
        String base64 = Files.readString(file).replaceAll("-----[^-]+-----", "").replaceAll("\\s", "");
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
        try {
            return KeyFactory.getInstance("RSA").generatePrivate(encoded);
        } catch (GeneralSecurityException notRsa) {
            return KeyFactory.getInstance("EC").generatePrivate(encoded);
        }
    }
}
