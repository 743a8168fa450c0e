// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.embed;

import java.util.List;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.decode.ObjectDecoder;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.whatif.Fit;
import org.moorage.runtime.whatif.WhatIf;

/**
 * Asks about nodes and pods that a program has as JSON texts: where a pod would go, and where if another one were gone.
 */
public final class AskAboutTexts {
    private static final String NODE = """
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "2", "pods": "9"}}}""";
    private static final String THERE = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "there", "uid": "1"},
             "spec": {"nodeName": "n", "containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}}""";
    private static final String ASKED = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked", "uid": "2"},
             "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}""";

    private AskAboutTexts() {}

    public static void main(String[] args) {
        ObjectDecoder decoder = new ObjectDecoder();
        Pod there = (Pod) decoder.decode(THERE);
        Pod asked = (Pod) decoder.decode(ASKED);
        // region ask
        PluginRegistry plugins = PluginRegistry.of(KubeSchedulerPlugins.all());
        List<ClusterObject> objects = List.of(decoder.decode(NODE), there);
        try (WhatIf cluster = Scheduler.whatIf(objects, ConfigLoader.defaults(plugins), plugins)) {
            Fit now = cluster.fits(asked);
            System.out.println(now.fits() ? "fits " + now.feasible() : now.message());
            Fit then = cluster.evict(List.of(there)).fits(asked);
            System.out.println("without " + there.name() + ": " + then.feasible());
        }
        // endregion
    }
}
