// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.log;

import org.jspecify.annotations.Nullable;

/** An exception without a stack trace whose methods run no code of plugins, so that it is logged without a copy. */
public abstract class SafeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    protected SafeException(String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
    }

    @Override
    public final String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
