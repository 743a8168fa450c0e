// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.minimal;

import org.moorage.app.SchedulerApp;

/** A scheduler with a plugin of its own: all of kube-scheduler's flags, plugins and configuration files, and RandomNodeSample. */
public final class MinimalScheduler {
    private MinimalScheduler() {}

    /** Runs until it is told to end; {@code --config=scheduler.yaml --kubeconfig=...} makes it the scheduler of five random nodes. */
    public static void main(String[] args) {
        SchedulerApp.builder().withPlugin(new RandomNodeSample.Factory()).run(args);
    }
}
