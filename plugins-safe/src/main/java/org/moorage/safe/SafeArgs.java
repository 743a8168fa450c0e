// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.Optional;
import java.util.OptionalInt;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;

/**
 * The arguments of {@link SafeOverload} and {@link SafeBalance}.
 *
 * @param utilization the utilization in percent above which a node is overloaded; by default {@code SAFEUTILIZATION},
 *     else 90
 * @param percentile the accepted risk of overload in percent; by default {@code SAFEPERCENTILE}, else 30
 * @param forecastWeight the weight of a forecast relative to the average, in percent; by default {@code
 *     SAFEFORECASTWEIGHT}, else 20
 * @param printTable whether to print the distribution behind a risk; by default whether {@code SAFEPRINTTABLE} is true
 * @param missingStats how nodes without usage statistics are treated
 * @param originalBehavior whether to score from 0 to 10 with the original agent's truncation, and to exclude overhead
 *     from a pod's requests, as the original did
 * @param source the source of the figures
 * @param prometheus how to query Prometheus, if it is the source
 */
public record SafeArgs(
        OptionalInt utilization,
        OptionalInt percentile,
        OptionalInt forecastWeight,
        Optional<Boolean> printTable,
        MissingStats missingStats,
        boolean originalBehavior,
        Source source,
        PrometheusArgs prometheus)
        implements PluginArgs {
    /** The default arguments. */
    public static final SafeArgs DEFAULTS = new SafeArgs(
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            MissingStats.ZERO,
            false,
            Source.ANNOTATIONS,
            PrometheusArgs.DEFAULTS);

    /** How nodes without usage statistics are treated. */
    public enum MissingStats {
        /** The node passes the filter and scores 0, as with the original agent. */
        ZERO,
        /** The node passes the filter and has half of the best score. */
        NEUTRAL,
        /** The filter of {@link SafeOverload} rejects the node. Where that filter does not run, the node scores 0. */
        REJECT
    }

    /** The source of a node's usage figures. */
    public enum Source {
        /** Annotations of the nodes. */
        ANNOTATIONS,
        /** Prometheus. */
        PROMETHEUS
    }

    @Override
    public void validate(Problems problems) {
        percent(utilization, problems.at("utilization"));
        percent(percentile, problems.at("percentile"));
        percent(forecastWeight, problems.at("forecastWeight"));
        if (source == Source.PROMETHEUS) {
            prometheus.validate(problems.at("prometheus"));
        }
    }

    private static void percent(OptionalInt value, Problems problems) {
        if (value.isPresent() && (value.getAsInt() < 0 || value.getAsInt() > 100)) {
            problems.invalid(value.getAsInt(), "0 to 100");
        }
    }

    /** The effective limits, as fractions. */
    record Limits(double utilization, double accepted, double forecastWeight, boolean printTable) {}

    Limits limits(Environment environment) {
        return new Limits(
                utilization.orElseGet(() -> environment.number("SAFEUTILIZATION", 0, 100, 90)) / 100.0,
                percentile.orElseGet(() -> environment.number("SAFEPERCENTILE", 0, 100, 30)) / 100.0,
                forecastWeight.orElseGet(() -> environment.number("SAFEFORECASTWEIGHT", 0, 100, 20)) / 100.0,
                printTable.orElseGet(() -> environment.isTrue("SAFEPRINTTABLE")));
    }
}
