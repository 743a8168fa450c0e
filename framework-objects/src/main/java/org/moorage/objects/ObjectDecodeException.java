// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * An object cannot be decoded. The message is one line: the object and the field, the value there, and what was expected.
 */
public final class ObjectDecodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ObjectDecodeException(String message) {
        super(message);
    }
}
