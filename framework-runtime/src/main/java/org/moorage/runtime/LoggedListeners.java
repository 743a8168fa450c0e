// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import java.util.Collection;
import java.util.function.Consumer;
import org.moorage.api.GroupKey;
import org.moorage.api.model.Pod;
import org.moorage.config.plugin.Thrown;
import org.moorage.runtime.decision.AttemptDetails;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.internal.log.Log;
import org.moorage.runtime.metrics.SchedulerListener;

/** Calls several listeners. Logs what a listener throws, which affects neither the other listeners nor the pod. */
final class LoggedListeners implements SchedulerListener {
    private static final Log LOG = Log.of(LoggedListeners.class);

    // An array, since reporting a fatal error must not need memory.
    private final SchedulerListener[] listeners;

    LoggedListeners(Collection<SchedulerListener> listeners) {
        this.listeners = listeners.toArray(SchedulerListener[]::new);
    }

    @Override
    public boolean takesDetails() {
        for (SchedulerListener listener : listeners) {
            if (takesDetails(listener)) {
                return true;
            }
        }
        return false;
    }

    private static boolean takesDetails(SchedulerListener listener) {
        try {
            return listener.takesDetails();
        } catch (Throwable thrown) {
            failed(thrown);
            return false;
        }
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
    public void activated(String plugin, Collection<Pod> pods) {
        tell(listener -> listener.activated(plugin, pods));
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
                failed(thrown);
            }
        }
    }

    private static void failed(Throwable thrown) {
        Thrown.rethrowIfFatal(thrown);
        LOG.atError().setCause(thrown).log("Scheduler listener failed");
    }
}
