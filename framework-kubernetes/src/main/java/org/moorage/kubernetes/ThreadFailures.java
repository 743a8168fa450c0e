// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

/** Tells of what a thread met that it does not expect and that does not end it. */
public final class ThreadFailures {
    private ThreadFailures() {}

    /**
     * Tells whoever is told of what ends the current thread, which counts and logs it. If the virtual machine cannot be relied on any
     * more, that ends the process.
     */
    public static void tell(Throwable thrown) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }
}
