// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for tests, with generated keys. */
final class TestAuthority {
    private static final AtomicLong SERIAL = new AtomicLong(1);

    private final String name;
    private final KeyPair keys = newKeys();
    private final X509Certificate certificate;

    /** A key with its certificate. */
    record Identity(X509Certificate certificate, KeyPair keys) {
        String certificatePem() {
            return TestAuthority.pem("CERTIFICATE", encoded(certificate));
        }

        String keyPem() {
            return TestAuthority.pem("PRIVATE KEY", keys.getPrivate().getEncoded());
        }
    }

    TestAuthority(String name) {
        this.name = name;
        certificate = signed(name, keys, null);
    }

    String pem() {
        return pem("CERTIFICATE", encoded(certificate));
    }

    /** A certificate for a name, signed by this authority: of a server if it is a name of a host, or of a client. */
    Identity issue(String subject) {
        KeyPair own = newKeys();
        return new Identity(signed(subject, own, subject), own);
    }

    /** Returns the TLS context of a server with that identity, which trusts clients of this authority. */
    SSLContext server(Identity identity) {
        try {
            char[] password = {};
            KeyStore keyStore = KeyStore.getInstance("PKCS12");
            keyStore.load(null, null);
            keyStore.setKeyEntry(
                    "server", identity.keys.getPrivate(), password, new Certificate[] {identity.certificate});
            KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keyManagers.init(keyStore, password);
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("ca", certificate);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private X509Certificate signed(String subject, KeyPair of, String hostName) {
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                new X500Name("CN=" + name),
                BigInteger.valueOf(SERIAL.getAndIncrement()),
                Date.from(now.minus(Duration.ofDays(1))),
                Date.from(now.plus(Duration.ofDays(1))),
                new X500Name("CN=" + subject),
                of.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(hostName == null));
            if (hostName != null) {
                int type = hostName.matches("[0-9.]+") ? GeneralName.iPAddress : GeneralName.dNSName;
                builder.addExtension(
                        Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName(type, hostName)));
            }
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] encoded(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String type, byte[] bytes) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(bytes) + "\n-----END " + type
                + "-----\n";
    }
}
