// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.Setting;

/**
 * The fields of a configuration as kube-scheduler has them, before a {@link ProfileReader} merges its profiles with the
 * default plugins.
 */
record SchedulerSettings(
        String apiVersion,
        String kind,
        int parallelism,
        LeaderElection leaderElection,
        ClientConnection clientConnection,
        boolean enableProfiling,
        boolean enableContentionProfiling,
        int percentageOfNodesToScore,
        long podInitialBackoffSeconds,
        long podMaxBackoffSeconds,
        List<Profile> profiles,
        List<ExtenderConfig> extenders,
        @Setting(omitZero = true) boolean delayCacheUntilActive) {
    private static final int MOST_PERCENT = 100;

    static final SchedulerSettings DEFAULTS = new SchedulerSettings(
            ConfigFormat.API_VERSION,
            ConfigFormat.KIND,
            16,
            LeaderElection.DEFAULTS,
            ClientConnection.DEFAULTS,
            true,
            true,
            0,
            1,
            10,
            List.of(),
            List.of(),
            false);

    SchedulerSettings {
        profiles = profiles.isEmpty() ? List.of(Profile.UNNAMED) : profiles;
    }

    /** A profile. */
    record Profile(
            String schedulerName,
            OptionalInt percentageOfNodesToScore,
            JsonNode plugins,
            List<Arguments> pluginConfig) {
        /** The profile of a configuration without profiles. */
        static final Profile UNNAMED = new Profile("", OptionalInt.empty(), MissingNode.getInstance(), List.of());
    }

    /** The plugins at an extension point. */
    record Plugins(List<NamedPlugin> enabled, List<NamedPlugin> disabled) {}

    /** A plugin at an extension point; its weight has no effect where it is disabled, as in kube-scheduler. */
    record NamedPlugin(String name, int weight) {}

    /** The arguments of a plugin. */
    record Arguments(String name, JsonNode args) {}

    void validate(Problems problems) {
        if (parallelism <= 0) {
            problems.at("parallelism").invalid(parallelism, "more than 0");
        }
        leaderElection.validate(problems.at("leaderElection"));
        clientConnection.validate(problems.at("clientConnection"));
        checkPercentage(percentageOfNodesToScore, problems);
        if (podInitialBackoffSeconds <= 0) {
            problems.at("podInitialBackoffSeconds").invalid(podInitialBackoffSeconds, "more than 0");
        }
        if (podMaxBackoffSeconds < podInitialBackoffSeconds) {
            problems.at("podMaxBackoffSeconds")
                    .invalid(
                            podMaxBackoffSeconds,
                            "not less than podInitialBackoffSeconds, which is " + podInitialBackoffSeconds);
        }
        for (int i = 0; i < profiles.size(); i++) {
            Problems at = problems.at("profiles").at(i);
            profiles.get(i).percentageOfNodesToScore.ifPresent(percentage -> checkPercentage(percentage, at));
        }
        validateExtenders(problems.at("extenders"));
    }

    private static void checkPercentage(int percentage, Problems problems) {
        if (percentage < 0 || percentage > MOST_PERCENT) {
            problems.at("percentageOfNodesToScore").invalid(percentage, "0 to 100");
        }
    }

    private void validateExtenders(Problems problems) {
        Set<String> managed = new HashSet<>();
        for (int i = 0; i < extenders.size(); i++) {
            extenders.get(i).validate(problems.at(i), managed);
        }
        long binders = extenders.stream()
                .filter(extender -> !extender.bindVerb().isEmpty())
                .count();
        if (binders > 1) {
            problems.invalid("found " + binders + " extenders implementing bind", "at most one bindVerb");
        }
    }

    /** Returns the configuration with these settings and these profiles. */
    SchedulerConfig config(List<ProfileConfig> merged) {
        List<ExtenderConfig> inOrderOfCalls = new ArrayList<>(extenders);
        inOrderOfCalls.sort(Comparator.comparing(ExtenderConfig::ignorable));
        return new SchedulerConfig(
                parallelism,
                leaderElection,
                clientConnection,
                enableProfiling,
                enableContentionProfiling,
                percentageOfNodesToScore,
                podInitialBackoffSeconds,
                podMaxBackoffSeconds,
                delayCacheUntilActive,
                merged,
                inOrderOfCalls);
    }
}
