// SPDX-License-Identifier: Apache-2.0
package org.moorage.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.interfaces.ECPrivateKey;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files as openssl writes them: keys of {@code ecparam -genkey}, {@code genrsa -traditional} and
 * {@code genpkey -algorithm ed25519}, the same by {@code pkcs8 -topk8}, and certificates of {@code req -x509 -text}.
 */
class PemTest {
    private static Pem pem(String name) {
        try (InputStream content = PemTest.class.getResourceAsStream("keys/" + name)) {
            return Pem.of(name, content.readAllBytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Pem text(String text) {
        return Pem.of("keyData", text.getBytes(StandardCharsets.US_ASCII));
    }

    @Nested
    class PrivateKeys {
        @ParameterizedTest
        @ValueSource(strings = {"p256", "p384", "p521"})
        void ofCurvesInSec1AreThoseInPkcs8(String curve) throws InvalidKeyException {
            ECPrivateKey sec1 = (ECPrivateKey) pem(curve + ".sec1.pem").privateKey();
            ECPrivateKey pkcs8 = (ECPrivateKey) pem(curve + ".pkcs8.pem").privateKey();

            assertThat(sec1.getS()).isEqualTo(pkcs8.getS());
            assertThat(sec1.getParams().getOrder()).isEqualTo(pkcs8.getParams().getOrder());
        }

        @Test
        void ofRsaInPkcs1AreThoseInPkcs8() throws InvalidKeyException {
            PrivateKey pkcs1 = pem("rsa.pkcs1.pem").privateKey();

            assertThat(pkcs1).isEqualTo(pem("rsa.pkcs8.pem").privateKey());
        }

        @Test
        void areFoundBehindCertificates() throws InvalidKeyException {
            Pem both = new Pem(
                    "both", pem("rsa.crt.pem").text() + pem("rsa.pkcs8.pem").text());

            assertThat(both.privateKey()).isEqualTo(pem("rsa.pkcs8.pem").privateKey());
        }

        record Case(String name, Pem pem, String message) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> UNUSABLE = List.of(
                new Case(
                        "an encrypted key in PKCS #8",
                        pem("encrypted.pkcs8.pem"),
                        "encrypted.pkcs8.pem: not usable (expected: a private key in PEM that is not encrypted): an"
                                + " encrypted key"),
                new Case(
                        "an encrypted key in PKCS #1",
                        pem("encrypted.pkcs1.pem"),
                        "encrypted.pkcs1.pem: not usable (expected: a private key in PEM that is not encrypted): an"
                                + " encrypted key"),
                new Case(
                        "a key whose curve has no name",
                        pem("explicit.sec1.pem"),
                        "explicit.sec1.pem: not usable (expected: a private key in PEM): "),
                new Case(
                        "a certificate",
                        pem("rsa.crt.pem"),
                        "rsa.crt.pem: not usable (expected: a private key in PEM): no private key"),
                new Case(
                        "nothing", Pem.NONE, "none given: not usable (expected: a private key in PEM): no private key"),
                new Case(
                        "a key that is cut off",
                        text("""
                                -----BEGIN EC PRIVATE KEY-----
                                MHcCAQEEIA==
                                -----END EC PRIVATE KEY-----
                                """),
                        "keyData: not usable (expected: a private key in PEM): DER that ends too early"),
                new Case(
                        "no DER",
                        text("""
                                -----BEGIN PRIVATE KEY-----
                                bm9uZQ==
                                -----END PRIVATE KEY-----
                                """),
                        "keyData: not usable (expected: a private key in PEM): DER of no such key"),
                new Case("no base64", text("""
                                -----BEGIN PRIVATE KEY-----
                                ?
                                -----END PRIVATE KEY-----
                                """), "keyData: not usable (expected: a private key in PEM): "));

        @ParameterizedTest
        @FieldSource("UNUSABLE")
        void areRefusedWithTheirSource(Case given) {
            assertThatThrownBy(given.pem::privateKey)
                    .isInstanceOf(InvalidKeyException.class)
                    .hasMessageStartingWith(given.message);
        }
    }

    @Nested
    class Certificates {
        @Test
        void areReadInOrderAndNextToOtherText() throws CertificateException {
            Pem all = new Pem(
                    "all",
                    pem("rsa.crt.pem").text()
                            + pem("rsa.pkcs8.pem").text()
                            + pem("p256.crt.pem").text());

            assertThat(all.certificates())
                    .extracting(
                            certificate -> certificate.getSubjectX500Principal().getName())
                    .containsExactly("CN=rsa", "CN=p256");
        }

        @Test
        void areRefusedWithTheirSource() {
            assertThatThrownBy(() -> pem("rsa.pkcs8.pem").certificates())
                    .isInstanceOf(CertificateException.class)
                    .hasMessage("rsa.pkcs8.pem: not usable (expected: certificates in PEM): no certificate");
            assertThatThrownBy(() -> text("-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n")
                            .certificates())
                    .isInstanceOf(CertificateException.class)
                    .hasMessageStartingWith("keyData: not usable (expected: certificates in PEM): ");
        }
    }

    @Nested
    class Pairs {
        @ParameterizedTest
        @ValueSource(strings = {"p256.sec1", "p256.pkcs8", "rsa.pkcs1", "rsa.pkcs8", "ed25519.pkcs8"})
        void areACertificateAndItsKey(String key) throws GeneralSecurityException {
            Pem certificate = pem(key.replaceFirst("\\..*", "") + ".crt.pem");

            KeyedCertificate pair = KeyedCertificate.read(certificate, pem(key + ".pem"));

            assertThat(pair.keyManagers()).isNotEmpty();
        }

        @ParameterizedTest
        @ValueSource(strings = {"p384.sec1", "rsa.pkcs8"})
        void areRefusedIfTheKeyIsAnothers(String key) {
            assertThatThrownBy(() -> KeyedCertificate.read(pem("p256.crt.pem"), pem(key + ".pem")))
                    .isInstanceOf(GeneralSecurityException.class)
                    .hasMessage(
                            key + ".pem: not the key of the certificate of p256.crt.pem (expected: its private key)");
        }
    }

    @Test
    void namesTheFileThatCannotBeRead() {
        assertThatThrownBy(() -> Pem.ofFile("--tls-cert-file", Path.of("/nowhere/tls.crt")))
                .isInstanceOf(IOException.class)
                .hasMessage("--tls-cert-file: \"/nowhere/tls.crt\": no such file (expected: a readable file)");
    }

    @Test
    void hidesItsText() {
        assertThat(pem("rsa.pkcs8.pem")).hasToString("rsa.pkcs8.pem");
    }
}
