// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.StateKey;
import org.moorage.api.plugin.Handle;
import org.moorage.prometheus.Prometheus;
import org.moorage.safe.SafeArgs.Source;

/** Creates the statistics for arguments. Plugins with equal Prometheus arguments share them. */
final class Sources {
    private static final StateKey<Map<PrometheusArgs, PrometheusStatistics>> SHARED =
            StateKey.of("plugins-safe/PrometheusStatistics");

    private Sources() {}

    static NodeStatistics of(SafeArgs args, Handle handle) {
        return args.source() == Source.ANNOTATIONS
                ? new AnnotationStatistics()
                : handle.<Map<PrometheusArgs, PrometheusStatistics>>shared(SHARED, ConcurrentHashMap::new)
                        .computeIfAbsent(
                                args.prometheus(),
                                settings -> new PrometheusStatistics(
                                        settings, Prometheus.connect(settings.settings()), handle));
    }
}
