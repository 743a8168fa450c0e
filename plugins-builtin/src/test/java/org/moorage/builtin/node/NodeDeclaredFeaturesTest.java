// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class NodeDeclaredFeaturesTest {
    private static final NodeDeclaredFeatures PLUGIN = plugin(FeatureGates.DEFAULTS);
    private static final String RESTART = "RestartAllContainersOnContainerExits";
    private static final String USERS = "UserNamespacesHostNetworkSupport";
    private static final Pod PLAIN = Pods.named("p").build();
    private static final Pod RESTARTING = pod(spec -> spec.restartsAllContainers(true));
    private static final Pod BOTH =
            pod(spec -> spec.restartsAllContainers(true).hostNetwork(true).hostUsers(false));

    private static NodeDeclaredFeatures plugin(FeatureGates gates) {
        return new NodeDeclaredFeatures.Factory()
                .create(PluginArgs.None.DEFAULTS, TestHandle.create().with(gates));
    }

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
        CycleState state = new CycleState();
        ClusterSketch cluster = ClusterSketch.of(declaring(c.declared.toArray(String[]::new)));
        assertThat(PLUGIN.preFilter(state, c.pod, cluster).status()).isEqualTo(Status.success());
        assertThat(PLUGIN.filter(state, c.pod, cluster.nodeInfo("n")))
                .isEqualTo(
                        c.fits
                                ? Status.success()
                                : Status.unresolvable("node(s) didn't match Pod's required features"));
    }

    @Test
    void hasNoSayAboutPodsThatUseNoSuchFeature() {
        List<Pod> pods = List.of(PLAIN, pod(spec -> spec.hostNetwork(true)), pod(spec -> spec.hostUsers(false)));
        for (Pod pod : pods) {
            assertThat(PLUGIN.preFilter(new CycleState(), pod, ClusterSketch.empty())
                            .status()
                            .isSkip())
                    .isTrue();
        }
    }

    @Test
    void hasNoSayAndNoEventsWhenTurnedOff() {
        NodeDeclaredFeatures off = plugin(FeatureGates.DEFAULTS.with(FeatureGates.NODE_DECLARED_FEATURES, false));
        assertThat(off.preFilter(new CycleState(), BOTH, ClusterSketch.empty())
                        .status()
                        .isSkip())
                .isTrue();
        assertThat(off.eventsToRegister()).isEmpty();
    }

    @Nested
    class Events {
        private Hint hint(int place, Pod pod, ObjectChange<Object> change) {
            EventRegistration registration = PLUGIN.eventsToRegister().get(place);
            return registration.hint().hint(pod, change);
        }

        @Test
        void ofANodeMatterWhenItDeclaresOtherFeatures() {
            assertThat(hint(0, BOTH, ObjectChange.added(declaring()))).isEqualTo(Hint.QUEUE);
            assertThat(hint(0, BOTH, ObjectChange.updated(declaring(), declaring(RESTART))))
                    .isEqualTo(Hint.QUEUE);
            assertThat(hint(0, BOTH, ObjectChange.updated(declaring(RESTART), declaring(RESTART))))
                    .isEqualTo(Hint.SKIP);
        }

        @Test
        void ofAPodMatterWhenItIsTheOneAndNeedsOtherFeatures() {
            assertThat(hint(1, PLAIN, ObjectChange.updated(BOTH, PLAIN))).isEqualTo(Hint.QUEUE);
            assertThat(hint(1, PLAIN, ObjectChange.updated(PLAIN, PLAIN))).isEqualTo(Hint.SKIP);
            assertThat(hint(1, Pods.named("q").build(), ObjectChange.updated(BOTH, PLAIN)))
                    .isEqualTo(Hint.SKIP);
        }
    }
}
