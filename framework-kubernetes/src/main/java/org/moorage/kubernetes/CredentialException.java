// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;

/** Thrown if there are no credentials to send a request with; the request was not sent. */
final class CredentialException extends IOException {
    private static final long serialVersionUID = 1L;

    CredentialException(Exception cause) {
        super(ErrorText.of(cause), cause);
    }
}
