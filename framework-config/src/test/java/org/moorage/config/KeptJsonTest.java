// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.KeptJson;

/** Tests which objects keep their text for extenders: only those that are sent, since the text takes memory. */
class KeptJsonTest {
    record Case(String name, String extender, Set<KeptJson> kept) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("one that only binds is sent nothing whole", "bindVerb: bind", KeptJson.NONE),
            new Case(
                    "one that filters is sent nodes",
                    "filterVerb: filter",
                    Set.of(KeptJson.PENDING_PODS, KeptJson.NODES)),
            new Case(
                    "one that scores is sent nodes",
                    "prioritizeVerb: prioritize, weight: 1",
                    Set.of(KeptJson.PENDING_PODS, KeptJson.NODES)),
            new Case(
                    "one that preempts is sent victims",
                    "preemptVerb: preempt",
                    Set.of(KeptJson.PENDING_PODS, KeptJson.BOUND_PODS)),
            new Case(
                    "one that knows the nodes is sent the pod",
                    "filterVerb: filter, preemptVerb: preempt, nodeCacheCapable: true",
                    Set.of(KeptJson.PENDING_PODS)));

    @ParameterizedTest
    @FieldSource("CASES")
    void isWhatExtendersAreSent(Case given) {
        PluginRegistry registry = SamplePlugins.all();
        String config = """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                extenders:
                - {urlPrefix: "http://127.0.0.1", %s}
                """.formatted(given.extender);

        assertThat(ConfigLoader.load(config, "config", registry).config().keptJson(registry))
                .isEqualTo(given.kept);
    }
}
