// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.resources;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.point.PermitResult;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class DeferredPodSchedulingTest {
    private static final Node OPEN = Nodes.named("n").build();
    private static final Node CLOSED = disabled("n");
    private static final Node OTHER = Nodes.named("other").build();
    private static final Pod RESIZED = pending("Deferred");
    private static final PluginTester OFF = PluginTester.of(DeferredPodScheduling.FACTORY);
    private static final PluginTester ON = OFF.features(
            FeatureGates.DEFAULTS.with(FeatureGates.IN_PLACE_POD_VERTICAL_SCALING_SCHEDULER_PREEMPTION, true));

    private static Node disabled(String name) {
        return Nodes.named(name).build().toBuilder()
                .podPreemptionPolicy(new Node.PodPreemptionPolicy(List.of("autoscaler")))
                .build();
    }

    // The status of the condition does not matter, its reason does.
    private static Pod pending(String reason) {
        return Pods.named("p")
                .on("n")
                .status(status ->
                        status.conditions(List.of(new PodCondition("PodResizePending", "False", reason, "no room", 1))))
                .build();
    }

    private static void permits(PluginTester plugin, Pod pod, PermitResult result) {
        plugin.pod(pod.withoutNode()).permits("n", result);
    }

    @Test
    void keepsAPodOnItsNodeIfItMayPreemptThere() {
        ON.cluster(OPEN, OTHER)
                .pod(RESIZED)
                .filters("n", Status.success())
                .filters("other", Status.unresolvable("pod assigned to different node"));
        ON.cluster(CLOSED).pod(RESIZED).filters("n", Status.unresolvable("node had resize preemption disabled"));
    }

    @Test
    void hasAPodWaitThatFits() {
        permits(
                ON.cluster(OPEN),
                RESIZED,
                PermitResult.rejected(Status.unresolvable("pod resize fits, waiting for Kubelet actuation")));
    }

    @Test
    void leavesOtherPodsAndAllWithoutTheFeatureAlone() {
        ON.cluster(CLOSED).pod(pending("Infeasible")).skipsFilter();
        ON.cluster(CLOSED).pod(Pods.named("p").build()).skipsFilter();
        OFF.cluster(CLOSED).pod(RESIZED).skipsFilter();
        permits(ON.cluster(CLOSED), pending("Infeasible"), PermitResult.allow());
        permits(OFF.cluster(CLOSED), RESIZED, PermitResult.allow());
    }

    record Case(String name, Pod pod, ObjectChange<? extends ClusterObject> change, Hint hint) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("its node lets it preempt", RESIZED, ObjectChange.updated(CLOSED, OPEN), Hint.QUEUE),
        new Case("its node no longer does", RESIZED, ObjectChange.updated(OPEN, CLOSED), Hint.SKIP),
        new Case("another node does", RESIZED, ObjectChange.updated(disabled("other"), OTHER), Hint.SKIP),
        new Case("its node comes", RESIZED, ObjectChange.added(OPEN), Hint.QUEUE),
        new Case("its node comes and does not", RESIZED, ObjectChange.added(CLOSED), Hint.SKIP),
        new Case("another node comes", RESIZED, ObjectChange.added(OTHER), Hint.SKIP),
        new Case("a node lets others preempt", pending("Infeasible"), ObjectChange.updated(CLOSED, OPEN), Hint.SKIP),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void hints(Case c) {
        ON.pod(c.pod).hint(c.change, c.hint);
    }

    @Test
    void waitsForItsNode() {
        ON.registers("NodeAdd|UpdateNodePreemptionPolicy");
    }
}
