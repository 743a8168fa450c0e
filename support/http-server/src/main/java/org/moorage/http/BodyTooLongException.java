// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;

/** Thrown if a body exceeds its limit. */
public final class BodyTooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    BodyTooLongException(long mostBytes) {
        super("body of more than " + mostBytes + " bytes (expected: a shorter one)");
    }
}
