// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import org.moorage.runtime.tls.Pem;

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

    static Credential bearer(String token) {
        return header(token.isEmpty() ? "" : "Bearer " + token);
    }
}
