// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * An object cannot be decoded. The message is one line: the object and the field, the value there, and what was expected.
 */
public final class ObjectDecodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String place;

    /** An object as a whole cannot be decoded. */
    public ObjectDecodeException(String message) {
        this(message, "");
    }

    /**
     * An object cannot be decoded.
     *
     * @param place where the value is in the object, as a JSON pointer; empty for the object as a whole
     */
    public ObjectDecodeException(String message, String place) {
        super(message);
        this.place = place;
    }

    /** Where the value is in the object, as a JSON pointer; empty if the exception is about the object as a whole. */
    public String place() {
        return place;
    }
}
