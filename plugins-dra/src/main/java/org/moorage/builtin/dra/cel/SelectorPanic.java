// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

/** Where kube-scheduler's CEL library gives up on an expression altogether, rather than evaluate it to an error. */
final class SelectorPanic extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SelectorPanic(String message) {
        super("internal error: " + message, null, false, false);
    }
}
