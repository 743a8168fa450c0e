// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Runs tasks on the calling thread, one after the other: a task that another one submits runs after it, so that a long
 * chain of tasks, such as members of a group that reject one another, takes no stack. For one thread.
 */
final class TurnExecutor implements Executor {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean isRunning;

    @Override
    public void execute(Runnable task) {
        waiting.add(task);
        if (isRunning) {
            return;
        }
        isRunning = true;
        try {
            for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                next.run();
            }
        } finally {
            isRunning = false;
        }
    }
}
