// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Supplier;
import org.moorage.http.Overload;

/** Metrics of a port that serves HTTP. */
public final class HttpMetrics {
    private HttpMetrics() {}

    /** Registers metrics of the connections and requests that a port has closed or rejected. */
    public static void register(PrometheusRegistry registry, Supplier<Overload> overload) {
        new Families(registry)
                .shownCounters(
                        "moorage_http_refusals_total",
                        "Connections that were closed and requests that were refused because something ran short, by reason.",
                        callback -> {
                            Overload total = overload.get();
                            callback.call((double) total.closedConnections(), "connections");
                            callback.call((double) total.refusedRequests(), "requests_in_line");
                            callback.call((double) total.slowClients(), "threads");
                            callback.call((double) total.failedAccepts(), "files");
                        },
                        "reason");
    }
}
