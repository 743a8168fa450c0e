// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * What a person gave as their cluster cannot be used. The message is one line: where, the value seen, and what was
 * expected there.
 */
public final class ClusterFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ClusterFileException(String message) {
        super(message);
    }

    ClusterFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
