// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.moorage.config.ConfigTexts.HEAD;
import static org.moorage.config.ConfigTexts.PROFILE;
import static org.moorage.config.ConfigTexts.load;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;
import org.moorage.config.plugin.EnabledPlugin;
import org.moorage.config.plugin.PluginRegistry;

/** The plugins and their arguments in a configuration. */
class PluginConfigTest {
    @Test
    void ofTheDefaultsKeepTheirPlaceAndTakeTheGivenWeight() {
        ProfileConfig profile = load(PROFILE
                        + "  plugins: {multiPoint: {disabled: [{name: NodeName}, {name: ImageLocality}],"
                        + " enabled: [{name: DefaultBinder}, {name: NodeName}, {name: TaintToleration, weight: 9}]}}")
                .config()
                .profiles()
                .get(0);

        assertThat(profile.multiPoint().enabled()).hasSize(19);
        assertThat(profile.multiPoint().enabled().get(3)).isEqualTo(new EnabledPlugin("TaintToleration", 9));
        assertThat(profile.multiPoint().enabled().get(17).name()).isEqualTo("NodeDeclaredFeatures");
        assertThat(profile.multiPoint().enabled().get(18)).isEqualTo(new EnabledPlugin("NodeName", 0));
    }

    @Test
    void areAddedWhenTheyAreEnabledTwice() {
        ProfileConfig profile = load(PROFILE
                        + "  plugins: {multiPoint: {enabled: [{name: NodeAffinity, weight: 4}, {name: NodeAffinity,"
                        + " weight: 3}]}}")
                .config()
                .profiles()
                .get(0);

        assertThat(profile.multiPoint().enabled().get(5)).isEqualTo(new EnabledPlugin("NodeAffinity", 3));
        assertThat(profile.multiPoint().enabled().get(20)).isEqualTo(new EnabledPlugin("NodeAffinity", 4));
    }

    @Test
    void haveTheirArguments() {
        ProfileConfig profile = load(PROFILE
                        + "  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [a.com/b]}}]")
                .config()
                .profiles()
                .get(0);

        assertThat(profile.args())
                .containsEntry("VolumeBinding", new SamplePlugins.VolumeArgs(600))
                .containsEntry("NodeName", PluginArgs.None.DEFAULTS)
                .containsEntry(
                        "NodeResourcesFit",
                        new SamplePlugins.FitArgs(
                                List.of("a.com/b"), List.of(), SamplePlugins.FitArgs.DEFAULTS.scoringStrategy()));
        assertThat(profile.pluginNames()).hasSize(20).startsWith("SchedulingGates", "PrioritySort");
    }

    @Test
    void ofOthersHaveTheirArgumentsWithoutAKind() {
        PluginRegistry registry = SamplePlugins.all()
                .with(List.of(SamplePlugins.factory(
                        "Mine", SamplePlugins.VolumeArgs.class, new SamplePlugins.Score("Mine"))));
        LoadedConfig loaded = ConfigLoader.load(
                HEAD + PROFILE + "  plugins: {score: {enabled: [{name: Mine}]}}\n", "scheduler.yaml", registry);

        assertThat(loaded.effectiveTree().at("/profiles/0/pluginConfig/3"))
                .hasToString("{\"name\":\"Mine\",\"args\":{\"bindTimeoutSeconds\":600}}");
    }

    @Test
    void ofKubeSchedulerThatAreNotRegisteredAreNamedOnceAndKept() {
        PluginRegistry registry = SamplePlugins.without(Set.of("VolumeBinding", "PodTopologySpread"));
        LoadedConfig loaded = ConfigLoader.load(HEAD + """
                        profiles:
                        - schedulerName: a
                          plugins: {score: {enabled: [{name: PodTopologySpread, weight: 3}]}}
                          pluginConfig:
                          - name: PodTopologySpread
                            args: {defaultingType: List}
                          - name: VolumeBinding
                        - schedulerName: b
                          plugins: {multiPoint: {disabled: [{name: VolumeBinding}, {name: SelectorSpread}]}}
                        """, "scheduler.yaml", registry);

        assertThat(loaded.missingPlugins()).containsExactlyInAnyOrder("PodTopologySpread", "VolumeBinding");
        assertThat(loaded.warnings())
                .containsExactly(
                        "scheduler.yaml:11: profiles[1].plugins.multiPoint.disabled[1].name: \"SelectorSpread\" disables nothing (expected: a registered plugin; --plugin-dir adds those of jars)",
                        "scheduler.yaml: enabled plugins of kube-scheduler that are not registered, and have no part in any decision:"
                                + " PodTopologySpread, VolumeBinding (expected: those of KubeSchedulerPlugins, or these disabled)");
        assertThat(loaded.effectiveTree().at("/profiles/0/pluginConfig/0/args"))
                .hasToString("{\"defaultingType\":\"List\"}");
        assertThat(loaded.effectiveTree().at("/profiles/0/pluginConfig/1/args").isNull())
                .isTrue();
        assertThat(loaded.effectiveTree().at("/profiles/0/plugins/multiPoint/enabled"))
                .hasSize(20);
        assertThat(loaded.config().profiles().get(0).pluginNames())
                .hasSize(18)
                .doesNotContain("PodTopologySpread", "VolumeBinding");
    }

    /** Arguments that fail when they are completed or checked, as they say. */
    public record FailingArgs(String completion, String check) implements PluginArgs {
        public static final FailingArgs DEFAULTS = new FailingArgs("", "");

        @Override
        @SuppressWarnings("NullAway") // that is what it does wrong
        public PluginArgs forFeatures(FeatureGates features, Problems problems) {
            fail(completion);
            return completion.equals("null") ? null : this;
        }

        @Override
        public void validate(Problems problems) {
            fail(check);
        }

        private static void fail(String how) {
            if (how.equals("exception")) {
                throw new IllegalArgumentException("boom");
            } else if (how.equals("linkage")) {
                throw new NoClassDefFoundError("gone");
            } else if (how.equals("stack")) {
                throw new StackOverflowError();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "completion: exception | completing the arguments of plugin \"Mine\": boom",
                "completion: linkage   | completing the arguments of plugin \"Mine\": java.lang.NoClassDefFoundError: gone",
                "completion: stack     | completing the arguments of plugin \"Mine\": java.lang.StackOverflowError",
                "completion: 'null'    | completing the arguments of plugin \"Mine\": answered null",
                "check: exception      | checking the arguments of plugin \"Mine\": boom",
                "check: linkage        | checking the arguments of plugin \"Mine\": java.lang.NoClassDefFoundError: gone",
                "check: stack          | checking the arguments of plugin \"Mine\": java.lang.StackOverflowError",
            })
    void areRefusedWithThePluginWhoseArgumentsFail(String args, String message) {
        PluginRegistry registry = PluginRegistry.of(
                List.of(SamplePlugins.factory("Mine", FailingArgs.class, new SamplePlugins.Score("Mine"))));

        ConfigException refused = catchThrowableOfType(
                ConfigException.class,
                () -> ConfigLoader.load(
                        HEAD + PROFILE + "  plugins: {score: {enabled: [{name: Mine}]}}\n"
                                + "  pluginConfig: [{name: Mine, args: {" + args + "}}]\n",
                        "scheduler.yaml",
                        registry));

        assertThat(refused).hasMessageContaining("profiles[0].pluginConfig[0].args: " + message);
    }

    @Test
    void cannotHaveArgumentsThatCannotBeRead() {
        PluginRegistry registry = PluginRegistry.of(List.of(SamplePlugins.factory(
                "Mine", RecordBinderTest.WithoutDefaults.class, new SamplePlugins.Score("Mine"))));

        ConfigException refused = catchThrowableOfType(
                ConfigException.class,
                () -> ConfigLoader.load(
                        HEAD + PROFILE + "  plugins: {score: {enabled: [{name: Mine}]}}\n",
                        "scheduler.yaml",
                        registry));

        assertThat(refused)
                .hasMessageContaining("profiles[0].pluginConfig[0].args: plugin \"Mine\" cannot be given arguments: "
                        + RecordBinderTest.WithoutDefaults.class.getName() + ": no arguments by default");
    }
}
