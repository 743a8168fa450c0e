// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

/** A certificate or key cannot be used. The message starts with the field that names it. */
final class TlsFileException extends Exception {
    private static final long serialVersionUID = 1L;

    TlsFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
