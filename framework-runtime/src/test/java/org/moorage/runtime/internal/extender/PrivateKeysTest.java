// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys as openssl writes them: {@code ecparam -genkey}, {@code genrsa -traditional}, and {@code pkcs8 -topk8} of these. */
class PrivateKeysTest {
    @ParameterizedTest
    @ValueSource(strings = {"p256", "p384", "p521"})
    void readsSec1AsItReadsPkcs8(String curve) throws IOException, GeneralSecurityException {
        ECPrivateKey sec1 = (ECPrivateKey) read(curve + ".sec1.pem");
        ECPrivateKey pkcs8 = (ECPrivateKey) read(curve + ".pkcs8.pem");

        assertThat(sec1.getS()).isEqualTo(pkcs8.getS());
        assertThat(sec1.getParams().getOrder()).isEqualTo(pkcs8.getParams().getOrder());
    }

    @Test
    void readsPkcs1AsItReadsPkcs8() throws IOException, GeneralSecurityException {
        assertThat((RSAPrivateCrtKey) read("rsa.pkcs1.pem")).isEqualTo(read("rsa.pkcs8.pem"));
    }

    private static PrivateKey read(String name) throws IOException, GeneralSecurityException {
        try (InputStream pem = PrivateKeysTest.class.getResourceAsStream("keys/" + name)) {
            return PrivateKeys.read(pem.readAllBytes());
        }
    }
}
