// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.app.internal.live.LiveChange;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.EventType;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

final class DecisionJudgeTest {
    private static final PluginRegistry REGISTRY = PluginRegistry.of(KubeSchedulerPlugins.all());

    private final List<Difference> differences = new ArrayList<>();
    private DecisionJudge judge;
    private Duration now = Duration.ZERO;

    @BeforeEach
    void knowTwoNodes() {
        knowTwoNodes(ConfigLoader.defaults(REGISTRY));
    }

    private void knowTwoNodes(LoadedConfig config) {
        judge = new DecisionJudge(config, REGISTRY, differences::add);
        see(EventType.ADDED, node("a", "4"));
        see(EventType.ADDED, node("b", "4"));
        judge.judge(now);
    }

    @AfterEach
    void close() {
        judge.close();
    }

    private void finish() {
        assertThat(Stream.generate(() -> judge.finish(now)).limit(100).anyMatch(isDone -> isDone))
                .isTrue();
    }

    private static Node node(String name, String cpu) {
        return Nodes.named(name)
                .allocatable("cpu", cpu)
                .allocatable("memory", "8Gi")
                .allocatable("pods", "10")
                .build();
    }

    private static Pod pod(String name, String cpu) {
        return Pods.named(name).uid(name).container("main").requests("cpu", cpu).build();
    }

    private void see(EventType type, ClusterObject object) {
        judge.take(
                new LiveChange(
                        ObjectKind.of(object),
                        type,
                        object.namespace(),
                        object.metadata().name(),
                        object.metadata().uid(),
                        Optional.of(object)),
                now);
    }

    private void seeBound(Pod pod, String nodeName) {
        see(EventType.MODIFIED, pod.withNode(nodeName));
    }

    @Test
    void findsTheOrderInWhichDecisionsCameAbout() {
        Pod first = pod("first", "2");
        Pod second = pod("second", "1");
        Pod third = pod("third", "2");
        see(EventType.ADDED, first);
        see(EventType.ADDED, second);
        see(EventType.ADDED, third);
        // Bound in another order than they were tried: the third goes where there is more room.
        seeBound(third, "b");
        seeBound(second, "b");
        seeBound(first, "a");

        finish();

        assertThat(differences).isEmpty();
        assertThat(judge.verdicts())
                .extracting(Verdicts::judged, Verdicts::ties, Verdicts::equal)
                .containsExactly(3, 1, 2);
    }

    @Test
    void namesThePluginThatPrefersAnotherNode() {
        see(EventType.ADDED, pod("there", "2").withNode("a"));
        Pod web = pod("web", "1");
        see(EventType.ADDED, web);
        seeBound(web, "a");

        finish();

        assertThat(differences).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Difference.Kind.LOWER_SCORE);
            assertThat(difference.best()).containsExactly("b");
            assertThat(difference.plugins())
                    .extracting(Difference.PluginScores::plugin)
                    .contains("NodeResourcesFit");
        });
        assertThat(judge.verdicts().areAllExplained()).isFalse();
    }

    @Test
    void namesThePluginThatRejectsTheNode() {
        Pod large = pod("large", "8");
        see(EventType.ADDED, large);
        seeBound(large, "a");

        finish();

        assertThat(differences).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Difference.Kind.REJECTED_HERE);
            assertThat(difference.reason()).isEqualTo("NodeResourcesFit rejects the node: Insufficient cpu");
        });
    }

    @Test
    void explainsADecisionByAChangeThatWasSeenBeforeIt() {
        Pod large = pod("large", "6");
        see(EventType.ADDED, large);
        see(EventType.ADDED, node("c", "8"));
        seeBound(large, "c");

        finish();

        assertThat(differences).isEmpty();
        assertThat(judge.verdicts().equal()).isEqualTo(1);
    }

    @Test
    void explainsADecisionByTheClusterBeforeAChange() {
        Pod web = pod("web", "1");
        see(EventType.ADDED, web);
        see(EventType.ADDED, node("c", "64"));
        seeBound(web, "a");

        finish();

        assertThat(differences).isEmpty();
        assertThat(judge.verdicts().ties()).isEqualTo(1);
    }

    @Test
    void explainsADecisionThatCameAboutBeforeOneThatWasTakenIn() {
        Pod late = pod("late", "1");
        Pod early = pod("early", "1");
        see(EventType.ADDED, late);
        see(EventType.ADDED, early);
        seeBound(late, "a");
        judge.judge(now);
        now = Duration.ofSeconds(10);
        // Both nodes were empty when it was decided, and the other pod then had the choice of both, too.
        see(EventType.ADDED, pod("unrelated", "100m").withNode("b"));
        seeBound(early, "a");
        finish();

        assertThat(judge.verdicts().judged()).isEqualTo(2);
    }

    @Test
    void waitsForTheBindingsOfPodsThatCameBefore() {
        Pod first = pod("first", "2");
        Pod second = pod("second", "1");
        see(EventType.ADDED, first);
        see(EventType.ADDED, second);
        seeBound(second, "b");
        judge.judge(now);

        assertThat(judge.verdicts().judged()).isZero();

        seeBound(first, "a");
        judge.judge(now);

        assertThat(judge.verdicts().judged()).isEqualTo(2);
        assertThat(differences).isEmpty();
    }

    @Test
    void reportsAPendingPodThatFits() {
        Pod web = pod("web", "1");
        see(EventType.ADDED, web);
        see(
                EventType.MODIFIED,
                web.withStatus(web.status().toBuilder()
                        .conditions(List.of(new PodCondition(
                                PodCondition.POD_SCHEDULED, "False", "Unschedulable", "0/2 nodes are available", 0)))
                        .build()));
        judge.judge(now);
        assertThat(differences).isEmpty();

        now = Duration.ofSeconds(30);
        judge.judge(now);

        assertThat(differences).singleElement().satisfies(difference -> {
            assertThat(difference.kind()).isEqualTo(Difference.Kind.FITS_HERE);
            assertThat(difference.reason()).isEqualTo("it would fit a, b here; there: 0/2 nodes are available");
        });
    }

    @Test
    void agreesOnAPodThatWaits() {
        Pod large = pod("large", "8");
        see(EventType.ADDED, large);
        see(
                EventType.MODIFIED,
                large.withStatus(large.status().toBuilder()
                        .conditions(List.of(new PodCondition(
                                PodCondition.POD_SCHEDULED, "False", "Unschedulable", "0/2 nodes are available", 0)))
                        .build()));

        judge.judge(now);

        assertThat(judge.verdicts().waiting()).isEqualTo(1);
        assertThat(judge.verdicts().areAllExplained()).isTrue();
    }

    @Test
    void takesAPodIntoAccountThatIsGoneByNow() {
        Pod first = pod("first", "3");
        Pod second = pod("second", "3");
        see(EventType.ADDED, first);
        see(EventType.ADDED, second);
        seeBound(first, "a");
        seeBound(second, "b");
        see(EventType.DELETED, first.withNode("a"));

        finish();

        assertThat(differences).isEmpty();
        assertThat(judge.verdicts().judged()).isEqualTo(2);
        assertThat(judge.backlog()).isZero();
    }

    @Test
    void distinguishesNodesThatASchedulerMayHaveSkipped() {
        assertThat(kindOfALowerScore()).isEqualTo(Difference.Kind.SAMPLING);
        assertThat(judge.verdicts().areAllExplained()).isTrue();
    }

    @Test
    void knowsThatAProfileHasAllNodesLookedAt() {
        judge.close();
        knowTwoNodes(ConfigLoader.load("""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                profiles:
                - schedulerName: default-scheduler
                  percentageOfNodesToScore: 100
                """, "all-nodes.yaml", REGISTRY));

        assertThat(kindOfALowerScore()).isEqualTo(Difference.Kind.LOWER_SCORE);
        assertThat(judge.verdicts().areAllExplained()).isFalse();
    }

    private Difference.Kind kindOfALowerScore() {
        for (int i = 0; i < 200; i++) {
            see(EventType.ADDED, node("small-" + i, "2"));
        }
        see(EventType.ADDED, pod("there", "1").withNode("small-0"));
        Pod web = pod("web", "1");
        see(EventType.ADDED, web);
        // The first two nodes are larger, and better; half of the cluster is looked at.
        seeBound(web, "small-1");

        finish();

        assertThat(differences).hasSize(1);
        return differences.get(0).kind();
    }

    @Test
    void takesTheNodeOnWhichRoomWasMadeAsItIs() {
        see(EventType.ADDED, pod("there", "2").withNode("a"));
        Pod web = pod("web", "1");
        see(EventType.ADDED, web);
        see(
                EventType.MODIFIED,
                web.withStatus(web.status().toBuilder().nominatedNodeName("a").build()));
        seeBound(web, "a");

        finish();

        assertThat(differences).isEmpty();
        assertThat(judge.verdicts().nominated()).isEqualTo(1);
    }
}
