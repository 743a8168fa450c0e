// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * A tree is not the object that it should be. The message is one line: which object, where in it, the value seen, and what
 * was expected there.
 */
public final class ObjectDecodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ObjectDecodeException(String message) {
        super(message);
    }
}
