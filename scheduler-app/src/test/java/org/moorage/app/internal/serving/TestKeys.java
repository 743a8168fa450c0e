// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A key and its certificate, made for a test. */
public record TestKeys(KeyPair keys, X509Certificate certificate) {
    public static TestKeys authority(String subject) {
        return make(subject, null);
    }

    /** Keys whose certificate this authority signs. */
    public TestKeys sign(String subject) {
        return make(subject, this);
    }

    private static TestKeys make(String subject, TestKeys authority) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            KeyPair keys = generator.generateKeyPair();
            Instant now = Instant.now();
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    authority == null
                            ? new X500Name(subject)
                            : X500Name.getInstance(authority
                                    .certificate
                                    .getSubjectX500Principal()
                                    .getEncoded()),
                    BigInteger.valueOf(System.nanoTime()),
                    Date.from(now.minus(Duration.ofHours(1))),
                    Date.from(now.plus(Duration.ofHours(1))),
                    X500Name.getInstance(new X500Principal(subject).getEncoded()),
                    keys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority == null));
            X509Certificate certificate = new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA")
                            .build(authority == null ? keys.getPrivate() : authority.keys.getPrivate())));
            return new TestKeys(keys, certificate);
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    String certificatePem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    String keyPem() {
        return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + what + "-----\n";
    }

    public Path writeCertificate(Path file) {
        return write(file, certificatePem());
    }

    public Path writeKey(Path file) {
        return write(file, keyPem());
    }

    private static Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public KeyManager[] managers() {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("key", keys.getPrivate(), new char[0], new X509Certificate[] {certificate});
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, new char[0]);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
