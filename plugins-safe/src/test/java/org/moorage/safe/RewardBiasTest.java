// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodStatus.ContainerPhase;
import org.moorage.api.model.PodStatus.ContainerState;
import org.moorage.api.plugin.Problems;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

/** kubeRL of kube-safe-scheduler: its monitor and its agent {@code rl-priority}. */
@Timeout(60)
class RewardBiasTest {
    private static final Node N1 = Nodes.named("n1").build();
    private static final Node N2 = Nodes.named("n2").build();
    private static final Instant END = Instant.parse("2026-11-22T10:00:50Z");
    private static final ObjectKind<OtherObject> CONFIG_MAP = ObjectKind.other("v1", "ConfigMap", "configmaps", true);

    private static RewardBias.Args args(boolean originalBehavior) {
        return args("", "", originalBehavior);
    }

    private static RewardBias.Args args(String file, String configMap, boolean originalBehavior) {
        RewardBias.Args defaults = RewardBias.Args.DEFAULTS;
        return new RewardBias.Args(
                defaults.weight(),
                defaults.running(),
                defaults.unseen(),
                defaults.failed(),
                defaults.mttf(),
                defaults.namespaces(),
                defaults.typeLabels(),
                file,
                configMap,
                originalBehavior);
    }

    private static TestScheduler start(RewardBias.Args args) {
        return PluginTester.of(new RewardBias.Factory(), args).cluster(N1, N2).start();
    }

    private static Pod pod(String name, String phase, ContainerState... states) {
        return Pods.named(name)
                .label("podtype", "D")
                .on("n1")
                .status(status -> status.phase(phase).containerStates(List.of(states)))
                .build();
    }

    private static Pod waiting() {
        return Pods.named("waiting").label("podtype", "D").build();
    }

    private static final VectorTable TABLE = new VectorTable("kuberl");

    @AfterAll
    static void writeTable() {
        TABLE.write();
    }

    /** Tests the average and the score after failures and possibly a success. */
    @ParameterizedTest
    @CsvSource({
        "0, false, 1, 0, 100",
        "1, false, .9, 9, 90",
        "2, false, .81, 8, 81",
        "3, false, .729, 7, 73",
        "4, false, .6561, 6, 66",
        "5, false, .59049, 5, 59",
        "6, false, .531441, 5, 53",
        "7, false, .478297, 4, 48",
        "5, true, .631441, 6, 63",
    })
    void followsTheAverage(int failures, boolean succeedsThen, double average, long original, long score) {
        try (TestScheduler first = start(args(true));
                TestScheduler second = start(args(false))) {
            for (TestScheduler scheduler : List.of(first, second)) {
                for (int i = 0; i < failures; i++) {
                    fail(scheduler, "p" + i);
                }
                if (succeedsThen) {
                    scheduler.cluster().apply(pod("q", "Pending"));
                    scheduler.cluster().apply(pod("q", "Running"));
                }
            }
            double got = first.plugin(RewardBias.class).rewards().of("D", "n1");
            Map<String, Long> scores = first.scheduler().evaluate(waiting()).totals();
            assertThat(got).isCloseTo(average, within(5e-7));
            assertThat(scores).isEqualTo(Map.of("n1", original, "n2", 0L));
            second.pod(waiting()).scores("n1", score).scores("n2", 100);
            TABLE.add(
                    (failures == 0 ? "no pod yet" : failures == 1 ? "1 failure" : failures + " failures")
                            + (succeedsThen ? ", 1 success" : ""),
                    text(average),
                    text(got),
                    original,
                    scores.get("n1"),
                    score);
        }
    }

    private static String text(double average) {
        return String.format(Locale.ROOT, "%.6f", average)
                .replaceFirst("\\.?0*$", "")
                .replaceFirst("^0\\.", ".");
    }

    private static void fail(TestScheduler scheduler, String name) {
        scheduler.cluster().apply(pod(name, "Pending"));
        scheduler.cluster().apply(pod(name, "Failed"));
    }

    private record Outcome(String name, String phase, long score, ContainerState... states) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static ContainerState ended(long secondsAfterTheLast) {
        return new ContainerState(
                "c", ContainerPhase.TERMINATED, Optional.of(END.plusSeconds(secondsAfterTheLast)), Optional.of(END));
    }

    private static final ContainerState ENDED_FIRST =
            new ContainerState("c", ContainerPhase.TERMINATED, Optional.of(END), Optional.empty());
    private static final ContainerState WAITS =
            new ContainerState("c", ContainerPhase.WAITING, Optional.empty(), Optional.of(END));
    private static final ContainerState RUNS_AGAIN =
            new ContainerState("c", ContainerPhase.RUNNING, Optional.empty(), Optional.of(END));

    // From 90: a reward of 0 makes it 81, of .5 86, of 1 91.
    private static Stream<Outcome> outcomes() {
        return Stream.of(
                new Outcome("failed", "Failed", 81),
                new Outcome("unknown", "Unknown", 81),
                new Outcome("pending", "Pending", 90),
                new Outcome("succeeded", "Succeeded", 90),
                new Outcome("running", "Running", 91),
                new Outcome("ended for the first time", "Running", 86, ENDED_FIRST),
                new Outcome("ended again soon", "Running", 81, ended(30)),
                // The seconds of the minute, which the original compared, are lower than before.
                new Outcome("ended again after 10 minutes", "Running", 81, ended(600)),
                new Outcome("ended again after more than 10 minutes", "Running", 86, ended(601)),
                new Outcome("waits", "Running", 90, WAITS),
                new Outcome("runs again", "Running", 90, RUNS_AGAIN),
                new Outcome("the worst of two", "Running", 81, ended(30), ENDED_FIRST),
                new Outcome("the worst of two, in the other order", "Running", 81, ENDED_FIRST, ended(30)),
                new Outcome("one ended, one waits", "Running", 86, ENDED_FIRST, WAITS));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("outcomes")
    void rewardsTheOutcomeOfAPod(Outcome outcome) {
        try (TestScheduler scheduler = start(args(false))) {
            fail(scheduler, "before");
            scheduler.cluster().apply(pod("p", "Pending"));
            scheduler.cluster().apply(pod("p", outcome.phase(), outcome.states()));
            scheduler.pod(waiting()).scores("n1", outcome.score());
        }
    }

    @Test
    void hasTheLastContainerDecideAsTheOriginal() {
        try (TestScheduler scheduler = start(args(true))) {
            scheduler.cluster().apply(pod("p", "Running", ended(30), ENDED_FIRST));
            scheduler.cluster().apply(pod("q", "Running", ENDED_FIRST, WAITS));
            scheduler.pod(waiting()).scores("n1", 9);
        }
        try (TestScheduler scheduler = start(args(false))) {
            scheduler.cluster().apply(pod("p", "Running", ended(30), ENDED_FIRST));
            scheduler.pod(waiting()).scores("n1", 90);
        }
    }

    @Test
    void countsAnOutcomeOnce() {
        try (TestScheduler scheduler = start(args(false))) {
            fail(scheduler, "p");
            Pod labelled = Pods.named("p")
                    .label("podtype", "D")
                    .label("other", "label")
                    .on("n1")
                    .status(status -> status.phase("Failed"))
                    .build();
            scheduler.cluster().apply(labelled);
            scheduler.pod(waiting()).scores("n1", 90);
        }
    }

    // A cluster's watch leaves pods out that have ended, which looks as if they were deleted.
    @ParameterizedTest
    @CsvSource({"Failed, 90, 81", "Succeeded, 100, 100"})
    void asksWhatBecameOfAPodThatIsGone(String phase, long score, long scoreAfterAnother) {
        try (TestScheduler scheduler = start(args(false))) {
            scheduler.hideEndedPods();
            scheduler.cluster().apply(pod("p", "Running"));
            scheduler.cluster().apply(pod("p", phase));
            assertThat(scheduler.handle().cluster().lister(ObjectKind.POD).all())
                    .isEmpty();
            scheduler.pod(waiting()).scores("n1", score);
            scheduler.cluster().remove(pod("p", phase));
            scheduler.pod(waiting()).scores("n1", score);
            scheduler.cluster().apply(pod("q", "Running", RUNS_AGAIN));
            scheduler.cluster().apply(pod("q", phase));
            scheduler.pod(waiting()).scores("n1", scoreAfterAnother);
        }
    }

    @Test
    void learnsNothingOfAPodThatWasDeletedWhileItRan() {
        try (TestScheduler scheduler = start(args(false))) {
            scheduler.cluster().apply(pod("p", "Running"));
            scheduler.cluster().remove(pod("p", "Running"));
            scheduler.pod(waiting()).scores("n1", 100);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'podtype=a app=b name=c', a",
        "'app=b name=c', b",
        "'name=c', c",
        "'other=d', p",
    })
    void readsTheTypeFromLabels(String labels, String type) {
        Pods pod = Pods.named("p");
        for (String label : labels.split(" ")) {
            String[] pair = label.split("=");
            pod.label(pair[0], pair[1]);
        }
        assertThat(RewardBias.type(pod.build(), RewardBias.Args.DEFAULTS.typeLabels()))
                .isEqualTo(type);
    }

    @Test
    void watchesTheConfiguredNamespaces() {
        try (TestScheduler scheduler = start(args(false))) {
            scheduler
                    .cluster()
                    .apply(Pods.named("p")
                            .namespace("other")
                            .label("podtype", "D")
                            .on("n1")
                            .status(status -> status.phase("Failed"))
                            .build());
            scheduler.pod(waiting()).scores("n1", 100);
        }
    }

    @Test
    void keepsRewardsInAFile(@TempDir Path folder) throws IOException, InterruptedException {
        Path file = folder.resolve("rewards.json");
        RewardStore store = new RewardStore.InFile(file);
        assertThat(store.load()).isEmpty();
        store.save(Map.of("D", Map.of("n1", 0.9)), Set.of("D"));
        assertThat(store.load()).isEqualTo(Map.of("D", Map.of("n1", 0.9)));
        Files.writeString(file, "{\"D\":{\"n1\":0.25,\"n2\":\"x\",\"n3\":7}}");
        assertThat(store.load()).isEqualTo(Map.of("D", Map.of("n1", 0.25)));
        try (TestScheduler scheduler = start(args(file.toString(), "", false))) {
            awaitScore(scheduler, 25);
        }
    }

    @Test
    void keepsRewardsInAConfigMap() throws InterruptedException {
        OtherObject map = new OtherObject(
                CONFIG_MAP,
                ObjectMeta.named("rewards").namespace("kube-system").build(),
                "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"rewards\",\"namespace\":\"kube-system\"},"
                        + "\"data\":{\"D\":\"{\\\"n1\\\":0.25}\"}}");
        PluginTester tester = PluginTester.of(new RewardBias.Factory(), args("", "kube-system/rewards", false))
                .cluster(N1, N2, map);
        try (TestScheduler scheduler = tester.start()) {
            awaitScore(scheduler, 25);
            RewardStore store = new RewardStore.InConfigMap(scheduler.handle(), "kube-system", "rewards");
            store.save(Map.of("D", Map.of("n1", 0.5), "E", Map.of("n2", 0.75)), Set.of("D", "E"));
            assertThat(store.load()).isEqualTo(Map.of("D", Map.of("n1", 0.5), "E", Map.of("n2", 0.75)));
            assertThatThrownBy(() -> new RewardStore.InConfigMap(scheduler.handle(), "default", "none").load())
                    .hasMessage("configMap: default/none is not there (expected: one that was made, it may be empty)");
        }
    }

    private static void awaitScore(TestScheduler scheduler, long score) throws InterruptedException {
        RewardBias plugin = scheduler.plugin(RewardBias.class);
        while (plugin.rewards().of("D", "n1") == 1) {
            Thread.onSpinWait();
        }
        scheduler.pod(waiting()).scores("n1", score);
    }

    @Test
    void saysWhatIsWrongWithItsArguments() {
        Problems problems = Problems.collector();
        new RewardBias.Args(0, 2, -1, Double.NaN, Duration.ofSeconds(-1), List.of(), List.of(), "f", "rewards", false)
                .validate(problems);
        assertThat(problems.all().stream().map(Object::toString))
                .containsExactly(
                        "weight: 0.0 (expected: above 0 and up to 1)",
                        "running: 2.0 (expected: 0 to 1)",
                        "unseen: -1.0 (expected: 0 to 1)",
                        "failed: NaN (expected: 0 to 1)",
                        "mttf: -1s (expected: >= 0)",
                        "configMap: \"rewards\" (expected: namespace/name)",
                        "configMap: \"rewards\" (expected: empty if file is set)");
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(new RewardBias.Factory());
    }
}
