// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.model.Container;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.Extender;
import org.moorage.api.plugin.Problems;
import org.moorage.config.ExtenderConfig;
import org.moorage.runtime.MonotonicClock;
import org.moorage.runtime.Samples;
import org.moorage.runtime.internal.cache.ClusterSnapshot;
import org.moorage.runtime.internal.cache.SchedulerCache;
import org.moorage.runtime.internal.log.Listeners;

/** Tests requests to extenders, and the effects of their responses and failures. */
@Timeout(60)
class ExtendersTest {
    private static final Pod POD = Samples.pod("p")
            .withJson("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','x':1},'spec':{'y':[2]}}"
                    .replace('\'', '"'));

    private final ClusterSnapshot snapshot = new ClusterSnapshot();

    private List<NodeInfo> nodes(String... names) {
        SchedulerCache cache = new SchedulerCache();
        for (String name : names) {
            Node node = Samples.node(name);
            cache.putNode(node.toBuilder()
                    .json("{\"metadata\":{\"name\":\"" + name + "\"},\"z\":3}")
                    .build());
            cache.putPod(bound("on-" + name, name));
        }
        cache.updateSnapshot(snapshot);
        return snapshot.nodes();
    }

    private static Pod bound(String name, String node) {
        return Samples.pod(name)
                .withJson("{\"metadata\":{\"name\":\"" + name + "\"}}")
                .withNode(node);
    }

    private Extenders extenders(ExtenderConfig... configs) {
        Problems problems = Problems.collector();
        Extenders extenders =
                Extenders.of(List.of(configs), () -> snapshot, MonotonicClock.system(), Listeners.NONE, problems);
        assertThat(problems.all()).isEmpty();
        return extenders;
    }

    private static ExtenderConfig.ManagedResource managed(String name) {
        return new ExtenderConfig.ManagedResource(name, false);
    }

    /** An extender of every verb. */
    private static ExtenderConfig config(String address, boolean namesOnly, boolean ignorable, String... managed) {
        return new ExtenderConfig(
                address,
                "filter",
                "preempt",
                "prioritize",
                2,
                "bind",
                false,
                Optional.empty(),
                Duration.ofSeconds(5),
                namesOnly,
                Arrays.stream(managed).map(ExtendersTest::managed).toList(),
                ignorable);
    }

    private static ExtenderConfig withTimeout(ExtenderConfig config, Duration timeout) {
        return new ExtenderConfig(
                config.urlPrefix(),
                config.filterVerb(),
                config.preemptVerb(),
                config.prioritizeVerb(),
                config.weight(),
                config.bindVerb(),
                config.enableHttps(),
                config.tls(),
                timeout,
                config.nodeCacheCapable(),
                config.managedResources(),
                config.ignorable());
    }

    private static List<String> names(List<NodeInfo> nodes) {
        return nodes.stream().map(NodeInfo::name).toList();
    }

    @Nested
    class Failures {
        record Case(String name, ExtenderServer.Answer answer, String message) {
            Duration limit() {
                return name.endsWith("in time") ? Duration.ofMillis(700) : Duration.ofSeconds(20);
            }

            @Override
            public String toString() {
                return name;
            }
        }

        // The messages are kube-scheduler's, of the same servers; URL stands for the address with the verb.
        static final List<Case> CASES = List.of(
                new Case(
                        "a status other than 200",
                        ExtenderServer.with(500, "{\"NodeNames\":[\"a\"]}"),
                        "failed filter with extender at URL URL, code 500"),
                new Case(
                        "a status other than 200, and no end",
                        ExtenderServer.startingWith(500, "{"),
                        "failed filter with extender at URL URL, code 500"),
                new Case(
                        "a created thing is no success",
                        ExtenderServer.with(201, "{}"),
                        "failed filter with extender at URL URL, code 201"),
                new Case("HTML", ExtenderServer.with("<html>"), "invalid character '<' looking for beginning of value"),
                new Case("nothing", ExtenderServer.with(""), "EOF"),
                new Case("an answer that is cut", ExtenderServer.with("{\"NodeNames\":[\"a\""), "unexpected EOF"),
                new Case(
                        "a list",
                        ExtenderServer.with("[]"),
                        "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult"),
                new Case(
                        "names that are no list",
                        ExtenderServer.with("{\"NodeNames\":\"a\"}"),
                        "json: cannot unmarshal string into Go struct field ExtenderFilterResult.NodeNames of type"
                                + " []string"),
                new Case("an error", ExtenderServer.with("{\"Error\":\"no\",\"NodeNames\":[\"a\"]}"), "no"),
                new Case(
                        "a node that was not sent",
                        ExtenderServer.with("{\"NodeNames\":[\"c\"]}"),
                        "extender \"PREFIX\" claims a filtered node \"c\" which is not found in the input node list"),
                new Case("the end of the connection", (exchange, server) -> exchange.close(), "Post \"URL\": EOF"),
                new Case(
                        "no answer in time",
                        (exchange, server) -> server.hang(),
                        "Post \"URL\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)"),
                new Case(
                        "no end of the answer in time",
                        ExtenderServer.startingWith(200, "{"),
                        "context deadline exceeded (Client.Timeout or context cancellation while reading body)"));

        @ParameterizedTest
        @FieldSource("CASES")
        void failTheAttemptWithKubeSchedulersWords(Case given) throws IOException {
            try (ExtenderServer server = ExtenderServer.answering(given.answer)) {
                ExtenderConfig config = withTimeout(config(server.address() + "/x/", true, false), given.limit());
                String message = given.message
                        .replace("URL URL", "URL " + server.address() + "/x/filter")
                        .replace("\"URL\"", "\"" + server.address() + "/x/filter\"")
                        .replace("PREFIX", server.address() + "/x/");

                assertThatThrownBy(() -> extenders(config).filter(POD, nodes("a", "b"), new HashMap<>()))
                        .isInstanceOf(ExtenderException.class)
                        .hasMessage(message);
            }
        }

        @ParameterizedTest
        @FieldSource("CASES")
        void arePassedOverIfTheExtenderIsIgnorable(Case given) throws IOException {
            try (ExtenderServer server = ExtenderServer.answering(given.answer)) {
                ExtenderConfig config = withTimeout(config(server.address(), true, true), given.limit());

                assertThat(names(extenders(config).filter(POD, nodes("a", "b"), new HashMap<>())))
                        .containsExactly("a", "b");
                assertThat(extenders(config).bind(POD, "a"))
                        .as("bound by the extender")
                        .isEqualTo(given.name.equals("a node that was not sent")
                                || given.name.equals("names that are no list"));
            }
        }

        record Address(String name, String address, String message) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Address> ADDRESSES = List.of(
                new Address(
                        "a closed port",
                        "http://127.0.0.1:1",
                        "Post \"http://127.0.0.1:1/filter\": dial tcp 127.0.0.1:1: connect: connection refused"),
                new Address(
                        "a host that does not exist",
                        "http://nowhere.invalid:80",
                        "Post \"http://nowhere.invalid:80/filter\": dial tcp: lookup nowhere.invalid: no such host"),
                new Address("no scheme", "localhost", "Post \"localhost/filter\": unsupported protocol scheme \"\""),
                new Address(
                        "another scheme",
                        "ftp://host",
                        "Post \"ftp://host/filter\": unsupported protocol scheme \"ftp\""));

        @ParameterizedTest
        @FieldSource("ADDRESSES")
        void ofAddressesNameTheAddress(Address given) {
            assertThatThrownBy(() ->
                            extenders(config(given.address, true, false)).filter(POD, nodes("a"), new HashMap<>()))
                    .isInstanceOf(ExtenderException.class)
                    .hasMessage(given.message);
        }

        @Test
        void saysWhetherABindingMayHaveHappened() throws IOException {
            try (ExtenderServer failing = ExtenderServer.answering(ExtenderServer.with(500, ""));
                    ExtenderServer saying = ExtenderServer.answering(ExtenderServer.with("{\"Error\":\"no\"}"));
                    ExtenderServer hanging = ExtenderServer.answering((exchange, server) -> server.hang())) {
                ExtenderConfig late = withTimeout(config(hanging.address(), true, false), Duration.ofMillis(300));

                assertThat(isCertainlyNotDone(config("http://127.0.0.1:1", true, false)))
                        .isTrue();
                assertThat(isCertainlyNotDone(config(saying.address(), true, false)))
                        .isTrue();
                assertThat(isCertainlyNotDone(config(failing.address(), true, false)))
                        .isFalse();
                assertThat(isCertainlyNotDone(late)).isFalse();
            }
        }

        private boolean isCertainlyNotDone(ExtenderConfig config) {
            try {
                boolean bound = extenders(config).bind(POD, "a");
                throw new AssertionError("bound: " + bound);
            } catch (ExtenderException failure) {
                return failure.isCertainlyNotDone();
            }
        }

        @Test
        void ofClosedConnectionsAreNoneUnlessTwiceOrOfABinding() throws IOException {
            AtomicInteger asked = new AtomicInteger();
            try (ExtenderServer server = ExtenderServer.answering((exchange, own) -> {
                if (asked.incrementAndGet() % 2 == 1) {
                    exchange.close();
                } else {
                    ExtenderServer.with("{\"NodeNames\":[\"a\"]}").to(exchange, own);
                }
            })) {
                Extenders extenders = extenders(config(server.address(), true, false));

                assertThat(names(extenders.filter(POD, nodes("a"), new HashMap<>())))
                        .containsExactly("a");
                assertThatThrownBy(() -> extenders.bind(POD, "a"))
                        .hasMessage("Post \"" + server.address() + "/bind\": EOF");
                assertThat(asked).hasValue(3);
            }
        }

        @Test
        void giveUpWhenTheSchedulerStops() throws IOException {
            List<Extenders> closing = new ArrayList<>();
            try (ExtenderServer server = ExtenderServer.answering((exchange, own) -> {
                closing.get(0).close();
                own.hang();
            })) {
                closing.add(extenders(config(server.address(), true, false)));

                assertThatThrownBy(() -> closing.get(0).filter(POD, nodes("a"), new HashMap<>()))
                        .hasMessageEndingWith("context canceled");
            }
        }
    }

    @Nested
    class Filter {
        record Case(String name, boolean namesOnly, String answer, List<String> left, Map<String, Status> statuses) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "keeps a node once that it names several times",
                        true,
                        "{'NodeNames':['b','a','b','b']}",
                        List.of("b", "a"),
                        Map.of()),
                new Case(
                        "keeps a whole node once that comes several times",
                        false,
                        "{'Nodes':{'items':[{'metadata':{'name':'b'}},{'metadata':{'name':'b'}}]}}",
                        List.of("b"),
                        Map.of()),
                new Case(
                        "keeps what it names, in its order",
                        true,
                        "{'NodeNames':['b','a']}",
                        List.of("b", "a"),
                        Map.of()),
                new Case(
                        "reads lower-case keys, and ignores others",
                        true,
                        "{'nodenames':['b'],'failednodes':{'a':'full'},'more':[{}]} and more",
                        List.of("b"),
                        Map.of("a", Status.unschedulable("full"))),
                new Case("keeps nothing of an empty answer", true, "{}", List.of(), Map.of()),
                new Case("keeps nothing of null", false, "null", List.of(), Map.of()),
                new Case(
                        "distinguishes resolvable from unresolvable rejections",
                        true,
                        "{'NodeNames':[],'FailedNodes':{'a':'full'},'FailedAndUnresolvableNodes':{'b':'never'}}",
                        List.of(),
                        Map.of("a", Status.unschedulable("full"), "b", Status.unresolvable("never"))),
                new Case(
                        "believes the worse of two",
                        true,
                        "{'NodeNames':['b'],'FailedNodes':{'a':'full'},'FailedAndUnresolvableNodes':{'a':'never'}}",
                        List.of("b"),
                        Map.of("a", Status.unresolvable("never"))),
                new Case(
                        "keeps whole nodes",
                        false,
                        "{'Nodes':{'items':[{'metadata':{'name':'a'}}]},'NodeNames':null}",
                        List.of("a"),
                        Map.of()),
                new Case(
                        "takes no names where it was sent whole nodes",
                        false,
                        "{'NodeNames':['a']}",
                        List.of(),
                        Map.of()),
                new Case(
                        "takes whole nodes where it was sent names",
                        true,
                        "{'Nodes':{'items':[{'metadata':{'name':'a'}}]}}",
                        List.of("a"),
                        Map.of()));

        @ParameterizedTest
        @FieldSource("CASES")
        void readsAnswers(Case given) throws IOException {
            try (ExtenderServer server =
                    ExtenderServer.answering(ExtenderServer.with(given.answer.replace('\'', '"')))) {
                Map<String, Status> statuses = new HashMap<>();
                List<NodeInfo> left = extenders(config(server.address(), given.namesOnly, false))
                        .filter(POD, nodes("a", "b"), statuses);

                assertThat(names(left)).isEqualTo(given.left);
                assertThat(statuses).isEqualTo(given.statuses);
            }
        }

        @Test
        void sendsWholeObjectsOrNames() throws IOException {
            try (ExtenderServer server = ExtenderServer.answering(ExtenderServer.with("{}"))) {
                List<NodeInfo> nodes = nodes("a", "b");
                extenders(config(server.address(), false, false)).filter(POD, nodes, new HashMap<>());
                extenders(config(server.address() + "//", true, false)).filter(POD, nodes, new HashMap<>());

                String pod = "{'Pod':{'metadata':{'name':'p','x':1},'spec':{'y':[2]}},";
                assertThat(server.requests())
                        .containsExactly(
                                ("POST /filter application/json " + pod
                                                + "'Nodes':{'metadata':{},'items':[{'metadata':{'name':'a'},'z':3},"
                                                + "{'metadata':{'name':'b'},'z':3}]},'NodeNames':null}")
                                        .replace('\'', '"'),
                                ("POST /filter application/json " + pod + "'Nodes':null,'NodeNames':['a','b']}")
                                        .replace('\'', '"'));
            }
        }

        @Test
        void knowsNoPodsOnNodesThatWereSentBackWhole() throws IOException {
            String answer = "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"a\",\"labels\":{\"l\":\"v\"}},"
                    + "\"status\":{\"allocatable\":{\"cpu\":\"9\"}}}]}}";
            try (ExtenderServer server = ExtenderServer.answering(ExtenderServer.with(answer))) {
                NodeInfo left = extenders(config(server.address(), false, false))
                        .filter(POD, nodes("a"), new HashMap<>())
                        .get(0);

                assertThat(left.pods()).isEmpty();
                assertThat(left.node().labels()).containsEntry("l", "v");
                assertThat(left.index()).isEqualTo(0);
            }
        }

        @Test
        void asksEachExtenderAboutWhatTheOneBeforeHasLeft() throws IOException {
            try (ExtenderServer first = ExtenderServer.answering(ExtenderServer.with("{\"NodeNames\":[\"b\"]}"));
                    ExtenderServer second = ExtenderServer.answering(ExtenderServer.with("{\"NodeNames\":[]}"));
                    ExtenderServer third = ExtenderServer.answering(ExtenderServer.with("{}"))) {
                Extenders extenders = extenders(
                        config(first.address(), true, false),
                        config(second.address(), true, false),
                        config(third.address(), true, false));

                assertThat(extenders.filter(POD, nodes("a", "b"), new HashMap<>()))
                        .isEmpty();
                assertThat(second.requests()).singleElement().asString().endsWith("\"NodeNames\":[\"b\"]}");
                assertThat(third.requests()).isEmpty();
            }
        }

        @Test
        void asksOnlyAboutPodsThatUseAManagedResource() throws IOException {
            try (ExtenderServer server = ExtenderServer.answering(ExtenderServer.with("{}"))) {
                Extenders extenders = extenders(config(server.address(), true, false, "example.com/gpu"));
                Container plain = container(Map.of(), Map.of());
                Container requesting = container(Map.of("example.com/gpu", Quantity.of(1)), Map.of());
                Container limited = container(Map.of(), Map.of("example.com/gpu", Quantity.of(1)));

                assertThat(isAsked(extenders, PodSpec.builder().containers(List.of(plain))))
                        .isFalse();
                assertThat(isAsked(extenders, PodSpec.builder().containers(List.of(plain, requesting))))
                        .isTrue();
                assertThat(isAsked(extenders, PodSpec.builder().containers(List.of(limited))))
                        .isTrue();
                assertThat(isAsked(extenders, PodSpec.builder().initContainers(List.of(requesting))))
                        .isTrue();
                assertThat(extenders.bind(Samples.pod("p"), "a")).isFalse();
            }
        }

        private boolean isAsked(Extenders extenders, PodSpec.Builder spec) {
            Pod pod = Samples.pod("p", spec).withJson("{}");
            return extenders.filter(pod, nodes("a"), new HashMap<>()).isEmpty();
        }

        private static Container container(Map<String, Quantity> requests, Map<String, Quantity> limits) {
            return new Container("c", "app", requests, limits, List.of(), "");
        }
    }

    @Nested
    class Prioritize {
        @Test
        void weighsScoresAndBringsThemToAHundred() throws IOException {
            String answer = "[{\"Host\":\"a\",\"Score\":7},{\"host\":\"elsewhere\",\"score\":1},{}]";
            try (ExtenderServer server = ExtenderServer.answering(ExtenderServer.with(answer))) {
                assertThat(extenders(config(server.address(), true, false)).prioritize(POD, nodes("a", "b")))
                        .containsExactly(new Extenders.ExtenderScores(
                                server.address(), Map.of("a", 140L, "elsewhere", 20L, "", 0L)));
            }
        }

        @Test
        void asksAllAtOnceAndPassesOverFailures() throws IOException {
            try (ExtenderServer failing = ExtenderServer.answering(ExtenderServer.with(500, ""));
                    ExtenderServer hanging = ExtenderServer.answering((exchange, server) -> server.hang());
                    ExtenderServer together = ExtenderServer.answering(whenAsked(3));
                    ExtenderServer wrong =
                            ExtenderServer.answering(ExtenderServer.with("[{\"Host\":\"a\",\"Score\":0.5}]"));
                    ExtenderServer scoring =
                            ExtenderServer.answering(ExtenderServer.with("[{\"Host\":\"a\",\"Score\":1}]"))) {
                Extenders extenders = extenders(
                        withTimeout(config(hanging.address(), true, false), Duration.ofSeconds(1)),
                        withTimeout(config(together.address(), true, false), Duration.ofMinutes(1)),
                        withTimeout(config(together.address(), true, false), Duration.ofMinutes(1)),
                        withTimeout(config(together.address(), true, false), Duration.ofMinutes(1)),
                        config(failing.address(), true, false),
                        config(wrong.address(), true, false),
                        config(scoring.address(), true, false));

                assertThat(extenders.prioritize(POD, nodes("a", "b")))
                        .containsExactly(
                                new Extenders.ExtenderScores(together.address(), Map.of("b", 20L)),
                                new Extenders.ExtenderScores(together.address(), Map.of("b", 20L)),
                                new Extenders.ExtenderScores(together.address(), Map.of("b", 20L)),
                                new Extenders.ExtenderScores(scoring.address(), Map.of("a", 20L)));
            }
        }

        /**
         * Answers once it has been asked so many times, so requests that were sent one after the other have no answer.
         */
        private static ExtenderServer.Answer whenAsked(int times) {
            CountDownLatch asked = new CountDownLatch(times);
            return (exchange, server) -> {
                asked.countDown();
                try {
                    asked.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                ExtenderServer.with("[{\"Host\":\"b\",\"Score\":1}]").to(exchange, server);
            };
        }
    }

    @Nested
    class Bind {
        @Test
        void sendsIdentifiers() throws IOException {
            try (ExtenderServer server = ExtenderServer.answering(ExtenderServer.with("{\"Error\":\"\"}"))) {
                assertThat(extenders(config(server.address(), true, false)).bind(Samples.pod("p"), "a"))
                        .isTrue();
                assertThat(server.requests())
                        .containsExactly(
                                "POST /bind application/json"
                                        + " {\"PodName\":\"p\",\"PodNamespace\":\"default\",\"PodUID\":\"pod-p\",\"Node\":\"a\"}");
            }
        }
    }

    @Nested
    class Preempt {
        private Map<String, Extender.Victims> ask(ExtenderServer server, boolean identifiersOnly) {
            nodes("a", "b");
            return extenders(config(server.address(), identifiersOnly, false))
                    .all()
                    .get(0)
                    .processPreemption(
                            POD,
                            Map.of(
                                    "b", Extender.Victims.of(List.of(bound("on-b", "b")), 1),
                                    "a", Extender.Victims.of(List.of(bound("on-a", "a")), 0)));
        }

        @Test
        void sendsVictimsWholeOrTheirIdentifiers() throws IOException {
            try (ExtenderServer server = ExtenderServer.answering(ExtenderServer.with("{}"))) {
                assertThat(ask(server, false)).isEmpty();
                assertThat(ask(server, true)).isEmpty();

                String pod = "POST /preempt application/json {'Pod':{'metadata':{'name':'p','x':1},'spec':{'y':[2]}},";
                assertThat(server.requests())
                        .containsExactly(
                                (pod + "'NodeNameToVictims':{"
                                                + "'a':{'Pods':[{'metadata':{'name':'on-a'},'spec':{'nodeName':'a'}}],'NumPDBViolations':0},"
                                                + "'b':{'Pods':[{'metadata':{'name':'on-b'},'spec':{'nodeName':'b'}}],'NumPDBViolations':1}},"
                                                + "'NodeNameToMetaVictims':null}")
                                        .replace('\'', '"'),
                                (pod + "'NodeNameToVictims':null,'NodeNameToMetaVictims':{"
                                                + "'a':{'Pods':[{'UID':'pod-on-a'}],'NumPDBViolations':0},"
                                                + "'b':{'Pods':[{'UID':'pod-on-b'}],'NumPDBViolations':1}}}")
                                        .replace('\'', '"'));
            }
        }

        @Test
        void takesTheVictimsThatItNames() throws IOException {
            String answer =
                    "{\"NodeNameToMetaVictims\":{\"b\":{\"Pods\":[{\"UID\":\"pod-on-b\"}],\"NumPDBViolations\":4},"
                            + "\"a\":null}}";
            try (ExtenderServer server = ExtenderServer.answering(ExtenderServer.with(answer))) {
                Map<String, Extender.Victims> left = ask(server, true);

                assertThat(left).containsOnlyKeys("a", "b");
                assertThat(left.get("b").pdbViolations()).isEqualTo(4);
                assertThat(left.get("b").pods()).extracting(Pod::name).containsExactly("on-b");
                assertThat(left.get("a").pods()).isEmpty();
            }
        }

        @Test
        void refusesPodsAndNodesThatAreNotThere() throws IOException {
            String pod = "{\"NodeNameToMetaVictims\":{\"b\":{\"Pods\":[{\"UID\":\"x\"}]}}}";
            String node = "{\"NodeNameToMetaVictims\":{\"c\":{\"Pods\":[]}}}";
            try (ExtenderServer first = ExtenderServer.answering(ExtenderServer.with(pod));
                    ExtenderServer second = ExtenderServer.answering(ExtenderServer.with(node))) {
                assertThatThrownBy(() -> ask(first, true))
                        .hasMessage("extender: " + first.address()
                                + " claims to preempt pod (UID: &{x}) on node: b, but the pod is not found on"
                                + " that node");
                assertThatThrownBy(() -> ask(second, true)).hasMessage("nodeinfo not found for node name \"c\"");
            }
        }
    }
}
