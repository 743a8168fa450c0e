// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.config.ConfigTexts.PROFILE;
import static org.moorage.config.ConfigTexts.load;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginSet;

/** Other weights at Score than those of a configuration. */
class ScoreWeightsTest {
    private record Case(String name, String score, Map<String, Integer> weights, PluginSet expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static PluginSet set(List<String> disabled, EnabledPlugin... enabled) {
        return new PluginSet(List.of(enabled), disabled);
    }

    private static EnabledPlugin plugin(String name, int weight) {
        return new EnabledPlugin(name, weight);
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        "a default weight is overridden",
                        "{}",
                        Map.of("NodeAffinity", 7),
                        set(List.of(), plugin("NodeAffinity", 7))),
                new Case(
                        "a weight that the configuration has is replaced, and others stay",
                        "{enabled: [{name: NodeAffinity, weight: 3}, {name: ImageLocality, weight: 2}]}",
                        Map.of("NodeAffinity", 7),
                        set(List.of(), plugin("ImageLocality", 2), plugin("NodeAffinity", 7))),
                new Case(
                        "0 disables",
                        "{enabled: [{name: NodeAffinity, weight: 3}], disabled: [{name: ImageLocality}]}",
                        Map.of("NodeAffinity", 0),
                        set(List.of("ImageLocality", "NodeAffinity"))),
                new Case(
                        "another weight enables again",
                        "{disabled: [{name: NodeAffinity}]}",
                        Map.of("NodeAffinity", 1),
                        set(List.of(), plugin("NodeAffinity", 1))),
                new Case(
                        "one that is disabled with all others is the only one",
                        "{disabled: [{name: '*'}]}",
                        Map.of("NodeAffinity", 1),
                        set(List.of("*"), plugin("NodeAffinity", 1))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void areThoseOfTheProfile(Case given) {
        LoadedConfig before = load(PROFILE + "  plugins: {score: " + given.score + "}");

        LoadedConfig config = before.withScoreWeights(given.weights, List.of("a"), "weights");

        ProfileConfig profile = config.config().profiles().get(0);
        assertThat(profile.at(ExtensionPoint.SCORE)).isEqualTo(given.expected);
        assertThat(profile.multiPoint())
                .isEqualTo(before.config().profiles().get(0).multiPoint());
    }

    @Test
    void areOfTheNamedProfileAlone() {
        LoadedConfig config = load("profiles: [{schedulerName: a}, {schedulerName: b}]")
                .withScoreWeights(Map.of("NodeAffinity", 7), List.of("b"), "weights");

        assertThat(config.config().profiles())
                .extracting(profile -> profile.at(ExtensionPoint.SCORE))
                .containsExactly(PluginSet.EMPTY, set(List.of(), plugin("NodeAffinity", 7)));
    }

    @Test
    void canBeThoseOfTheDefaultConfiguration() {
        LoadedConfig config = ConfigLoader.defaults(SamplePlugins.all())
                .withScoreWeights(Map.of("NodeAffinity", 7), List.of("default-scheduler"), "weights");

        assertThat(config.config().profiles())
                .singleElement()
                .extracting(profile -> profile.at(ExtensionPoint.SCORE))
                .isEqualTo(set(List.of(), plugin("NodeAffinity", 7)));
    }

    @Test
    void leaveExtendersThatAreNotAskedOut() {
        LoadedConfig config = load(PROFILE + "extenders: [{urlPrefix: 'http://e', filterVerb: f}]")
                .withoutExtenders()
                .withScoreWeights(Map.of("NodeAffinity", 7), List.of("a"), "weights");

        assertThat(config.config().extenders()).isEmpty();
    }

    @Test
    void areRefusedAsTheConfigurationWouldBe() {
        LoadedConfig config = load(PROFILE);

        assertThatThrownBy(() -> config.withScoreWeights(Map.of("NodeAffinite", 7), List.of("a"), "weights"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "weights: profiles[0].plugins.score.enabled[0].name: \"NodeAffinite\" (expected: a registered plugin; --plugin-dir adds those of jars). Did you mean NodeAffinity?");
    }
}
