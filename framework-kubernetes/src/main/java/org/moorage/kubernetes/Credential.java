// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import org.moorage.tls.Pem;

/**
 * The identity that a request is sent with.
 *
 * @param authorization the value of the {@code Authorization} header; empty for none
 * @param certificate the client's certificates, overriding the kubeconfig's; none to use the kubeconfig's
 * @param key the key of the certificate
 */
record Credential(String authorization, Pem certificate, Pem key) {
    /** No token, and only the kubeconfig's certificate; anonymous if it has none. */
    static final Credential NONE = header("");

    static Credential header(String authorization) {
        return new Credential(authorization, Pem.NONE, Pem.NONE);
    }

    /**
     * Returns the credential for a bearer token; {@link #NONE} if it is empty.
     *
     * @throws IOException if no request can be sent with it
     */
    static Credential bearer(String token) throws IOException {
        for (int i = 0; i < token.length(); i++) {
            char c = token.charAt(i);
            if (c < ' ' || c > '~') {
                // The message must not reveal the token, only the offending character.
                throw new IOException("token: character %d is U+%04X (expected: characters of ASCII on one line)"
                        .formatted(i + 1, (int) c));
            }
        }
        return header(token.isEmpty() ? "" : "Bearer " + token);
    }
}
