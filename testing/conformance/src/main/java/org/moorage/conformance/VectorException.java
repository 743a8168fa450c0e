// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import org.jspecify.annotations.Nullable;

/** A file does not contain recorded cases. The message can be shown to users. */
public final class VectorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    VectorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
