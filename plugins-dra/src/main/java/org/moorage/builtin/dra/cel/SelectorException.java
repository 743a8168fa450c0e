// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import org.jspecify.annotations.Nullable;

/** Thrown when a CEL expression is invalid, or fails for a device. */
public final class SelectorException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Creates an exception with a message in the words of kube-scheduler. */
    public SelectorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
