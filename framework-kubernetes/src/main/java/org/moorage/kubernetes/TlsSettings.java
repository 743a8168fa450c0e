// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.moorage.tls.KeyedCertificate;
import org.moorage.tls.Pem;
import org.moorage.tls.ServerTrust;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS settings of connections. Files are read again every ten seconds. After a change, new connections use new
 * sockets, and the old connections are no longer used.
 */
final class TlsSettings {
    private static final Logger LOG = LoggerFactory.getLogger(TlsSettings.class);
    private static final Duration MAX_AGE = Duration.ofSeconds(10);

    private final PemSource authority;
    private final PemSource certificate;
    private final PemSource key;
    private final boolean trustsAll;
    private final String serverName;
    private final InstantSource clock;

    @GuardedBy("this")
    private @Nullable Sockets sockets;

    @GuardedBy("this")
    private Instant readAt = Instant.MIN;

    /**
     * The socket factory for one state of the files. OkHttp shares connections between requests with the same factory.
     *
     * @param material the certificates and keys that it was made from
     */
    record Sockets(SSLSocketFactory factory, X509TrustManager trust, Material material) {}

    private record Material(Pem authority, Pem certificate, Pem key) {}

    /**
     * Creates settings; reads no file yet.
     *
     * @param authority the authorities that sign the server's certificate; none for those of the JVM
     * @param certificate the client's
     * @param key of the client's certificate
     * @param trustsAll whether to skip verification of the server's certificate
     * @param serverName the expected name in the server's certificate; empty for that of the address
     * @param clock the monotonic clock, for the age of the files' content
     */
    TlsSettings(
            PemSource authority,
            PemSource certificate,
            PemSource key,
            boolean trustsAll,
            String serverName,
            InstantSource clock) {
        this.authority = authority;
        this.certificate = certificate;
        this.key = key;
        this.trustsAll = trustsAll;
        this.serverName = serverName;
        this.clock = clock;
    }

    /** Returns sockets that trust no server. */
    static Sockets trustingNobody() {
        try {
            X509TrustManager nobody = ServerTrust.authorities(List.of());
            SSLContext context = context(new KeyManager[0], nobody);
            return new Sockets(context.getSocketFactory(), nobody, new Material(Pem.NONE, Pem.NONE, Pem.NONE));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Makes the JVM load the classes that a connection needs, by creating a TLS ClientHello and discarding it. */
    static void load() {
        try {
            SSLEngine client = context(new KeyManager[0], ServerTrust.authorities(List.of()))
                    .createSSLEngine("localhost", 443);
            client.setUseClientMode(true);
            ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
            SSLEngineResult ignored = client.wrap(ByteBuffer.allocate(0), hello);
        } catch (GeneralSecurityException | SSLException e) {
            // The first connection fails in the same way, and reports it.
            LOG.atDebug().addKeyValue("err", e.getMessage()).log("Cannot prepare a connection");
        }
    }

    private static SSLContext context(KeyManager[] keys, X509TrustManager trust) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, new TrustManager[] {trust}, null);
        return context;
    }

    /** Returns the sockets for new connections; reads the files again if they are due. */
    synchronized Sockets current(Credential credential) throws IOException {
        Sockets known = sockets;
        boolean isFresh = known != null
                && clock.instant().isBefore(readAt.plus(MAX_AGE))
                && (credential.certificate().isNone() || known.material.certificate.equals(credential.certificate()));
        return isFresh && known != null ? known : latest(credential);
    }

    /** Returns the sockets like {@link #current}, but always reads the files again. */
    synchronized Sockets latest(Credential credential) throws IOException {
        Sockets known = sockets;
        try {
            boolean hasOwn = !credential.certificate().isNone();
            Material material = new Material(
                    authority.read(),
                    hasOwn ? credential.certificate() : certificate.read(),
                    hasOwn ? credential.key() : key.read());
            if (known == null || !known.material.equals(material)) {
                if (known != null) {
                    LOG.info("Certificates have changed; connecting anew");
                }
                known = sockets(material);
                sockets = known;
            }
            readAt = clock.instant();
            return known;
        } catch (IOException | GeneralSecurityException e) {
            // A file may be partly written.
            if (known != null) {
                LOG.atWarn()
                        .addKeyValue("cause", ErrorText.of(e))
                        .log("Cannot read certificates; using those of before");
                readAt = clock.instant();
                return known;
            }
            throw new IOException("certificates: " + ErrorText.of(e), e);
        }
    }

    private Sockets sockets(Material material) throws GeneralSecurityException {
        X509TrustManager trust = trustsAll ? ServerTrust.any() : trust(material.authority);
        KeyManager[] keys = material.certificate.isNone()
                ? new KeyManager[0]
                : KeyedCertificate.read(material.certificate, material.key).keyManagers();
        SSLSocketFactory factory = context(keys, trust).getSocketFactory();
        return new Sockets(
                serverName.isEmpty() ? factory : new ServerNameSocketFactory(factory, serverName), trust, material);
    }

    private static X509TrustManager trust(Pem authority) throws GeneralSecurityException {
        return authority.isNone() ? ServerTrust.knownAuthorities() : ServerTrust.authorities(authority.certificates());
    }
}
