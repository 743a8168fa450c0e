// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.PreEnqueuePlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gates before the active pods: the plugins that say whether a pod may be tried at all.
 *
 * <p>Guarded by the queue's lock, since it changes entries. An entry that is parked must be taken out before it is asked
 * about.
 */
final class PreEnqueue {
    private static final Logger LOG = LoggerFactory.getLogger(PreEnqueue.class);

    private final Map<String, QueueProfile> profiles;
    private final QueueObserver observer;

    PreEnqueue(Map<String, QueueProfile> profiles, QueueObserver observer) {
        this.profiles = profiles;
        this.observer = observer;
    }

    /** Asks the gates of the pod's profile, and has the entry remember which one is closed, if any. */
    void ask(QueuedPodInfo entry) {
        List<PreEnqueuePlugin> gates = Objects.requireNonNull(
                        profiles.get(entry.pod().spec().schedulerName()))
                .preEnqueue();
        String closedGate = entry.gatedBy();
        // Most likely it is closed still, which makes asking the others needless.
        for (PreEnqueuePlugin gate : gates) {
            if (gate.name().equals(closedGate) && !isOpen(gate, entry)) {
                return;
            }
        }
        for (PreEnqueuePlugin gate : gates) {
            if (!gate.name().equals(closedGate) && !isOpen(gate, entry)) {
                return;
            }
        }
        entry.ungate();
    }

    private boolean isOpen(PreEnqueuePlugin gate, QueuedPodInfo entry) {
        Status status = ask(gate, entry.pod());
        if (status.isSuccess()) {
            return true;
        }
        if (!entry.rejectors().contains(gate.name())) {
            observer.rejected(entry.pod().spec().schedulerName(), gate.name(), 1);
        }
        entry.gate(gate.name());
        LOG.atTrace()
                .addKeyValue("pod", entry.pod())
                .addKeyValue("plugin", gate.name())
                .addKeyValue("status", status)
                .log("Status after running PreEnqueue plugin");
        return false;
    }

    private static Status ask(PreEnqueuePlugin gate, Pod pod) {
        try {
            return Objects.requireNonNull(gate.preEnqueue(pod), "status");
        } catch (RuntimeException e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue("pod", pod)
                    .addKeyValue("plugin", gate.name())
                    .log("Unexpected error running PreEnqueue plugin");
            return Status.error(String.valueOf(e.getMessage()));
        }
    }
}
