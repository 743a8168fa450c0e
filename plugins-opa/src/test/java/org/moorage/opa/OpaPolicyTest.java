// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.ExtensionPoint;
import org.moorage.runtime.decision.Decision;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginContract;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;

class OpaPolicyTest {
    private static final String FIT_PATH = "/io/k8s/scheduler/fit";
    private static final Status NOT_THIS_NODE = Status.unschedulable("node(s) didn't fit by the policy " + FIT_PATH);
    private static final Status NO_NODE = Status.unschedulable("no node fits by the policy " + FIT_PATH);
    private static final String WEIGHTS = "mode: wasm, policies: [src/test/resources/weights.wasm]";
    private static final String OWN = "mode: wasm, policies: [src/test/resources/own.wasm]";

    private static PluginTester plugin(String args) {
        return PluginTester.of(new OpaPolicy.Factory(), TestArgs.of(args));
    }

    private static Node weighing(String name, String weight) {
        return Nodes.named(name).annotation("weight", weight).build();
    }

    private static Nodes roomy(String name) {
        return Nodes.named(name).allocatable("cpu", "4").allocatable("memory", "8Gi");
    }

    private static Pods small(String name) {
        return Pods.named(name).requests("cpu", "500m").requests("memory", "512Mi");
    }

    @Test
    void keepsTheContractOfAPlugin() {
        PluginContract.verify(new OpaPolicy.Factory());
    }

    @Nested
    class PreFilter {
        @Test
        void leavesAPodAloneForWhichTheDocumentIsUndefined() {
            plugin(WEIGHTS)
                    .cluster(weighing("n1", "1"), weighing("n2", "2"))
                    .pod(Pods.named("p").label("leave", "me").build())
                    .skipsFilter()
                    .skipsScore();
        }

        @Test
        void rejectsAPodForWhichTheDocumentIsEmpty() {
            plugin(OWN)
                    .cluster(Nodes.named("n1").build())
                    .pod(Pods.named("p").build())
                    .rejectsPod(NO_NODE);
        }

        record Fault(String name, String weight, String label, String message) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Fault> FAULTS = List.of(
                new Fault(
                        "a weight that is a text",
                        "\"heavy\"",
                        "",
                        FIT_PATH + ": weight of node n1: \"heavy\" (expected: a number)"),
                new Fault(
                        "a weight that is null",
                        "null",
                        "",
                        FIT_PATH + ": weight of node n1: null (expected: a number)"),
                new Fault(
                        "a document that is a list",
                        "1",
                        "list",
                        FIT_PATH + ": ARRAY (expected: an object of node to weight)"),
                new Fault(
                        "an evaluation that takes too long", "1", "slow", "the policy is not evaluated within 1200ms"));

        @ParameterizedTest
        @FieldSource("FAULTS")
        void fails(Fault fault) {
            Pod pod = Pods.named("p")
                    .label(fault.label.isEmpty() ? "x" : fault.label, "x")
                    .build();
            try (TestScheduler scheduler = plugin(WEIGHTS + ", timeout: 300ms")
                    .cluster(weighing("n1", fault.weight), weighing("n2", "1"))
                    .start()) {
                Decision decision = scheduler.schedule(pod);

                assertThat(decision.node()).isEmpty();
                assertThat(decision.message()).contains(fault.message);
                assertThat(Thread.interrupted()).isFalse();
                assertThat(scheduler
                                .schedule(
                                        Pods.named("next").label("leave", "me").build())
                                .node())
                        .isPresent();
            }
        }

        @ParameterizedTest
        @FieldSource("FAULTS")
        void isIgnoredIfItIsToBe(Fault fault) {
            Pod pod = Pods.named("p")
                    .label(fault.label.isEmpty() ? "x" : fault.label, "x")
                    .build();
            try (TestScheduler scheduler = plugin(WEIGHTS + ", timeout: 300ms, failurePolicy: Ignore")
                    .cluster(weighing("n1", fault.weight), weighing("n2", "1"))
                    .start()) {
                assertThat(scheduler.schedule(pod).node()).isPresent();
            }
        }
    }

    @Nested
    class Filter {
        @Test
        void rejectsNodesThatAreNotInTheDocument() {
            plugin("")
                    .cluster(
                            roomy("n1").build(),
                            roomy("n2").taint("only", "gpu", "NoSchedule").build())
                    .pod(small("p").build())
                    .accepts("n1")
                    .rejects("n2", NOT_THIS_NODE);
        }

        @Test
        void looksAtWhatPreemptionTries() {
            Pod large = Pods.named("large")
                    .requests("cpu", "4")
                    .requests("memory", "1Gi")
                    .on("n1")
                    .build();
            PluginTester tester =
                    plugin("").cluster(roomy("n1").build(), roomy("n2").build(), large);
            tester.pod(small("p").build()).rejects("n1", NOT_THIS_NODE).accepts("n2");
            tester.pod(small("p").build()).withPodRemoved("n1", large).accepts("n1");
            tester.pod(small("p").build())
                    .withPodRemoved("n1", large)
                    .withPodAdded("n1", large)
                    .rejects("n1", NOT_THIS_NODE);
            tester.pod(small("p").build())
                    .withPodAdded(
                            "n2",
                            Pods.named("other")
                                    .requests("cpu", "4")
                                    .requests("memory", "1Gi")
                                    .build())
                    .rejects("n2", NOT_THIS_NODE);
        }

        @Test
        void leavesAPolicyThatDoesNotLookAtItToItsAnswer() {
            Pod bound = Pods.named("bound").on("a").build();
            plugin(WEIGHTS)
                    .cluster(weighing("a", "1"), bound)
                    .pod(Pods.named("p").build())
                    .withPodRemoved("a", bound)
                    .accepts("a");
        }
    }

    @Nested
    class Score {
        record Case(String name, String args, List<String> weights, List<Long> scores) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case("lowest to highest", "", List.of("3", "1", "2"), List.of(100L, 0L, 50L)),
                new Case("equal", "", List.of("7", "7", "7"), List.of(100L, 100L, 100L)),
                new Case("all 0", "", List.of("0", "0", "0"), List.of(100L, 100L, 100L)),
                new Case("negative", "", List.of("-5", "-1", "-3"), List.of(0L, 100L, 50L)),
                new Case(
                        "only the best has the best score",
                        "",
                        List.of("1000000000.0000001", "1000000000.0000002", "0"),
                        List.of(99L, 100L, 0L)),
                new Case("as large as numbers get", "", List.of("-1.7e308", "1.7e308", "0"), List.of(0L, 100L, 50L)),
                new Case(
                        "a range of weights",
                        ", weightRange: {min: 0, max: 10}",
                        List.of("5.3125", "3.4375", "6.1875"),
                        List.of(53L, 34L, 61L)),
                new Case(
                        "beyond the range of weights",
                        ", weightRange: {min: 0, max: 10}",
                        List.of("-1", "11", "10"),
                        List.of(0L, 100L, 100L)));

        @ParameterizedTest
        @FieldSource("CASES")
        void keepsTheOrderOfWeights(Case given) {
            plugin(WEIGHTS + given.args)
                    .cluster(
                            weighing("n1", given.weights.get(0)),
                            weighing("n2", given.weights.get(1)),
                            weighing("n3", given.weights.get(2)))
                    .pod(Pods.named("p").build())
                    .scores("n1", given.scores.get(0))
                    .scores("n2", given.scores.get(1))
                    .scores("n3", given.scores.get(2));
        }

        @Test
        void asksAboutTheNodesThatOthersLeftIfItDoesNotFilter() {
            plugin(WEIGHTS)
                    .cluster(weighing("n1", "1"), weighing("n2", "2"))
                    .disabledAt(ExtensionPoint.PRE_FILTER)
                    .disabledAt(ExtensionPoint.FILTER)
                    .pod(Pods.named("p").build())
                    .scores("n1", 0)
                    .scores("n2", 100);
        }

        @Test
        void asksInNormalizeScoreIfItIsEnabledAtScoreAlone() {
            PluginTester alone = plugin(WEIGHTS)
                    .cluster(weighing("n1", "1"), weighing("n2", "2"))
                    .disabledAt(ExtensionPoint.PRE_FILTER)
                    .disabledAt(ExtensionPoint.FILTER)
                    .disabledAt(ExtensionPoint.PRE_SCORE);
            alone.pod(Pods.named("p").build()).scores("n1", 0).scores("n2", 100);
            Pod undefined = Pods.named("p").label("leave", "me").build();
            alone.pod(undefined).scores("n1", 0).scores("n2", 0);
        }

        @Test
        void doesNotAskAgainAboutAPodThatPreFilterLeftAlone() {
            PluginTester tester = plugin(WEIGHTS)
                    .cluster(weighing("n1", "1"), weighing("n2", "2"))
                    .disabledAt(ExtensionPoint.PRE_SCORE);
            Pod undefined = Pods.named("p").label("leave", "me").build();
            tester.pod(undefined).scores("n1", 0).scores("n2", 0);
            tester.pod(Pods.named("p").build()).scores("n1", 0).scores("n2", 100);
        }
    }

    @Nested
    class Reserve {
        // The original wrote the pod to OPA's data before it was bound: see the remark of OPA-2.
        @Test
        void hasTheNextPodSeeTheOneBefore() {
            PluginTester tester =
                    plugin("").cluster(roomy("n1").build(), roomy("n2").build());
            try (TestScheduler scheduler = tester.start()) {
                Pod first = Pods.named("first")
                        .requests("cpu", "3")
                        .requests("memory", "1Gi")
                        .build();
                Pod second = Pods.named("second")
                        .requests("cpu", "2")
                        .requests("memory", "1Gi")
                        .build();
                scheduler.reserve(first, "n1");
                scheduler.pod(second).rejects("n1", NOT_THIS_NODE).accepts("n2");
                scheduler.unreserve(first);
                scheduler.pod(second).accepts("n1", "n2");
                scheduler.reserve(first, "n1");
                scheduler.bind(first);
                scheduler.pod(second).rejects("n1", NOT_THIS_NODE);
                scheduler.cluster().remove(first);
                scheduler.pod(second).accepts("n1", "n2");
            }
        }
    }

    @Nested
    class PolicyFiles {
        @TempDir
        private Path folder;

        static final List<String> NAMED = List.of("", "/fit.wasm");

        // Each file of a ConfigMap is a link to "..data/NAME", and "..data" is a link to a folder, which the kubelet
        // replaces.
        @ParameterizedTest
        @FieldSource("NAMED")
        void areThoseOfAMountedConfigMapThatChanges(String named) throws IOException, InterruptedException {
            mount("..2026_first", "own.wasm");
            Files.createSymbolicLink(folder.resolve("fit.wasm"), Path.of("..data", "fit.wasm"));
            String args = "mode: wasm, policies: [" + folder + named + "]";
            try (TestScheduler scheduler =
                    plugin(args).cluster(weighing("n1", "1")).start()) {
                Pod pod = Pods.named("p").build();
                scheduler.pod(pod).rejectsPod(NO_NODE);

                CountDownLatch changed = new CountDownLatch(1);
                Policies.of(TestArgs.of(args), scheduler.handle()).onChange(changed::countDown);
                mount("..2026_second", "weights.wasm");

                assertThat(changed.await(15, TimeUnit.SECONDS)).isTrue();
                scheduler.pod(pod).accepts("n1");
            }
        }

        private void mount(String version, String policy) throws IOException {
            Path written = Files.createDirectory(folder.resolve(version));
            Files.copy(Path.of("src/test/resources", policy), written.resolve("fit.wasm"));
            Path link = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of(version));
            Files.move(link, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    @Nested
    class Hints {
        @Test
        void retryAPodWhenTheInputOfThePolicyChanges() {
            plugin(WEIGHTS)
                    .cluster(weighing("n1", "1"))
                    .pod(Pods.named("p").build())
                    .hint(ObjectChange.added(weighing("n2", "1")), Hint.QUEUE)
                    .hint(ObjectChange.updated(weighing("n1", "1"), weighing("n1", "2")), Hint.QUEUE)
                    .hint(ObjectChange.deleted(Pods.named("gone").on("n1").build()), Hint.QUEUE);
        }
    }

    @Nested
    class Arguments {
        record Case(String args, String problem) {
            @Override
            public String toString() {
                return args;
            }
        }

        private static final String PATH = "profiles[0].pluginConfig[0].args.";

        static final List<Case> CASES = List.of(
                new Case(
                        "mode: server, url: opa",
                        PATH + "url: \"opa\" (expected: http:// or https://, and where OPA is)"),
                new Case("fitPath: fit", PATH + "fitPath: \"fit\" (expected: a path such as /io/k8s/scheduler/fit)"),
                new Case("timeout: 0s", PATH + "timeout: 0s (expected: > 0)"),
                new Case("weightRange: {min: 5, max: 5}", PATH + "weightRange: "),
                new Case(
                        "resources: [nodes, pods, gizmos]",
                        PATH + "resources[2]: \"gizmos\" (expected: one of nodes, "),
                new Case("resources: [nodes]", PATH + "resources: [nodes] (expected: pods among them)"),
                new Case("policyServer: {address: here}", PATH + "policyServer.address: \"here\" (expected: host:port"),
                new Case(
                        "policyServer: {address: \"0.0.0.0:8181\"}",
                        PATH + "policyServer.address: \"0.0.0.0:8181\" (expected: a loopback address, or tokenFile"),
                new Case(
                        "policyServer: {address: \"10.1.2.3:8181\", tokenFile: /token}",
                        PATH + "policyServer.certFile: missing"));

        @ParameterizedTest
        @FieldSource("CASES")
        void areRefusedWithAReason(Case given) {
            assertThatThrownBy(() -> TestArgs.of(given.args)).hasMessageContaining(given.problem);
        }

        @Test
        void refuseAPolicyThatCannotBeUsed() {
            assertThatThrownBy(() ->
                            plugin("policies: [src/test/resources/own.rego]").start())
                    .hasMessageContaining("opa build -t wasm -e io/k8s/scheduler/fit");
            assertThatThrownBy(() ->
                            plugin("policies: [src/test/resources/absent.wasm]").start())
                    .hasMessageContaining("absent.wasm: cannot be read");
            assertThatThrownBy(() -> plugin("fitPath: /other/fit").start())
                    .hasMessageContaining("entrypoints: io/k8s/scheduler/fit (expected: other/fit");
        }
    }
}
