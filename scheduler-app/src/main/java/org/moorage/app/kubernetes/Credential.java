// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

/**
 * Who sends a request.
 *
 * @param authorization the value of the header; empty for none
 * @param certificate the client's certificates in PEM, in place of those of the kubeconfig; empty for these
 * @param key the key of the certificate in PEM
 */
record Credential(String authorization, String certificate, String key) {
    /** Nobody in particular, or whoever the certificate of the kubeconfig names. */
    static final Credential NONE = header("");

    static Credential header(String authorization) {
        return new Credential(authorization, "", "");
    }

    static Credential bearer(String token) {
        return header(token.isEmpty() ? "" : "Bearer " + token);
    }
}
