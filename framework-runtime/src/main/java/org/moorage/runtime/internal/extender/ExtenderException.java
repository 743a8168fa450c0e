// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import org.jspecify.annotations.Nullable;

/** An extender failed, or its answer cannot be used. The message is kube-scheduler's. */
public final class ExtenderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean certainlyNotDone;

    /** A failure of which it is not certain that nothing was done. */
    public ExtenderException(String message) {
        this(message, false, null);
    }

    ExtenderException(String message, boolean certainlyNotDone, @Nullable Throwable cause) {
        super(message, cause);
        this.certainlyNotDone = certainlyNotDone;
    }

    /** Whether it is certain that the extender has not done what it was asked for: it was not asked, or says so itself. */
    public boolean isCertainlyNotDone() {
        return certainlyNotDone;
    }

    /** The failure in one line. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
