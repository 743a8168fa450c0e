// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * Thrown when an API server would refuse to create an object. The message is in its words, for example {@code pods "p"
 * is forbidden: maximum cpu usage per Container is 1, but limit is 2}.
 */
public final class ObjectRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception with this reason. */
    public ObjectRefusedException(String message) {
        super(message);
    }
}
