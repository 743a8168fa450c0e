// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime;

import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.internal.plugin.Thrown;
import org.moorage.runtime.metrics.SchedulerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what the metrics have in common with a listener. Logs what a listener throws, so that it has no effect on the pod that it is told of. */
final class LoggedListener implements SchedulerListener {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedListener.class);

    private final SchedulerListener listener;
    private final SchedulerMetrics metrics;

    LoggedListener(SchedulerListener listener, SchedulerMetrics metrics) {
        this.listener = listener;
        this.metrics = metrics;
    }

    @Override
    public void decided(Decision decision) {
        run(() -> listener.decided(decision));
    }

    @Override
    public void bound(Pod pod, String nodeName, Decision decision) {
        run(() -> listener.bound(pod, nodeName, decision));
    }

    @Override
    public void bindingFailed(Pod pod, String nodeName, String message) {
        run(() -> listener.bindingFailed(pod, nodeName, message));
    }

    @Override
    public void backgroundTaskFailed(String profileName, Throwable thrown) {
        run(() -> listener.backgroundTaskFailed(profileName, thrown));
    }

    @Override
    public void pluginCallOverdue(String plugin, String method) {
        metrics.pluginCallOverdue(plugin, method);
        run(() -> listener.pluginCallOverdue(plugin, method));
    }

    @Override
    public void pluginSuspended(String plugin, String reason) {
        metrics.pluginSuspended(plugin);
        run(() -> listener.pluginSuspended(plugin, reason));
    }

    @Override
    public void pluginResumed(String plugin) {
        metrics.pluginResumed(plugin);
        run(() -> listener.pluginResumed(plugin));
    }

    @Override
    public void threadFailed(String thread, Throwable thrown) {
        metrics.threadFailed(thread);
        run(() -> listener.threadFailed(thread, thrown));
    }

    @Override
    public void fatalError(Throwable error) {
        listener.fatalError(error);
    }

    private static void run(Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            Thrown.rethrowIfFatal(thrown);
            LOG.atError().setCause(thrown).log("Scheduler listener failed");
        }
    }
}
