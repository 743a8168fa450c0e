// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

/** Thrown when the search for devices on a node exceeds the filter timeout. */
final class AllocationTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AllocationTimeoutException() {
        super("timed out");
    }
}
