// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.Collection;
import java.util.function.Consumer;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells several listeners. Logs what one throws, so that it has no effect on the others and on the pod that it is told of. */
final class LoggedListeners implements SchedulerListener {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedListeners.class);

    // An array, since telling of a fatal error must not need memory.
    private final SchedulerListener[] listeners;

    LoggedListeners(Collection<SchedulerListener> listeners) {
        this.listeners = listeners.toArray(SchedulerListener[]::new);
    }

    @Override
    public boolean takesDetails() {
        for (SchedulerListener listener : listeners) {
            if (listener.takesDetails()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void explained(Pod pod, AttemptDetails details) {
        tell(listener -> {
            if (listener.takesDetails()) {
                listener.explained(pod, details);
            }
        });
    }

    @Override
    public void groupDecided(GroupKey group, String result, String message) {
        tell(listener -> listener.groupDecided(group, result, message));
    }

    @Override
    public void decided(Decision decision) {
        tell(listener -> listener.decided(decision));
    }

    @Override
    public void bound(Pod pod, String nodeName, Decision decision) {
        tell(listener -> listener.bound(pod, nodeName, decision));
    }

    @Override
    public void bindingFailed(Pod pod, String nodeName, String message) {
        tell(listener -> listener.bindingFailed(pod, nodeName, message));
    }

    @Override
    public void backgroundTaskFailed(String profileName, Throwable thrown) {
        tell(listener -> listener.backgroundTaskFailed(profileName, thrown));
    }

    @Override
    public void pluginCallOverdue(String plugin, String method) {
        tell(listener -> listener.pluginCallOverdue(plugin, method));
    }

    @Override
    public void pluginSuspended(String plugin, String reason) {
        tell(listener -> listener.pluginSuspended(plugin, reason));
    }

    @Override
    public void pluginResumed(String plugin) {
        tell(listener -> listener.pluginResumed(plugin));
    }

    @Override
    public void threadFailed(String thread, Throwable thrown) {
        tell(listener -> listener.threadFailed(thread, thrown));
    }

    @Override
    public void fatalError(Throwable error) {
        for (SchedulerListener listener : listeners) {
            listener.fatalError(error);
        }
    }

    private void tell(Consumer<SchedulerListener> call) {
        for (SchedulerListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (Throwable thrown) {
                Thrown.rethrowIfFatal(thrown);
                LOG.atError().setCause(Thrown.loggable(thrown)).log("Scheduler listener failed");
            }
        }
    }
}
