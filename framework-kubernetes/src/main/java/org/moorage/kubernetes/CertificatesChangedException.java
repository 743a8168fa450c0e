// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;

/**
 * Thrown if the server rejected a request that was sent with outdated certificates. A new call makes a new connection;
 * within the same call OkHttp would keep the old one.
 */
final class CertificatesChangedException extends IOException {
    private static final long serialVersionUID = 1L;

    CertificatesChangedException() {
        super("the certificates have changed");
    }
}
