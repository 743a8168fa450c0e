// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.util.function.BooleanSupplier;

/** The process that a command runs in. */
public interface HostProcess {
    /**
     * Sets what to do when the process is told to end.
     *
     * @param stop stops what runs, and says whether anything did
     */
    void onTermination(BooleanSupplier stop);

    /** Has what is printed to its standard output and error by others than the command become lines of the log. */
    void logPrints();

    /** Ends it at once, with what was logged written. */
    void exit(int code);
}
