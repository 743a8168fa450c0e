// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import org.jspecify.annotations.Nullable;

/** The policies cannot be evaluated, or their result is invalid. */
final class PolicyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PolicyException(String message) {
        super(message);
    }

    PolicyException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
