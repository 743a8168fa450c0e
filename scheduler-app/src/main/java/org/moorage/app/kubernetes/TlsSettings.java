// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kubernetes.client.util.SSLUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What connections are secured with. Files are read again every ten seconds; when they have changed, new connections are made with new
 * sockets, and those of before are used no more.
 */
final class TlsSettings {
    private static final Logger LOG = LoggerFactory.getLogger(TlsSettings.class);
    private static final Duration MAX_AGE = Duration.ofSeconds(10);

    private final PemSource authority;
    private final PemSource certificate;
    private final PemSource key;
    private final boolean trustsAll;
    private final String serverName;

    @GuardedBy("this")
    private @Nullable Sockets sockets;

    @GuardedBy("this")
    private long readAt;

    /**
     * Makes sockets of one state of the files. OkHttp shares connections between requests with the same factory.
     *
     * @param material what it was made of
     */
    record Sockets(SSLSocketFactory factory, X509TrustManager trust, Material material) {}

    private record Material(byte[] authority, byte[] certificate, byte[] key) {
        boolean isSame(Material other) {
            return Arrays.equals(authority, other.authority)
                    && Arrays.equals(certificate, other.certificate)
                    && Arrays.equals(key, other.key);
        }
    }

    /**
     * Settings; nothing is read yet.
     *
     * @param authority who signs the server's certificate; none for the authorities of the JVM
     * @param certificate the client's
     * @param key of the client's certificate
     * @param trustsAll whether the server's certificate is not looked at
     * @param serverName the name that the server's certificate is for; empty for that of the address
     */
    TlsSettings(PemSource authority, PemSource certificate, PemSource key, boolean trustsAll, String serverName) {
        this.authority = authority;
        this.certificate = certificate;
        this.key = key;
        this.trustsAll = trustsAll;
        this.serverName = serverName;
    }

    /** What to make connections with now. */
    synchronized Sockets current(Credential credential) throws IOException {
        Sockets known = sockets;
        boolean isFresh = known != null
                && System.nanoTime() - readAt < MAX_AGE.toNanos()
                && (credential.certificate().isEmpty()
                        || Arrays.equals(
                                known.material.certificate,
                                credential.certificate().getBytes(UTF_8)));
        return isFresh && known != null ? known : latest(credential);
    }

    /** As {@link #current}, with the files as they are at this moment. */
    synchronized Sockets latest(Credential credential) throws IOException {
        Sockets known = sockets;
        try {
            boolean hasOwn = !credential.certificate().isEmpty();
            Material material = new Material(
                    authority.read(),
                    hasOwn ? credential.certificate().getBytes(UTF_8) : certificate.read(),
                    hasOwn ? credential.key().getBytes(UTF_8) : key.read());
            if (known == null || !known.material.isSame(material)) {
                if (known != null) {
                    LOG.info("Certificates have changed; connecting anew");
                }
                known = sockets(material);
                sockets = known;
            }
            readAt = System.nanoTime();
            return known;
        } catch (IOException | GeneralSecurityException e) {
            // A file may be only half written.
            if (known != null) {
                LOG.atWarn()
                        .addKeyValue("cause", ErrorText.of(e))
                        .log("Cannot read certificates; using those of before");
                readAt = System.nanoTime();
                return known;
            }
            throw new IOException("certificates: " + ErrorText.of(e), e);
        }
    }

    private Sockets sockets(Material material) throws IOException, GeneralSecurityException {
        X509TrustManager trust = trustsAll ? new TrustAll() : trust(material.authority);
        KeyManager[] keys = material.certificate.length == 0
                ? new KeyManager[0]
                : SSLUtils.keyManagers(
                        material.certificate,
                        material.key,
                        SSLUtils.recognizePrivateKeyAlgo(material.key),
                        "",
                        null,
                        null);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, new TrustManager[] {trust}, new SecureRandom());
        SSLSocketFactory factory = context.getSocketFactory();
        return new Sockets(
                serverName.isEmpty() ? factory : new ServerNameSocketFactory(factory, serverName), trust, material);
    }

    private static X509TrustManager trust(byte[] authorities) throws IOException, GeneralSecurityException {
        KeyStore store = null;
        if (authorities.length > 0) {
            store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate authority : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(authorities))) {
                store.setCertificateEntry("ca-" + number++, authority);
            }
            if (number == 0) {
                throw new IOException("certificate-authority: no certificate in it (expected: PEM)");
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager found) {
                return found;
            }
        }
        throw new IllegalStateException("no X509TrustManager");
    }

    /** Looks at no certificate, as the kubeconfig asks for. */
    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
