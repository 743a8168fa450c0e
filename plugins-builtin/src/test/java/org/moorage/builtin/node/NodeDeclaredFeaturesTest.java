// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class NodeDeclaredFeaturesTest {
    private static final PluginTester PLUGIN = PluginTester.of(NodeDeclaredFeatures.FACTORY);
    private static final String RESTART = "RestartAllContainersOnContainerExits";
    private static final String USERS = "UserNamespacesHostNetworkSupport";
    private static final Pod PLAIN = Pods.named("p").build();
    private static final Pod RESTARTING = pod(spec -> spec.restartsAllContainers(true));
    private static final Pod BOTH =
            pod(spec -> spec.restartsAllContainers(true).hostNetwork(true).hostUsers(false));

    private static Pod pod(UnaryOperator<PodSpec.Builder> change) {
        return PLAIN.withSpec(change.apply(PLAIN.spec().toBuilder()).build());
    }

    private static Node declaring(String... features) {
        Nodes node = Nodes.named("n");
        for (String feature : features) {
            node.declaredFeature(feature);
        }
        return node.build();
    }

    record Case(String name, Pod pod, List<String> declared, boolean fits) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case(
                "options of mounts",
                pod(spec -> spec.hasBindMountOptions(true)),
                List.of(RESTART, "VolumeBindMountOptions"),
                true),
        new Case("options of mounts, not declared", pod(spec -> spec.hasBindMountOptions(true)), List.of(), false),
        new Case("what is declared is there", RESTARTING, List.of("A", RESTART), true),
        new Case("what is not declared is not", RESTARTING, List.of(USERS), false),
        new Case("all of it must be declared", BOTH, List.of(RESTART), false),
        new Case("all of it is declared", BOTH, List.of(RESTART, USERS), true),
        new Case("what is out of alphabetical order is not seen", BOTH, List.of(USERS, RESTART), false),
        new Case("what comes after something out of order is", RESTARTING, List.of("B", "A", RESTART), true),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void filters(Case c) {
        PLUGIN.cluster(declaring(c.declared.toArray(String[]::new)))
                .pod(c.pod)
                .filters(
                        "n",
                        c.fits
                                ? Status.success()
                                : Status.unresolvable("node(s) didn't match Pod's required features"));
    }

    @Test
    void hasNoSayAboutPodsThatUseNoSuchFeature() {
        List<Pod> pods = List.of(PLAIN, pod(spec -> spec.hostNetwork(true)), pod(spec -> spec.hostUsers(false)));
        for (Pod pod : pods) {
            PLUGIN.pod(pod).skipsFilter();
        }
    }

    @Test
    void hasNoSayAndNoEventsWhenTurnedOff() {
        PLUGIN.features(FeatureGates.DEFAULTS.with(FeatureGates.NODE_DECLARED_FEATURES, false))
                .registers()
                .pod(BOTH)
                .skipsFilter();
    }

    @Nested
    class Events {
        @Test
        void ofANodeMatterWhenItDeclaresOtherFeatures() {
            PLUGIN.pod(BOTH)
                    .hint(ObjectChange.added(declaring()), Hint.QUEUE)
                    .hint(ObjectChange.updated(declaring(), declaring(RESTART)), Hint.QUEUE)
                    .isNotAskedAbout(ObjectChange.updated(declaring(RESTART), declaring(RESTART)));
        }

        @Test
        void ofAPodMatterWhenItIsTheOneAndNeedsOtherFeatures() {
            PLUGIN.pod(PLAIN)
                    .hint(ObjectChange.updated(BOTH, PLAIN), Hint.QUEUE)
                    .hint(ObjectChange.updated(PLAIN, PLAIN), Hint.SKIP);
            PLUGIN.pod(Pods.named("q").build()).isNotAskedAbout(ObjectChange.updated(BOTH, PLAIN));
        }
    }
}
