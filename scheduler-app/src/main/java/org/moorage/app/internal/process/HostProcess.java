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

    /** Redirects what plugins and libraries print to stdout and stderr to the log. */
    void logPrints();

    /** Flushes the log and exits immediately. */
    void exit(int code);
}
