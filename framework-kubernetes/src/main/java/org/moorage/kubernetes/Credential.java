// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import org.moorage.tls.Pem;

/**
 * Who sends a request.
 *
 * @param authorization the value of the header; empty for none
 * @param certificate the client's certificates, in place of those of the kubeconfig; none for these
 * @param key the key of the certificate
 */
record Credential(String authorization, Pem certificate, Pem key) {
    /** Nobody in particular, or whoever the certificate of the kubeconfig names. */
    static final Credential NONE = header("");

    static Credential header(String authorization) {
        return new Credential(authorization, Pem.NONE, Pem.NONE);
    }

    /**
     * A token; none if it is empty.
     *
     * @throws IOException if no request can be sent with it
     */
    static Credential bearer(String token) throws IOException {
        for (int i = 0; i < token.length(); i++) {
            char c = token.charAt(i);
            if (c < ' ' || c > '~') {
                // Which one, but nothing of the token.
                throw new IOException("token: character %d is U+%04X (expected: characters of ASCII on one line)"
                        .formatted(i + 1, (int) c));
            }
        }
        return header(token.isEmpty() ? "" : "Bearer " + token);
    }
}
