// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.config.plugin.PluginText;
import org.moorage.runtime.internal.log.Log;

/**
 * Writes the results of attempts to the status of pod groups. For each group at most one condition is being sent and
 * one is pending; a newer one replaces the pending one. Once a group is reported as scheduled, its condition stays so.
 */
public final class PodGroupConditions {
    private static final Log LOG = Log.of(PodGroupConditions.class);
    private static final String TRUE = "True";
    private static final int LONGEST_MESSAGE = 32_768;

    private final ClusterWriter writer;
    private final Executor executor;

    @GuardedBy("this")
    private final Map<String, Update> waitingByUid = new HashMap<>();

    @GuardedBy("this")
    private final Set<String> beingSent = new HashSet<>();

    private record Update(PodGroup group, PodCondition condition) {}

    /**
     * Creates an instance without pending conditions.
     *
     * @param executor sends the conditions; those of several groups concurrently
     */
    public PodGroupConditions(ClusterWriter writer, Executor executor) {
        this.writer = writer;
        this.executor = executor;
    }

    /**
     * Sends a condition to the status of a group soon, unless a newer one replaces it before.
     *
     * @param group the group as it was scheduled
     * @param status {@code True} or {@code False}
     */
    public void update(PodGroup group, String status, String reason, String whole) {
        String message = PluginText.bounded(whole, LONGEST_MESSAGE);
        Optional<PodCondition> before = group.initiallyScheduled();
        if (before.isPresent() && before.get().status().equals(TRUE) && !status.equals(TRUE)) {
            return;
        }
        PodCondition condition = new PodCondition(
                PodGroup.INITIALLY_SCHEDULED,
                status,
                reason,
                message,
                group.metadata().generation());
        if (before.isPresent() && before.get().equals(condition)) {
            return;
        }
        synchronized (this) {
            Update waiting = waitingByUid.get(group.metadata().uid());
            if (waiting != null && waiting.condition.status().equals(TRUE) && !status.equals(TRUE)) {
                return;
            }
            waitingByUid.put(group.metadata().uid(), new Update(group, condition));
            if (waiting != null || beingSent.contains(group.metadata().uid())) {
                return;
            }
        }
        sendSoon(group);
    }

    private void sendSoon(PodGroup group) {
        try {
            executor.execute(() -> sendWaiting(group));
        } catch (RejectedExecutionException closed) {
            LOG.atDebug()
                    .addKeyValue("podGroup", group.key())
                    .log("Scheduler stops; status of the pod group is not updated");
        }
    }

    private void sendWaiting(PodGroup group) {
        Update update = take(group.metadata().uid());
        if (update == null) {
            return;
        }
        try {
            writer.patchStatus(update.group, update.condition);
        } catch (ClusterException failed) {
            if (!failed.isNotFound()) {
                LOG.atError()
                        .addKeyValue("podGroup", group.key())
                        .setCause(failed)
                        .log("Failed to update PodGroup status");
            }
        } finally {
            if (isAnotherWaitingAfter(group.metadata().uid())) {
                sendSoon(group);
            }
        }
    }

    private synchronized @Nullable Update take(String uid) {
        Update update = waitingByUid.remove(uid);
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
