// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * The files of a cluster cannot be used. The message is one line: the file or object and the field, the value there, and what
 * was expected.
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
