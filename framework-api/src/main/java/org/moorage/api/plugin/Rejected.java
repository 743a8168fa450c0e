// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import org.moorage.api.Code;
import org.moorage.api.Status;

/** What an answer that rejects may carry. */
final class Rejected {
    private Rejected() {}

    /**
     * The status.
     *
     * @throws IllegalArgumentException if it is not a rejection, with its reasons
     */
    static Status checked(Status status) {
        if (!status.isRejection()) {
            String reasons = status.code() == Code.ERROR ? " \"" + status.message() + "\"" : "";
            throw new IllegalArgumentException(
                    "status: " + status.code() + reasons + " (expected: a rejection; a plugin that fails throws)");
        }
        return status;
    }
}
