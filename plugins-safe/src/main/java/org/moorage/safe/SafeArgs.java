// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.util.Optional;
import java.util.OptionalInt;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;

/**
 * The arguments of {@link SafeOverload} and {@link SafeBalance}.
 *
 * @param utilization the utilization in percent above which a node is overloaded; by default {@code SAFEUTILIZATION}, else 90
 * @param percentile the risk of overload in percent that is accepted; by default {@code SAFEPERCENTILE}, else 30
 * @param forecastWeight how much a forecast counts against the average, in percent; by default {@code SAFEFORECASTWEIGHT}, else 20
 * @param printTable whether to print the distribution that a risk comes from; by default whether {@code SAFEPRINTTABLE} is true
 * @param missingStats what becomes of a node of whose use nothing is known
 * @param originalBehavior whether to score from 0 to 10 with the original agent's truncation, and to leave overhead out of what a
 *     pod requests, as it did
 * @param source where the figures come from
 * @param prometheus how to ask Prometheus, if they come from there
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
    /** What applies when nothing is given. */
    public static final SafeArgs DEFAULTS = new SafeArgs(
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            MissingStats.ZERO,
            false,
            Source.ANNOTATIONS,
            PrometheusArgs.DEFAULTS);

    /** What becomes of a node of whose use nothing is known. */
    public enum MissingStats {
        /** It passes the filter and ranks last: score 0, as with the original agent. */
        ZERO,
        /** It passes the filter and has half of the best score. */
        NEUTRAL,
        /** The filter of {@link SafeOverload} rejects it. Where that filter is not asked, it ranks last. */
        REJECT
    }

    /** Where the figures of a node's use come from. */
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

    /** The limits in force, as fractions. */
    record Limits(double utilization, double accepted, double forecastWeight, boolean printTable) {}

    Limits limits(Environment environment) {
        return new Limits(
                utilization.orElseGet(() -> environment.number("SAFEUTILIZATION", 0, 100, 90)) / 100.0,
                percentile.orElseGet(() -> environment.number("SAFEPERCENTILE", 0, 100, 30)) / 100.0,
                forecastWeight.orElseGet(() -> environment.number("SAFEFORECASTWEIGHT", 0, 100, 20)) / 100.0,
                printTable.orElseGet(() -> environment.isTrue("SAFEPRINTTABLE")));
    }
}
