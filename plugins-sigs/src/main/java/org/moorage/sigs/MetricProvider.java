// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.Optional;
import org.moorage.api.plugin.Problems;
import org.moorage.prometheus.PrometheusSettings;

/**
 * Where a plugin reads the measured load of nodes if no load watcher is given; part of the arguments of several plugins.
 *
 * @param type KubernetesMetricsServer, which is the default, Prometheus, or SignalFx, which has to be read through a load
 *     watcher
 * @param address the URL of the Prometheus
 * @param token the token to send to the Prometheus
 * @param insecureSkipVerify whether to accept any certificate; by default true for Prometheus and false for others
 */
public record MetricProvider(
        Optional<String> type, String address, String token, Optional<Boolean> insecureSkipVerify) {
    /** The values of omitted fields. */
    public static final MetricProvider DEFAULTS = new MetricProvider(Optional.empty(), "", "", Optional.empty());

    static final String METRICS_SERVER = "KubernetesMetricsServer";
    static final String PROMETHEUS = "Prometheus";
    static final String SIGNAL_FX = "SignalFx";

    /** Returns this provider with the defaults that depend on other arguments; an empty address is one, too. */
    MetricProvider completed(Optional<String> watcherAddress) {
        Optional<String> known = watcherAddress.isEmpty() && given().isEmpty() ? Optional.of(METRICS_SERVER) : type;
        boolean isPrometheus = known.equals(Optional.of(PROMETHEUS));
        return new MetricProvider(known, address, token, insecureSkipVerify.or(() -> Optional.of(isPrometheus)));
    }

    /** Returns the type; empty if none is set. */
    String given() {
        return type.orElse("");
    }

    /**
     * Reports what cannot be used.
     *
     * @param watcherField the name of the argument with the address of the load watcher
     */
    static void validate(String watcherField, String watcherAddress, MetricProvider provider, Problems problems) {
        if (!watcherAddress.isEmpty()) {
            check(watcherField, watcherAddress, problems);
            return;
        }
        switch (provider.given()) {
            case METRICS_SERVER, SIGNAL_FX -> {
                // Their addresses are not read.
            }
            case PROMETHEUS -> {
                if (!provider.address().isEmpty()) {
                    check("metricProvider.address", provider.address(), problems);
                }
            }
            default -> problems.report("invalid MetricProvider.Type, got " + provider.given());
        }
    }

    private static void check(String field, String address, Problems problems) {
        try {
            PrometheusSettings ignored = PrometheusSettings.of(address);
        } catch (IllegalArgumentException refused) {
            problems.report(String.valueOf(refused.getMessage()).replaceFirst("^address", field));
        }
    }
}
