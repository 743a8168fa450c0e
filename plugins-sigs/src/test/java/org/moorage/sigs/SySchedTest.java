// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class SySchedTest {
    private static final ObjectKind<OtherObject> KIND =
            ObjectKind.other("security-profiles-operator.x-k8s.io/v1beta1", "SeccompProfile", "seccompprofiles", true);
    private static final OtherObject ALL = profile("all-syscalls", "'read', 'write', 'bind'");
    private static final OtherObject READER = profile("reader", "'read'");

    @Test
    void countsTheCallsThatPodsAreExposedTo() {
        Pod reader = running("reader", "operator/default/reader.json");
        Pod any = running("any", "");
        try (TestScheduler scheduler =
                tester().cluster(reader.withNode("a"), any.withNode("b")).start()) {
            Pod pod = running("p", "operator/default/reader.json");
            // On node a nobody is exposed. On node b the pod is exposed to two further calls.
            assertThat(score(scheduler, pod, "a")).isZero();
            assertThat(score(scheduler, pod, "b")).isEqualTo(2);
            assertThat(score(scheduler, pod, "c")).isZero();
            scheduler.pod(pod).scores("a", 100).scores("b", 0).scores("c", 100);

            // With another pod of all calls, the one on node a is exposed to two further calls.
            assertThat(score(scheduler, running("q", ""), "a")).isEqualTo(2);

            scheduler.cluster().delete(any.withNode("b"));
            assertThat(score(scheduler, pod, "b")).isZero();
        }
    }

    @Test
    void followsChangesOfProfiles() {
        Pod reader = running("reader", "operator/default/reader.json");
        try (TestScheduler scheduler = tester().cluster(reader.withNode("a")).start()) {
            assertThat(score(scheduler, running("p", ""), "a")).isEqualTo(2);

            scheduler.cluster().apply(profile("reader", "'read', 'write'"));
            assertThat(score(scheduler, running("p", ""), "a")).isEqualTo(1);
        }
    }

    @Test
    void leavesTheChoiceToOthersWithoutProfiles() {
        try (TestScheduler scheduler = PluginTester.of(new SySched.Factory())
                .cluster(Nodes.named("a").build(), Nodes.named("b").build())
                .start()) {
            scheduler.pod(running("p", "")).scores("a", 100).scores("b", 100);
        }
    }

    @Test
    void keepsTheContract() {
        PluginContract.verify(new SySched.Factory(), SySched.Args.DEFAULTS, ALL, READER);
    }

    private static long score(TestScheduler scheduler, Pod pod, String node) {
        long[] score = new long[1];
        scheduler.inCycle(
                pod,
                (state, snapshot) -> score[0] = scheduler
                        .plugin(SySched.class)
                        .score(new CycleState(), pod, snapshot.node(node).orElseThrow()));
        return score[0];
    }

    private static PluginTester tester() {
        return PluginTester.of(new SySched.Factory())
                .cluster(
                        ALL,
                        READER,
                        Nodes.named("a").build(),
                        Nodes.named("b").build(),
                        Nodes.named("c").build());
    }

    private static Pod running(String name, String profile) {
        Pod pod = Pods.named(name)
                .uid(name)
                .status(status -> status.phase("Running"))
                .build();
        return profile.isEmpty()
                ? pod
                : pod.withSpec(
                        pod.spec().toBuilder().seccompProfiles(List.of(profile)).build());
    }

    private static OtherObject profile(String name, String calls) {
        return new OtherObject(
                KIND,
                ObjectMeta.named(name).namespace("default").build(),
                ("{'spec': {'syscalls': [{'action': 'SCMP_ACT_ALLOW', 'names': [" + calls
                                + "]}, {'action': 'SCMP_ACT_ERRNO', 'names': ['reboot']}]}}")
                        .replace('\'', '"'));
    }
}
