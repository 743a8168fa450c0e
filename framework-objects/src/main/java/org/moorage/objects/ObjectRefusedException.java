// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * An API server would refuse to create an object. The message is in its words, for example {@code pods "p" is forbidden: maximum cpu usage per
 * Container is 1, but limit is 2}.
 */
public final class ObjectRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An object is refused for this reason. */
    public ObjectRefusedException(String message) {
        super(message);
    }
}
