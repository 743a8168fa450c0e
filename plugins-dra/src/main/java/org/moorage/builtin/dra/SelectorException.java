// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import org.jspecify.annotations.Nullable;

/** A CEL expression makes no sense, or does not for a device. */
final class SelectorException extends Exception {
    private static final long serialVersionUID = 1L;

    SelectorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
