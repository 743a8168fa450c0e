// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the files of a cluster cannot be used. The message has a line for each problem: the file or object and
 * the field, the value there, and the expected value.
 */
public class ClusterFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Something in them is wrong. */
    public ClusterFileException(String message) {
        this(message, null);
    }

    /** Something in them is wrong. */
    public ClusterFileException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
