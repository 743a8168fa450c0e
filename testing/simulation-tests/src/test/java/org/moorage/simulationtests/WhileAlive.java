// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulationtests;

import org.moorage.api.model.Pod;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;

/** Hears what a scheduler does until it is killed. */
record WhileAlive(SimulatedProcess process, SchedulerListener listener) implements SchedulerListener {
    @Override
    public void decided(Decision decision) {
        if (!process.isKilled()) {
            listener.decided(decision);
        }
    }

    @Override
    public void bound(Pod pod, String nodeName, Decision decision) {
        if (!process.isKilled()) {
            listener.bound(pod, nodeName, decision);
        }
    }

    @Override
    public void bindingFailed(Pod pod, String nodeName, String message) {
        if (!process.isKilled()) {
            listener.bindingFailed(pod, nodeName, message);
        }
    }

    @Override
    public void backgroundTaskFailed(String profileName, Throwable thrown) {
        if (!process.isKilled()) {
            listener.backgroundTaskFailed(profileName, thrown);
        }
    }
}
