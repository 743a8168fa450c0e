// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.plugin.cluster.ClusterException;

/** Sends changes of pod groups to the API server. */
final class PodGroupWrites {
    private final ObjectPatches patches;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final StopSignal stop;

    PodGroupWrites(ObjectPatches patches, InstantSource clock, RandomGenerator random, StopSignal stop) {
        this.patches = patches;
        this.clock = clock;
        this.random = random;
        this.stop = stop;
    }

    // Sent without a resource version: other components own the rest of the status, and their changes do not conflict.
    void patchStatus(PodGroup group, PodCondition condition) {
        if (group.initiallyScheduled().equals(Optional.of(condition))) {
            return;
        }
        ObjectNode patch = patch(group, condition);
        for (int tries = 1; ; tries++) {
            try {
                patches.mergeStrategically(ObjectKind.POD_GROUP, group.namespace(), group.name(), "status", patch);
                return;
            } catch (ClusterException e) {
                if (tries == PodWrites.MOST_STATUS_TRIES
                        || !ApiStatus.isRetriable(e) && !e.isConflict()
                        || stop.isSentWithin(PodWrites.STATUS_BACKOFF.after(tries, random))) {
                    throw e;
                }
            }
        }
    }

    private ObjectNode patch(PodGroup group, PodCondition condition) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        if (!group.metadata().uid().isEmpty()) {
            patch.putObject("metadata").put("uid", group.metadata().uid());
        }
        ObjectNode json = patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", condition.type())
                .put("status", condition.status())
                .put("reason", condition.reason())
                .put("message", condition.message());
        if (condition.observedGeneration() != 0) {
            json.put("observedGeneration", condition.observedGeneration());
        }
        boolean isTransition = group.initiallyScheduled()
                .map(known -> !known.status().equals(condition.status()))
                .orElse(true);
        if (isTransition) {
            json.put(
                    "lastTransitionTime",
                    clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        }
        return patch;
    }
}
