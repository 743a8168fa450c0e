// SPDX-License-Identifier: Apache-2.0
package org.moorage.http;

import java.io.IOException;

/** A body is longer than it may be. */
public final class BodyTooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    BodyTooLongException(long mostBytes) {
        super("body of more than " + mostBytes + " bytes (expected: a shorter one)");
    }
}
