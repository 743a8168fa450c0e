// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import org.jspecify.annotations.Nullable;

/**
 * The files of a cluster cannot be used. The message has a line for each problem: the file or object and the field, the value
 * there, and what was expected.
 */
public final class ClusterFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What a file is that cannot be used. */
    enum Reason {
        /** It can be parsed, and something in it is wrong. */
        WRONG,
        /** It is neither YAML nor JSON. */
        MALFORMED,
        /** It is a template of such a file. */
        TEMPLATE
    }

    private final Reason reason;

    ClusterFileException(String message) {
        this(message, null);
    }

    ClusterFileException(String message, @Nullable Throwable cause) {
        this(message, cause, Reason.WRONG);
    }

    ClusterFileException(String message, @Nullable Throwable cause, Reason reason) {
        super(message, cause);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }
}
