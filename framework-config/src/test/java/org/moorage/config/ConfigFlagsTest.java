// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.moorage.config.ConfigTexts.HEAD;

import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;

/** Flags that take the place of what a configuration says. */
class ConfigFlagsTest {
    private final FlagValue elect = new FlagValue("leaderElection.leaderElect", false, "--leader-elect");

    @Test
    void countMoreThanTheFile() {
        LoadedConfig loaded = ConfigLoader.load(
                HEAD + "leaderElection: {leaderElect: true, retryPeriod: 3s}",
                "scheduler.yaml",
                SamplePlugins.all(),
                FeatureGates.DEFAULTS,
                elect);

        assertThat(loaded.config().leaderElection().leaderElect()).isFalse();
        assertThat(loaded.originByPath())
                .containsEntry("leaderElection.leaderElect", "--leader-elect")
                .containsEntry("leaderElection.retryPeriod", "scheduler.yaml:3")
                .containsEntry("leaderElection.leaseDuration", "default");
    }

    @Test
    void countWithoutAFile() {
        LoadedConfig loaded = ConfigLoader.defaults(SamplePlugins.all(), FeatureGates.DEFAULTS, elect);

        assertThat(loaded.config().leaderElection().leaderElect()).isFalse();
        assertThat(loaded.config().profiles())
                .extracting(ProfileConfig::schedulerName)
                .containsExactly("default-scheduler");
        assertThat(ConfigPrinter.print(loaded)).contains("# --leader-elect").doesNotContain("# default:");
        assertThat(SchedulerConfig.defaults(SamplePlugins.all())
                        .leaderElection()
                        .leaderElect())
                .isTrue();
    }

    @Test
    void areNamedWhenTheyAreRefused() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> ConfigLoader.defaults(
                        SamplePlugins.all(),
                        FeatureGates.DEFAULTS,
                        new FlagValue("leaderElection.retryPeriod", "soon", "--leader-elect-retry-period"),
                        new FlagValue("clientConnection.burst", -1, "--kube-api-burst")))
                .withMessageContaining("  --leader-elect-retry-period: leaderElection.retryPeriod: \"soon\"")
                .withMessageContaining("  --kube-api-burst: clientConnection.burst: -1 (expected: not less than 0)");
    }
}
