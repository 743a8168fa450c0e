// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A lock that runs the queries of several slow pages one at a time, so that many of them cannot exhaust the memory or
 * the processors of the process.
 */
public final class OneAtATime {
    private static final int LONGEST_WAIT = 10;

    private final Semaphore turn = new Semaphore(1);

    /**
     * Returns a page that waits for its turn, and answers 503 if that takes more than {@value #LONGEST_WAIT} seconds.
     */
    public Page of(Page page) {
        return query -> {
            boolean isTurn = false;
            try {
                isTurn = turn.tryAcquire(LONGEST_WAIT, TimeUnit.SECONDS);
                return isTurn ? page.reply(query) : Reply.text(503, "other requests are worked on, try again\n");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Reply.text(503, "the server ends\n");
            } finally {
                if (isTurn) {
                    turn.release();
                }
            }
        };
    }
}
