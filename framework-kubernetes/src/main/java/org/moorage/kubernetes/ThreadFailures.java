// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

/** Reports unexpected failures that a thread survives. */
public final class ThreadFailures {
    private ThreadFailures() {}

    /**
     * Passes a failure to the uncaught-exception handler of the current thread, which counts and logs it, and ends the
     * process if the JVM is no longer reliable.
     */
    public static void tell(Throwable thrown) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }
}
