// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate authority with a generated key, and certificates for 127.0.0.1 that it signs, created by the JDK's
 * keytool.
 */
final class TestAuthority {
    private static final String PASSWORD = "changeit";
    private static final String SELF = "authority";

    private final Path folder;
    private final Path file;

    /** An authority of a name; another one of the same name has another key. */
    TestAuthority(Path folder, String name) {
        this.folder = folder;
        file = folder.resolve("authority.p12");
        keytool(SELF, "EC", "CN=" + name, "-ext", "bc:c");
    }

    /** Its own certificate, in PEM. */
    Path certificate() {
        return pem(SELF).certificate();
    }

    /** A certificate that it has signed, and its key, in PEM. */
    record Signed(Path certificate, Path key) {}

    /**
     * Signs a certificate for a new key.
     *
     * @param algorithm EC or RSA
     */
    Signed sign(String name, String algorithm) {
        keytool(name, algorithm, "CN=" + name, "-signer", SELF, "-ext", "san=ip:127.0.0.1");
        return pem(name);
    }

    /** For who trusts the authority and has no certificate. */
    SSLContext trusting() {
        return context(new KeyManager[0]);
    }

    /** For who trusts the authority, with a certificate that another one has signed under a name. */
    SSLContext trusting(TestAuthority signer, String name) {
        signer.sign(name, "EC");
        try {
            KeyStore own = empty();
            KeyStore store = signer.store();
            own.setKeyEntry(
                    name,
                    store.getKey(name, PASSWORD.toCharArray()),
                    PASSWORD.toCharArray(),
                    store.getCertificateChain(name));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, PASSWORD.toCharArray());
            return context(keys.getKeyManagers());
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private SSLContext context(KeyManager[] own) {
        try {
            KeyStore known = empty();
            known.setCertificateEntry(SELF, store().getCertificate(SELF));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(known);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private KeyStore store() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private Signed pem(String name) {
        try {
            KeyStore store = store();
            Path certificate = folder.resolve(name + ".crt");
            Path key = folder.resolve(name + ".key");
            Files.writeString(
                    certificate, pem("CERTIFICATE", store.getCertificate(name).getEncoded()));
            Files.writeString(
                    key,
                    pem(
                            "PRIVATE KEY",
                            store.getKey(name, PASSWORD.toCharArray()).getEncoded()));
            return new Signed(certificate, key);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + what
                + "-----\n";
    }

    private void keytool(String alias, String algorithm, String subject, String... more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                algorithm,
                "-dname",
                subject,
                "-validity",
                "2",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD));
        command.addAll(List.of(more));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
