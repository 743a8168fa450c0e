// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.report;

import java.util.Optional;
import java.util.concurrent.Executor;
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
    private static final int LONGEST_MESSAGE = 32_768;

    private final ClusterWriter writer;
    private final NewestUpdates<Update> updates;

    private record Update(PodGroup group, PodCondition condition) {
        Update replacedBy(Update newer) {
            return isTrue(condition) && !isTrue(newer.condition) ? this : newer;
        }
    }

    /**
     * Creates an instance without pending conditions.
     *
     * @param executor sends the conditions; those of several groups concurrently
     */
    public PodGroupConditions(ClusterWriter writer, Executor executor) {
        this.writer = writer;
        updates = new NewestUpdates<>(executor, this::send, Update::replacedBy);
    }

    /**
     * Sends a condition to the status of a group soon, unless a newer one replaces it before.
     *
     * @param group the group as it was scheduled
     * @param status {@code True} or {@code False}
     */
    public void update(PodGroup group, String status, String reason, String whole) {
        PodCondition condition = new PodCondition(
                PodGroup.INITIALLY_SCHEDULED,
                status,
                reason,
                PluginText.bounded(whole, LONGEST_MESSAGE),
                group.metadata().generation());
        Optional<PodCondition> before = group.initiallyScheduled();
        boolean stays = before.isPresent() && isTrue(before.get()) && !isTrue(condition);
        if (!stays && !before.equals(Optional.of(condition))) {
            updates.add(group.metadata().uid(), new Update(group, condition));
        }
    }

    private static boolean isTrue(PodCondition condition) {
        return condition.status().equals("True");
    }

    private void send(Update update) {
        try {
            writer.patchStatus(update.group, update.condition);
        } catch (ClusterException failed) {
            if (!failed.isNotFound()) {
                LOG.atError()
                        .addKeyValue("podGroup", update.group.key())
                        .setCause(failed)
                        .log("Failed to update PodGroup status");
            }
        }
    }
}
