// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import org.jspecify.annotations.Nullable;

/** An extender failed, or its answer cannot be used. The message is kube-scheduler's. */
public final class ExtenderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean certainlyNotDone;

    /** Creates a failure after which the extender may have carried out the request. */
    public ExtenderException(String message) {
        this(message, false, null);
    }

    ExtenderException(String message, boolean certainlyNotDone, @Nullable Throwable cause) {
        super(message, cause);
        this.certainlyNotDone = certainlyNotDone;
    }

    /**
     * Returns whether the extender has certainly not carried out the request: it received none, or reports so itself.
     */
    public boolean isCertainlyNotDone() {
        return certainlyNotDone;
    }

    /** Returns the failure in one line. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
