// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.safe;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.StateKey;
import org.moorage.api.plugin.Handle;
import org.moorage.examples.safe.SafeArgs.Source;
import org.moorage.prometheus.Prometheus;
import org.moorage.prometheus.Sample;

/** Makes the statistics that arguments ask for. Plugins that ask the same of one Prometheus share them. */
final class Sources {
    private static final StateKey<Map<PrometheusArgs, PrometheusStatistics>> SHARED =
            StateKey.of("safe-agents/PrometheusStatistics");

    private Sources() {}

    static NodeStatistics of(SafeArgs args, Handle handle) {
        return args.source() == Source.ANNOTATIONS
                ? new AnnotationStatistics()
                : handle.<Map<PrometheusArgs, PrometheusStatistics>>shared(SHARED, ConcurrentHashMap::new)
                        .computeIfAbsent(args.prometheus(), settings -> connect(settings, handle));
    }

    private static PrometheusStatistics connect(PrometheusArgs args, Handle handle) {
        Prometheus prometheus = Prometheus.connect(args.settings());
        return new PrometheusStatistics(args, promql -> byNode(prometheus, promql, args.nodeLabel()), handle);
    }

    // Of several samples of one node the last counts.
    private static Map<String, Double> byNode(Prometheus prometheus, String promql, String nodeLabel) {
        Map<String, Double> values = new HashMap<>();
        for (Sample sample : prometheus.query(promql)) {
            String node = sample.labels().get(nodeLabel);
            if (node != null) {
                values.put(node, sample.value());
            }
        }
        return values;
    }
}
