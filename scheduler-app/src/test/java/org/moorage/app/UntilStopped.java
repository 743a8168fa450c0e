// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.moorage.app.internal.process.HostProcess;

/** The process of a command that runs until it is stopped, which is that of the tests: keeps what stops the command. */
final class UntilStopped implements HostProcess {
    /** How long a start or an end may take. */
    static final long SECONDS = 60;

    private final CompletableFuture<BooleanSupplier> stop = new CompletableFuture<>();

    /** Returns the action that stops the command; completes when the command runs. */
    CompletableFuture<BooleanSupplier> stopping() {
        return stop;
    }

    /** Returns the action that stops the command, once it runs. */
    BooleanSupplier stop() throws InterruptedException, ExecutionException, TimeoutException {
        return stop.get(SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void logPrints() {
        // The process is that of the tests.
    }

    @Override
    public void onTermination(BooleanSupplier value) {
        stop.complete(value);
    }

    @Override
    public void exit(int code) {
        throw new IllegalStateException("exit " + code);
    }
}
