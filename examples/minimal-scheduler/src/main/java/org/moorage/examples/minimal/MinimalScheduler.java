// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.minimal;

import org.moorage.app.SchedulerApp;

/** The scheduler of five random nodes, with all of kube-scheduler's flags, plugins and configuration files. */
public final class MinimalScheduler {
    /** Five random nodes, the first that has room and the right labels; nothing is scored. */
    static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection:
              resourceName: random-five
            profiles:
            - schedulerName: random-five
              plugins:
                multiPoint:
                  disabled:
                  - name: '*'
                  enabled:
                  - name: PrioritySort
                  - name: RandomNodeSample
                  - name: NodeResourcesFit
                  - name: NodeAffinity
                  - name: DefaultBinder
                preScore:
                  disabled:
                  - name: '*'
                score:
                  disabled:
                  - name: '*'
              pluginConfig:
              - name: RandomNodeSample
                args:
                  sampleSize: 5
            """;

    private MinimalScheduler() {}

    /**
     * Runs until it is stopped. {@code --kubeconfig=...} selects the cluster, {@code --config=...} another
     * configuration.
     */
    public static void main(String[] args) {
        SchedulerApp.builder()
                .withPlugin(new RandomNodeSample.Factory())
                .withDefaultConfig("MinimalScheduler", CONFIG)
                .run(args);
    }
}
