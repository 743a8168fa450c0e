// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.runtime.internal.log.Log;

/**
 * Sends updates of objects. For each object at most one update is being sent and one is pending; a newer one replaces the
 * pending one, so the pending updates are never more than the objects.
 */
final class NewestUpdates<U> {
    private static final Log LOG = Log.of(NewestUpdates.class);

    private final Executor executor;
    private final Consumer<U> send;
    private final BinaryOperator<U> replacement;

    @GuardedBy("this")
    private final Map<String, U> waitingByUid = new HashMap<>();

    @GuardedBy("this")
    private final Set<String> beingSent = new HashSet<>();

    /**
     * Creates an instance without updates.
     *
     * @param executor sends the updates; those of several objects concurrently
     * @param send sends an update, and throws nothing
     * @param replacement returns what is pending after a newer update, which is the second argument
     */
    NewestUpdates(Executor executor, Consumer<U> send, BinaryOperator<U> replacement) {
        this.executor = executor;
        this.send = send;
        this.replacement = replacement;
    }

    /** Sends an update of an object soon, unless a newer one replaces it before. */
    void add(String uid, U update) {
        if (put(uid, update)) {
            sendSoon(uid);
        }
    }

    // Returns whether a task is needed that sends it.
    private synchronized boolean put(String uid, U update) {
        boolean isFirst = !waitingByUid.containsKey(uid) && !beingSent.contains(uid);
        waitingByUid.merge(uid, update, replacement);
        return isFirst;
    }

    /** Returns the UIDs of the objects with an update that is being sent or pending. */
    synchronized List<String> uids() {
        Set<String> uids = new TreeSet<>(beingSent);
        uids.addAll(waitingByUid.keySet());
        return List.copyOf(uids);
    }

    private void sendSoon(String uid) {
        try {
            executor.execute(() -> sendWaiting(uid));
        } catch (RejectedExecutionException closed) {
            LOG.atDebug().addKeyValue("uid", uid).log("Scheduler stops; the status is not updated");
        }
    }

    private void sendWaiting(String uid) {
        U update = take(uid);
        if (update == null) {
            return;
        }
        try {
            send.accept(update);
        } finally {
            if (isAnotherWaitingAfter(uid)) {
                sendSoon(uid);
            }
        }
    }

    private synchronized @Nullable U take(String uid) {
        U update = waitingByUid.remove(uid);
        if (update != null) {
            beingSent.add(uid);
        }
        return update;
    }

    private synchronized boolean isAnotherWaitingAfter(String uid) {
        beingSent.remove(uid);
        return waitingByUid.containsKey(uid);
    }
}
