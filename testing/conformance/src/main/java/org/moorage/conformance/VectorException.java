// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import org.jspecify.annotations.Nullable;

/** A file is not one of recorded answers. The message is fit to be shown as it is. */
public final class VectorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    VectorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
