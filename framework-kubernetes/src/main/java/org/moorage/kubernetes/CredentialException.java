// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;

/** There are no credentials to send a request with, so it was not sent. */
final class CredentialException extends IOException {
    private static final long serialVersionUID = 1L;

    CredentialException(Exception cause) {
        super(ErrorText.of(cause), cause);
    }
}
