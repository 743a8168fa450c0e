// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import org.jspecify.annotations.Nullable;

/** A CEL expression makes no sense, or does not for a device. */
public final class SelectorException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is wrong, in the words of kube-scheduler. */
    public SelectorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
