// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.CommandException;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.GoDuration;
import org.moorage.objects.Suggestions;
import org.moorage.runtime.FailurePolicy;
import org.moorage.runtime.SchedulerBuilder;
import picocli.CommandLine.Option;

/** Limits for plugins that do not return or keep failing. kube-scheduler has no such settings. */
@OptionGroup(Heading.SCHEDULER)
public final class PluginLimitOptions {
    private static final Map<String, FailurePolicy> POLICIES =
            Map.of("Fail", FailurePolicy.FAIL, "Ignore", FailurePolicy.IGNORE);

    @Option(
            names = "--plugin-call-timeout",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description =
                    "Time that a call of a plugin may take; after that it is logged, and other pods are scheduled "
                            + "meanwhile. 0 is no limit (default: ${DEFAULT-VALUE}).")
    private String callTimeout = "30s";

    @Option(
            names = "--plugin-failure-policy",
            paramLabel = "NAME=Fail|Ignore,...",
            description = "After five failures in a row, suspend the plugin for a minute and either fail the pods or "
                    + "schedule them without the plugin; may be repeated.")
    private List<String> failurePolicies = new ArrayList<>();

    /**
     * Applies these limits to the scheduler.
     *
     * @param registry the available plugins
     * @throws CommandException if a value is invalid
     */
    public SchedulerBuilder applyTo(SchedulerBuilder builder, PluginRegistry registry) {
        return builder.pluginCallTimeout(callTimeout(callTimeout))
                .failurePolicies(failurePolicies(failurePolicies, registry));
    }

    public static Duration callTimeout(String value) {
        return GoDuration.parse(value)
                .filter(duration -> !duration.isNegative())
                .orElseThrow(() -> new CommandException(
                        "--plugin-call-timeout: \"" + value + "\" (expected: a duration such as 30s, or 0)"));
    }

    public static Map<String, FailurePolicy> failurePolicies(List<String> values, PluginRegistry registry) {
        Map<String, FailurePolicy> byPlugin = new LinkedHashMap<>();
        for (String value : values) {
            for (String setting : value.split(",", -1)) {
                String[] pair = setting.strip().split("=", 2);
                FailurePolicy policy = pair.length == 2 ? POLICIES.get(pair[1]) : null;
                if (policy == null) {
                    throw new CommandException(
                            "--plugin-failure-policy: \"" + setting + "\" (expected: NAME=Fail or NAME=Ignore)");
                }
                if (registry.find(pair[0]).isEmpty()) {
                    throw new CommandException(
                            "--plugin-failure-policy: \"" + pair[0] + "\" (expected: a registered plugin)."
                                    + Suggestions.hint(
                                            pair[0],
                                            registry.factories().stream()
                                                    .map(PluginFactory::name)
                                                    .toList()));
                }
                byPlugin.put(pair[0], policy);
            }
        }
        return byPlugin;
    }
}
