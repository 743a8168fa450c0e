// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

/** An error as the value of an expression: {@code ||} and {@code &&} can do without it, everything else passes it on. */
record Failure(String message) {
    static final Failure NO_OVERLOAD = new Failure("no such overload");
}
