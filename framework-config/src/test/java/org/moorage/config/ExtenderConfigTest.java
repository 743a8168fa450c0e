// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.config.ConfigTexts.load;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The extenders in a configuration. */
class ExtenderConfigTest {
    @Test
    void comeLastWhenTheyMayBeIgnored() {
        LoadedConfig loaded = load("extenders: [{urlPrefix: http://a/, ignorable: true}, {urlPrefix: http://b/},"
                + " {urlPrefix: http://c/, ignorable: true}, {urlPrefix: http://d/}]");

        assertThat(loaded.config().extenders())
                .extracting(ExtenderConfig::urlPrefix)
                .containsExactly("http://b/", "http://d/", "http://a/", "http://c/");
        assertThat(loaded.effectiveTree().at("/extenders/0/urlPrefix").textValue())
                .isEqualTo("http://a/");
    }

    @Test
    void replaceTheIgnoredResourcesOfEveryProfile() {
        LoadedConfig loaded = load("""
                extenders:
                - {urlPrefix: 'http://a/', ignorable: true, managedResources: [{name: a.com/z, ignoredByScheduler: true}, {name: a.com/c}]}
                - {urlPrefix: 'http://b/', managedResources: [{name: a.com/a, ignoredByScheduler: true}]}
                profiles:
                - schedulerName: a
                  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [x.com/y]}}]
                - schedulerName: b
                """);

        for (ProfileConfig profile : loaded.config().profiles()) {
            assertThat(profile.args().get("NodeResourcesFit"))
                    .isEqualTo(new SamplePlugins.FitArgs(
                            List.of("a.com/z", "a.com/a"),
                            List.of(),
                            SamplePlugins.FitArgs.DEFAULTS.scoringStrategy()));
        }
        assertThat(loaded.effectiveTree().at("/profiles/0/pluginConfig/0/args/ignoredResources"))
                .hasToString("[\"a.com/z\",\"a.com/a\"]");
    }

    @Test
    void areReadWhole() {
        LoadedConfig loaded = load("""
                extenders:
                - urlPrefix: https://a/
                  filterVerb: f
                  preemptVerb: p
                  prioritizeVerb: s
                  weight: 3
                  bindVerb: b
                  enableHTTPS: true
                  tlsConfig: {serverName: a.org, certFile: c, keyFile: k, caFile: t, certData: AAAA, keyData: AAAA, caData: AAAA}
                  httpTimeout: 30s
                  nodeCacheCapable: true
                  managedResources: [{name: a.com/b, ignoredByScheduler: true}]
                  ignorable: true
                """);

        ExtenderConfig extender = loaded.config().extenders().get(0);
        assertThat(extender)
                .isEqualTo(new ExtenderConfig(
                        "https://a/",
                        "f",
                        "p",
                        "s",
                        3,
                        "b",
                        true,
                        extender.tls(),
                        Duration.ofSeconds(30),
                        true,
                        List.of(new ExtenderConfig.ManagedResource("a.com/b", true)),
                        true));
        assertThat(extender.tls())
                .contains(new ExtenderConfig.Tls(false, "a.org", "c", "k", "t", "AAAA", "AAAA", "AAAA"));
    }
}
