// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.util.function.BooleanSupplier;

/** The process that a command runs in. */
public interface HostProcess {
    /**
     * Sets the action for a termination signal.
     *
     * @param stop stops the running work, and returns whether anything was running
     */
    void onTermination(BooleanSupplier stop);

    /** Has what is printed to its standard output and error by others than the command become lines of the log. */
    void logPrints();

    /** Ends it at once, with what was logged written. */
    void exit(int code);
}
