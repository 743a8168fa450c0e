// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

/** The search for devices took too long. */
final class SearchTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SearchTimeoutException() {
        super("timed out");
    }
}
