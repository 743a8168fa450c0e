// SPDX-License-Identifier: Apache-2.0
package org.moorage.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/**
 * The TLS identity of a client or server.
 *
 * @param chain the certificate, followed by those of its issuers
 * @param key the private key of the certificate
 */
public record KeyedCertificate(List<X509Certificate> chain, PrivateKey key) {
    private static final char[] NO_PASSWORD = new char[0];

    /** Creates a certificate with its key. */
    public KeyedCertificate {
        chain = List.copyOf(chain);
    }

    /**
     * Reads a certificate and its key.
     *
     * @throws GeneralSecurityException if one of them cannot be used, or they do not belong together
     */
    public static KeyedCertificate read(Pem certificate, Pem key) throws GeneralSecurityException {
        KeyedCertificate pair = new KeyedCertificate(certificate.certificates(), key.privateKey());
        if (!pair.isPair()) {
            throw new GeneralSecurityException(
                    key + ": not the key of the certificate of " + certificate + " (expected: its private key)");
        }
        return pair;
    }

    // The two files are replaced one after the other, and may be read in between.
    private boolean isPair() throws GeneralSecurityException {
        PublicKey publicKey = chain.get(0).getPublicKey();
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
        if (!publicKey.getAlgorithm().equals(key.getAlgorithm())) {
            return false;
        }
        byte[] text = {1};
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        signature.update(text);
        return signature.verify(signed);
    }

    /** Returns key managers that present the certificate to every peer. */
    public KeyManager[] keyManagers() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException impossible) {
            throw new GeneralSecurityException(impossible);
        }
        store.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }
}
