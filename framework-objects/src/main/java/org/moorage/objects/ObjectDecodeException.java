// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

/**
 * Thrown when an object cannot be decoded. The message is one line: the object and the field, the value there, and the
 * expected value.
 */
public final class ObjectDecodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String place;

    /** Creates an exception about an object as a whole. */
    public ObjectDecodeException(String message) {
        this(message, "");
    }

    /**
     * Creates an exception about a value of an object.
     *
     * @param place where the value is in the object, as a JSON pointer; empty for the object as a whole
     */
    public ObjectDecodeException(String message, String place) {
        super(message);
        this.place = place;
    }

    /** Returns the JSON pointer to the value in the object; empty if the exception is about the object as a whole. */
    public String place() {
        return place;
    }
}
