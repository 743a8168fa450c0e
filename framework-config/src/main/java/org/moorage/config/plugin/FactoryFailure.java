// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import org.jspecify.annotations.Nullable;

/** Thrown when a factory or the arguments of a plugin throw, or return a value that the method does not allow. */
public final class FactoryFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FactoryFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Returns the failure in one line. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
