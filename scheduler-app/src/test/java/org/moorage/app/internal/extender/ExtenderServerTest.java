// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.serving.TestKeys;
import org.moorage.config.ConfigException;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ExtenderServerReader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.extender.RequestMemory;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.runtime.metrics.SchedulerListener;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.tls.ServerTrust;

/** Tests an extender server over HTTP. */
@Timeout(60)
class ExtenderServerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String HEAD = "apiVersion: moorage.org/v1\nkind: ExtenderConfiguration\nagents:\n";
    private static final String TEAM = HEAD + "- {name: team, plugins: [{name: TeamNodes}]}";
    private static final String HOT = HEAD + "- {name: hot, plugins: [{name: NodeTemperature, args: {limit: 80}}]}";
    private static final String RED = "{'metadata':{'name':'red','labels':{'team':'red'}},'spec':{'x':1}}";
    private static final String ANY = "{'metadata':{'name':'any','uid':'u'}}";
    private static final String POD = "{'metadata':{'name':'p','namespace':'d','labels':{'team':'blue'}}}";

    @TempDir
    private Path folder;

    private final CountDownLatch release = new CountDownLatch(1);
    private final PluginRegistry registry = ExtenderPlugins.registry(release);
    private final HttpClient client = HttpClient.newHttpClient();
    private InMemoryCluster cluster = new InMemoryCluster();
    private RequestMemory memory = RequestMemory.of(64 << 20);
    private InstantSource clock = InstantSource.system();
    private Optional<RunningAgents> running = Optional.empty();

    @AfterEach
    void close() {
        release.countDown();
        running.ifPresent(RunningAgents::close);
    }

    private record Response(int status, String body) {
        JsonNode json() {
            try {
                return JSON.readTree(body);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(body, e);
            }
        }
    }

    private RunningAgents listen(String config, List<String> agents, int firstPort, Duration limit) {
        return RunningAgents.listen(
                ExtenderServerReader.read(config, "extender.yaml", registry, FeatureGates.DEFAULTS),
                agents,
                new RunningAgents.Settings(
                        registry,
                        FeatureGates.DEFAULTS,
                        "127.0.0.1",
                        firstPort,
                        "1.2.3",
                        limit,
                        () -> cluster,
                        new SchedulerListener() {},
                        memory,
                        clock,
                        Executors.defaultThreadFactory()));
    }

    private List<ExtenderServer> start(String config, Duration limit) {
        RunningAgents agents = listen(config, List.of(), 0, limit);
        running = Optional.of(agents);
        agents.start();
        return agents.servers();
    }

    private ExtenderServer start(String config) {
        return start(config, Duration.ofSeconds(20)).get(0);
    }

    private static String quoted(String text) {
        return text.replace('\'', '"');
    }

    private static String args(String pod, String... nodes) {
        return quoted("{'Pod':" + pod + ",'Nodes':{'items':[" + String.join(",", nodes) + "]},'NodeNames':null}");
    }

    private static String names(String pod, String... names) {
        return quoted("{'Pod':" + pod + ",'Nodes':null,'NodeNames':[" + String.join(",", names) + "]}");
    }

    private static String hot(String name, int temperature) {
        return "{'metadata':{'name':'" + name + "','annotations':{'temperature':'" + temperature + "'}}}";
    }

    private static String annotated(String key, String value) {
        return "{'metadata':{'name':'p','annotations':{'" + key + "':'" + value + "'}}}";
    }

    private Response send(String method, String address, String body) {
        try {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create(address))
                            .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString());
            return new Response(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Response post(ExtenderServer server, String route, String body) {
        return send("POST", server.address() + "/" + route, body);
    }

    private Response get(ExtenderServer server, String path) {
        return send("GET", "http://127.0.0.1:" + server.port() + path, "");
    }

    private static ClusterObject decoded(String json) {
        try {
            ObjectNode tree = (ObjectNode) JSON.readTree(quoted(json));
            return new TreeDecoder().decode(TreeDecoder.kindOf(tree), tree, EnumSet.allOf(KeptJson.class));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ClusterObject node(String name, String metadata) {
        return decoded("{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + name + "'" + metadata + "},"
                + "'status':{'allocatable':{'cpu':'4','memory':'8Gi','pods':'10'}}}");
    }

    private static ClusterObject pod(String name, String uid, String spec) {
        return decoded("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name + "','namespace':'default','uid':'"
                + uid + "'},'spec':{" + spec + "}}");
    }

    @Nested
    class Routes {
        /** A request, and the status of its answer. */
        record Case(String name, String method, String path, int status, String body) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            return Stream.of(
                    new Case("the version is plain text", "GET", "/version", 200, "1.2.3"),
                    new Case("the version may be asked for without its text", "HEAD", "/version", 200, ""),
                    new Case("the version is not posted to", "POST", "/version", 405, "Method Not Allowed\n"),
                    new Case("health is plain text", "GET", "/healthz", 200, "ok"),
                    new Case("routes of plugins are posted to", "GET", "/scheduler/predicates/team-nodes", 405, null),
                    new Case("the filter route is posted to", "GET", "/scheduler/filter", 405, null),
                    new Case("binding is posted to", "PUT", "/scheduler/bind", 405, null),
                    new Case(
                            "a plugin that does not score has no priority",
                            "POST",
                            "/scheduler/priorities/team-nodes",
                            404,
                            null),
                    new Case("an unknown plugin", "POST", "/scheduler/predicates/nobody", 404, "404 page not found\n"),
                    new Case("a route without the prefix", "POST", "/filter", 404, null),
                    new Case("the prefix alone", "GET", "/scheduler", 404, null),
                    new Case("the root", "GET", "/", 404, null));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void answer(Case asked) {
            ExtenderServer server = start(TEAM);

            Response response = send(asked.method, "http://127.0.0.1:" + server.port() + asked.path, "");

            assertThat(response.status).isEqualTo(asked.status);
            if (asked.body != null) {
                assertThat(response.body).isEqualTo(asked.body);
            }
        }

        @Test
        void haveTheNameAndThePrefixOfTheConfiguration() {
            ExtenderServer server =
                    start(HEAD + "- {name: team, prefix: /a/b, plugins: [{name: TeamNodes, as: mine}]}");

            assertThat(server.address()).endsWith("/a/b");
            assertThat(post(server, "predicates/mine", args(POD, ANY)).status).isEqualTo(200);
            assertThat(post(server, "predicates/team-nodes", args(POD, ANY)).status)
                    .isEqualTo(404);
        }

        @Test
        void showMetrics() {
            ExtenderServer server = start(TEAM);
            post(server, "filter", args(POD, ANY));
            post(server, "filter", "{");

            assertThat(get(server, "/metrics").body)
                    .contains(
                            "moorage_extender_answers_total{code=\"200\",error=\"false\",route=\"filter\"} 1.0",
                            "moorage_extender_answers_total{code=\"400\",error=\"true\",route=\"filter\"} 1.0",
                            "scheduler_plugin_evaluation_total");
        }
    }

    @Nested
    class Filter {
        @ParameterizedTest
        @ValueSource(strings = {"filter", "predicates/team-nodes"})
        void keepsNodesAsTheyWereSentAndSaysWhyOthersWillNotDo(String route) {
            Response response = post(start(TEAM), route, args(POD, RED, ANY));

            assertThat(response.status).isEqualTo(200);
            assertThat(response.body)
                    .isEqualTo(
                            quoted(
                                    "{'Nodes':{'metadata':{},'items':[" + ANY + "]},'NodeNames':null,'FailedNodes':{},"
                                            + "'FailedAndUnresolvableNodes':{'red':'node(s) belonged to another team'},'Error':''}"));
        }

        @Test
        void distinguishesResolvableRejections() {
            JsonNode answer = post(start(HOT), "filter", args(POD, hot("a", 85), hot("b", 20)))
                    .json();

            assertThat(answer.path("FailedNodes")).hasToString("{\"a\":\"temperature 85 >= 80\"}");
            assertThat(answer.path("FailedAndUnresolvableNodes")).isEmpty();
            assertThat(answer.at("/Nodes/items/0/metadata/name").asText()).isEqualTo("b");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{'pod':POD,'nodes':{'items':[RED,ANY]}}",
                    "{'POD':POD,'NODES':{'ITEMS':[RED,ANY]},'nodenames':null}",
                    "{'Pod':POD,'Nodes':{'metadata':{},'items':[RED,ANY]},'NodeNames':null,'other':[1]}",
                })
        void readsKeysInSmallAndCapitalLetters(String body) {
            String request = quoted(body.replace("POD", "@")
                    .replace("{'@'", "{'POD'")
                    .replace("@", POD)
                    .replace("RED", RED)
                    .replace("ANY", ANY));

            JsonNode answer = post(start(TEAM), "filter", request).json();

            assertThat(answer.at("/Nodes/items")).hasSize(1);
            assertThat(answer.path("Error").asText()).isEmpty();
        }

        @Test
        void runsPreFilterBefore() {
            ExtenderServer server = start(HOT);

            JsonNode offset = post(server, "filter", args(annotated("offset", "70"), hot("a", 15), hot("b", 5)))
                    .json();
            JsonNode banned = post(server, "filter", args(annotated("banned", "yes"), hot("a", 1), hot("b", 1)))
                    .json();
            JsonNode only = post(server, "filter", args(annotated("only", "b"), hot("a", 1), hot("b", 1)))
                    .json();

            assertThat(offset.path("FailedNodes")).hasToString("{\"a\":\"temperature 85 >= 80\"}");
            assertThat(banned.path("FailedNodes")).hasToString("{\"a\":\"pod is banned\",\"b\":\"pod is banned\"}");
            assertThat(only.path("FailedAndUnresolvableNodes"))
                    .hasToString("{\"a\":\"node(s) didn't satisfy plugin(s) [NodeTemperature]\"}");
        }

        @Test
        void asksAllPluginsInTheirOrder() {
            ExtenderServer server = start(HEAD
                    + "- {name: all, plugins: [{name: NodeTemperature}, {name: TeamNodes}, {name: NodeResourcesFit}]}");
            String large =
                    "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]}}";
            String small =
                    "{'metadata':{'name':'small'},'status':{'allocatable':{'cpu':'1','memory':'1Gi','pods':'9'}}}";

            JsonNode answer = post(server, "filter", args(large, hot("hot", 95), RED, small))
                    .json();

            assertThat(answer.path("FailedNodes")).hasToString("{\"hot\":\"temperature 95 >= 90\"}");
            assertThat(answer.path("FailedAndUnresolvableNodes"))
                    .hasToString("{\"red\":\"node(s) belonged to another team\",\"small\":\"Insufficient cpu\"}");
            assertThat(post(server, "predicates/node-resources-fit", args(large, small))
                            .json()
                            .path("FailedAndUnresolvableNodes"))
                    .hasToString("{\"small\":\"Insufficient cpu\"}");
        }

        @Test
        void forgetsTheNodesOfTheRequestBefore() {
            ExtenderServer server = start(TEAM);
            post(server, "filter", args(POD, RED, ANY));

            JsonNode answer = post(server, "filter", args(POD, "{'metadata':{'name':'red'}}"))
                    .json();

            assertThat(answer.at("/Nodes/items")).hasSize(1);
        }
    }

    @Nested
    class Prioritize {
        @Test
        void runsTheWholeCycleUpToNormalizeScore() {
            Response response = post(start(HOT), "priorities/node-temperature", args(POD, hot("a", 20), hot("b", 50)));

            assertThat(response.body).isEqualTo("[{\"Host\":\"a\",\"Score\":6},{\"Host\":\"b\",\"Score\":0}]");
        }

        @Test
        void scoresAlsoNodesThatThePluginWouldReject() {
            Response response = post(start(HOT), "prioritize", args(POD, hot("a", 90), hot("b", 0)));

            assertThat(response.body).isEqualTo("[{\"Host\":\"a\",\"Score\":0},{\"Host\":\"b\",\"Score\":10}]");
        }

        @Test
        void givesZeroWhereAPluginHasNoSay() {
            ExtenderServer server = start(HOT);
            String zeros = "[{\"Host\":\"a\",\"Score\":0}]";

            assertThat(post(server, "prioritize", args("{'metadata':{'labels':{'cold-blooded':''}}}", hot("a", 5)))
                            .body)
                    .isEqualTo(zeros);
            assertThat(post(server, "prioritize", args(annotated("banned", ""), hot("a", 5))).body)
                    .isEqualTo(zeros);
            assertThat(post(start(TEAM), "prioritize", args(POD, "{'metadata':{'name':'a'}}")).body)
                    .isEqualTo(zeros);
        }

        /** Settings of the plugin, what it scores, and what is answered. */
        record Case(String settings, int points, int expected) {}

        static Stream<Case> cases() {
            return Stream.of(
                    new Case("maxScore: 10", 0, 0),
                    new Case("maxScore: 10", 7, 7),
                    new Case("maxScore: 10", 10, 10),
                    new Case("maxScore: 10", 11, 10),
                    new Case("maxScore: 3", 1, 3),
                    new Case("maxScore: 3", 3, 10),
                    new Case("weight: 5", 88, 8),
                    new Case("weight: 5", 67, 6),
                    new Case("weight: 5", 9, 0),
                    new Case("weight: 5", 100, 10));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void scalesScoresToTen(Case scaled) {
            ExtenderServer server = start(HEAD + "- {name: u, plugins: [{name: Unreliable, " + scaled.settings + "}]}");
            String node = "{'metadata':{'name':'a','annotations':{'points':'" + scaled.points + "'}}}";

            for (String route : List.of("prioritize", "priorities/unreliable")) {
                assertThat(post(server, route, args(POD, node)).body)
                        .isEqualTo("[{\"Host\":\"a\",\"Score\":" + scaled.expected + "}]");
            }
        }

        @Test
        void addsPluginsByWeight() {
            ExtenderServer server = start(HEAD
                    + "- {name: two, plugins: [{name: NodeTemperature, weight: 3}, {name: Unreliable, maxScore: 10}]}");
            // Temperatures 0 and 50 are 100 and 0; points of 6 are 60.
            String cool = "{'metadata':{'name':'cool','annotations':{'temperature':'0','points':'6'}}}";
            String warm = "{'metadata':{'name':'warm','annotations':{'temperature':'50','points':'10'}}}";

            assertThat(post(server, "prioritize", args(POD, cool, warm)).body)
                    .isEqualTo("[{\"Host\":\"cool\",\"Score\":9},{\"Host\":\"warm\",\"Score\":2}]");
        }
    }

    @Nested
    class BadRequests {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "{",
                    "[]",
                    "'text'",
                    "<html>",
                    "{'Pod':7,'NodeNames':[]}",
                    "{'Nodes':{'items':[]}}",
                    "{'Pod':{}}",
                    "{'Pod':{},'Nodes':[]}",
                    "{'Pod':{},'Nodes':{'items':[7]}}",
                    "{'Pod':{},'Nodes':{'items':[{}]}}",
                    "{'Pod':{'spec':7},'NodeNames':[]}",
                    "{'Pod':{},'NodeNames':'a'}",
                })
        void areAnsweredWithWhatIsWrong(String body) {
            ExtenderServer server = start(TEAM);

            for (String route : List.of("filter", "predicates/team-nodes", "prioritize")) {
                Response response = post(server, route, quoted(body));

                assertThat(response.status).as(route).isEqualTo(400);
                assertThat(response.json().path("Error").asText()).isNotEmpty();
            }
            assertThat(post(server, "filter", args(POD, ANY)).status).isEqualTo(200);
        }

        @ParameterizedTest
        @ValueSource(strings = {"bind", "preempt"})
        void areAnsweredSoOnOtherRoutesToo(String route) {
            cluster = InMemoryCluster.of(List.of(node("a", "")));

            ExtenderServer server = start(HEAD + "- {name: b, nodeCache: true, plugins: [{name: DefaultBinder}]}");

            assertThat(post(server, route, "{\"Pod\":{\"spec\":7},\"Node\":7}").status)
                    .isEqualTo(400);
        }

        @Test
        void withNamesAloneGetTheSettingInTheError() {
            ExtenderServer server = start(HOT);

            Response filter = post(server, "filter", names(POD, "'a'"));
            Response prioritize = post(server, "prioritize", names(POD, "'a'"));

            assertThat(filter.status).isEqualTo(200);
            assertThat(filter.json().path("Error").asText()).contains("nodeCache: true", "nodeCacheCapable: false");
            assertThat(filter.json().path("Nodes").isNull()).isTrue();
            assertThat(prioritize.status).isEqualTo(400);
            assertThat(prioritize.json().path("Error").asText()).contains("nodeCache: true");
        }
    }

    @Nested
    class Memory {
        @Test
        void isRefusedToWhatIsTooLargeAndGivenBackByWhatIsNot() {
            memory = RequestMemory.of(200_000);
            ExtenderServer server = start(TEAM);
            String large = args(POD, Stream.generate(() -> ANY).limit(150).toArray(String[]::new));
            String half = args(POD, Stream.generate(() -> ANY).limit(50).toArray(String[]::new));

            assertThat(post(server, "filter", large).status).isEqualTo(413);
            for (int i = 0; i < 10; i++) {
                assertThat(post(server, "filter", half).status).isEqualTo(200);
            }
        }
    }

    @Nested
    class Plugins {
        private static final String UNRELIABLE = HEAD + "- {name: u, plugins: [{name: Unreliable}]}";
        private static final String THROWS = "{'metadata':{'name':'p','labels':{'how':'throw'}}}";
        private static final String HANGS = "{'metadata':{'name':'p','labels':{'how':'hang'}}}";

        @Test
        void areNamedWhenTheyFail() {
            ExtenderServer server = start(UNRELIABLE);

            assertThat(post(server, "filter", args(THROWS, ANY))
                            .json()
                            .path("Error")
                            .asText())
                    .isEqualTo("running \"Unreliable\" filter plugin: broken");
            Response prioritize = post(server, "prioritize", args(THROWS, ANY));
            assertThat(prioritize.status).isEqualTo(500);
            assertThat(prioritize.json().path("Error").asText()).contains("Unreliable", "broken");
            assertThat(post(server, "filter", args(POD, ANY))
                            .json()
                            .path("Error")
                            .asText())
                    .isEmpty();
        }

        @Test
        void thatDoNotReturnBlockNoOthers() {
            ExtenderServer server = start(UNRELIABLE, Duration.ofMillis(300)).get(0);

            for (int i = 0; i < 3; i++) {
                assertThat(post(server, "filter", args(HANGS, ANY))
                                .json()
                                .path("Error")
                                .asText())
                        .isEqualTo("running \"Unreliable\" filter plugin: did not return within 300ms");
                assertThat(post(server, "filter", args(POD, ANY))
                                .json()
                                .path("Error")
                                .asText())
                        .isEmpty();
            }
            assertThat(get(server, "/healthz").body).isEqualTo("ok");
        }

        @Test
        void thatNeverReturnMakeTheServerUnhealthyUntilTheyDo() {
            ExtenderServer server = start(UNRELIABLE, Duration.ofMillis(100)).get(0);

            for (int i = 0; i < 9; i++) {
                post(server, "filter", args(HANGS, ANY));
            }

            assertThat(get(server, "/healthz").status).isEqualTo(503);
            assertThat(post(server, "filter", args(POD, ANY))
                            .json()
                            .path("Error")
                            .asText())
                    .contains("did not return within 100ms, as in requests before");
            release.countDown();
            Response response = post(server, "filter", args(POD, ANY));
            for (int i = 0; i < 50 && !response.json().path("Error").asText().isEmpty(); i++) {
                response = post(server, "filter", args(POD, ANY));
            }
            assertThat(response.json().path("Error").asText()).isEmpty();
            assertThat(get(server, "/healthz").status).isEqualTo(200);
        }

        @Test
        void areAnsweredWhileOthersAnnounceABodyAndSendNone() throws IOException {
            ExtenderServer server = start(TEAM, Duration.ofSeconds(4)).get(0);
            List<Socket> strangers = new ArrayList<>();
            try {
                for (int i = 0; i < 100; i++) {
                    Socket stranger = new Socket("127.0.0.1", server.port());
                    strangers.add(stranger);
                    stranger.getOutputStream()
                            .write("POST /scheduler/filter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                }

                assertThat(post(server, "filter", args(POD, ANY)).status).isEqualTo(200);
                assertThat(get(server, "/version").status).isEqualTo(200);
                assertThat(get(server, "/metrics").status).isEqualTo(200);
            } finally {
                for (Socket stranger : strangers) {
                    stranger.close();
                }
            }
        }

        @Test
        void answerManyAtOnceOneAfterTheOther() {
            ExtenderServer server = start(HOT);
            String body = args(POD, hot("a", 20), hot("b", 50));

            List<CompletableFuture<Response>> responses = Stream.generate(() -> body)
                    .limit(50)
                    .map(request -> CompletableFuture.supplyAsync(() -> post(server, "prioritize", request)))
                    .toList();

            assertThat(responses)
                    .allSatisfy(response -> assertThat(response.join().body)
                            .isEqualTo("[{\"Host\":\"a\",\"Score\":6},{\"Host\":\"b\",\"Score\":0}]"));
        }
    }

    @Nested
    class NodeCache {
        private static final String CACHED = HEAD
                + "- {name: cached, nodeCache: true, plugins: [{name: NodeTemperature}, {name: FullNodes}, {name: NodeResourcesFit}]}";

        @Test
        void answersNamesWithNames() {
            cluster = InMemoryCluster.of(List.of(
                    node("a", ",'annotations':{'temperature':'30'}"),
                    node("b", ",'annotations':{'temperature':'95'}"),
                    node("c", ""),
                    node("other", "")));
            cluster.apply(pod("bound", "u1", "'nodeName':'c'"));
            ExtenderServer server = start(CACHED);

            Response response = post(server, "filter", names(POD, "'a'", "'b'", "'c'", "'nowhere'"));

            assertThat(response.body)
                    .isEqualTo(quoted("{'Nodes':null,'NodeNames':['a'],'FailedNodes':{'b':'temperature 95 >= 90',"
                                    + "'c':'node(s) had a pod','nowhere':'node not found in the extender@s node cache'},"
                                            .replace("@", "\u0001")
                                    + "'FailedAndUnresolvableNodes':{},'Error':''}")
                            .replace("\u0001", "'"));
            assertThat(post(server, "priorities/node-temperature", names(POD, "'b'", "'nowhere'", "'a'")).body)
                    .isEqualTo(quoted("[{'Host':'b','Score':0},{'Host':'nowhere','Score':0},{'Host':'a','Score':6}]"));
        }

        @Test
        void followsTheCluster() {
            cluster = InMemoryCluster.of(List.of(node("a", "")));
            ExtenderServer server = start(CACHED);
            assertThat(post(server, "filter", names(POD, "'a'")).json().path("NodeNames"))
                    .hasSize(1);

            cluster.apply(node("a", ",'annotations':{'temperature':'99'}"));

            assertThat(post(server, "filter", names(POD, "'a'")).json().path("NodeNames"))
                    .isEmpty();
        }

        @Test
        void answersWholeNodesWithWholeNodes() {
            cluster = InMemoryCluster.of(List.of(node("any", "")));

            JsonNode answer = post(start(CACHED), "filter", args(POD, ANY)).json();

            assertThat(answer.at("/Nodes/items")).hasToString("[" + quoted(ANY) + "]");
            assertThat(answer.path("NodeNames").isNull()).isTrue();
        }

        @Test
        void isKnownBeforeRequestsAreAnswered() {
            RunningAgents agents = listen(CACHED, List.of(), 0, Duration.ofSeconds(5));
            running = Optional.of(agents);
            ExtenderServer server = agents.servers().get(0);

            assertThat(post(server, "filter", names(POD, "'a'")).status).isEqualTo(503);
            assertThat(get(server, "/healthz").status).isEqualTo(503);
            assertThat(get(server, "/version").status).isEqualTo(200);
        }
    }

    @Nested
    class Preemption {
        private static final String META = "{'Pod':" + POD + ",'NodeNameToMetaVictims':{"
                + "'a':{'Pods':[{'UID':'u1'}],'NumPDBViolations':1},"
                + "'b':{'Pods':[],'NumPDBViolations':0},"
                + "'c':{'Pods':[{'UID':'u3'},{'UID':'gone'}],'NumPDBViolations':0}}}";

        @ParameterizedTest
        @ValueSource(strings = {"preempt", "preemption"})
        void keepsCandidatesWhereThePodFitsWithoutTheVictims(String route) {
            cluster = InMemoryCluster.of(List.of(
                    node("a", ""),
                    node("b", ""),
                    node("c", ",'labels':{'team':'red'}"),
                    pod("one", "u1", "'nodeName':'a'"),
                    pod("two", "u2", "'nodeName':'b'"),
                    pod("three", "u3", "'nodeName':'c'")));
            ExtenderServer server =
                    start(HEAD + "- {name: full, nodeCache: true, plugins: [{name: FullNodes}, {name: TeamNodes}]}");

            assertThat(post(server, route, quoted(META)).body)
                    .isEqualTo(quoted("{'NodeNameToMetaVictims':{'a':{'Pods':[{'UID':'u1'}],'NumPDBViolations':1}}}"));
        }

        @Test
        void keepsAllCandidatesWithoutANodeCache() {
            String whole =
                    "{'Pod':" + POD + ",'NodeNameToVictims':{'a':{'Pods':[{'metadata':{'uid':'u1','name':'one'}}],"
                            + "'NumPDBViolations':2}},'NodeNameToMetaVictims':null}";

            assertThat(post(start(TEAM), "preempt", quoted(whole)).body)
                    .isEqualTo(quoted("{'NodeNameToMetaVictims':{'a':{'Pods':[{'UID':'u1'}],'NumPDBViolations':2}}}"));
        }
    }

    @Nested
    class Binding {
        private static final String BINDS = HEAD + "- {name: b, nodeCache: true, plugins: [{name: DefaultBinder}]}";

        private static String binding(String name, String uid) {
            return quoted("{'PodName':'" + name + "','PodNamespace':'default','PodUID':'" + uid + "','Node':'a'}");
        }

        @Test
        void isRefusedWithoutABindPlugin() {
            Response response = post(start(TEAM), "bind", binding("p", "u"));

            assertThat(response.status).isEqualTo(200);
            assertThat(response.body)
                    .isEqualTo(
                            "{\"Error\":\"Extender doesn't support Bind: make 'BindVerb' be empty in your ExtenderConfig\"}");
        }

        @Test
        void isDoneByTheBindPlugin() {
            cluster = InMemoryCluster.of(List.of(node("a", ""), pod("p", "u", "")));

            Response response = post(start(BINDS), "bind", binding("p", "u"));

            assertThat(response.body).isEqualTo("{\"Error\":\"\"}");
            assertThat(cluster.find(ObjectKind.POD, "default", "p")
                            .orElseThrow()
                            .nodeName())
                    .isEqualTo("a");
        }

        @Test
        void reportsTheFailure() {
            cluster =
                    InMemoryCluster.of(List.of(node("a", ""), pod("p", "u", ""), pod("bound", "v", "'nodeName':'z'")));
            ExtenderServer server = start(BINDS);

            assertThat(post(server, "bind", binding("nobody", "u")).body)
                    .isEqualTo("{\"Error\":\"pod default/nobody not found\"}");
            assertThat(post(server, "bind", binding("p", "before")).body)
                    .isEqualTo("{\"Error\":\"pod default/p has the UID u (expected: before)\"}");
            Response bound = post(server, "bind", binding("bound", "v"));
            assertThat(bound.status).isEqualTo(200);
            assertThat(bound.json().path("Error").asText()).contains("DefaultBinder", "already assigned to node z");
        }
    }

    @Nested
    class Agents {
        private static final String TWO = TEAM + "\n- {name: hot, plugins: [{name: NodeTemperature}]}";

        @Test
        void standSideBySideEachWithItsPort() {
            List<ExtenderServer> servers = start(TWO, Duration.ofSeconds(5));

            assertThat(servers).hasSize(2);
            assertThat(post(servers.get(0), "predicates/team-nodes", args(POD, ANY)).status)
                    .isEqualTo(200);
            assertThat(post(servers.get(1), "predicates/team-nodes", args(POD, ANY)).status)
                    .isEqualTo(404);
            assertThat(post(servers.get(1), "predicates/node-temperature", args(POD, ANY)).status)
                    .isEqualTo(200);
        }

        @Test
        void areChosenByName() {
            RunningAgents agents = listen(TWO, List.of("hot"), 0, Duration.ofSeconds(5));
            running = Optional.of(agents);

            assertThat(agents.servers())
                    .singleElement()
                    .satisfies(server -> assertThat(server.agent().routes()).contains("priorities/node-temperature"));
            assertThatThrownBy(() -> listen(TWO, List.of("tema"), 0, Duration.ofSeconds(5)))
                    .isInstanceOf(CommandException.class)
                    .hasMessage(
                            "--agents: \"tema\" (expected: agents of extender.yaml, which has team, hot). Did you mean team?");
        }

        @Test
        void areRefusedAPortThatIsTaken() {
            ExtenderServer server = start(TEAM);
            String config = HEAD + "- {name: b, port: " + server.port() + ", plugins: [{name: TeamNodes}]}";

            assertThatThrownBy(() -> listen(config, List.of(), 0, Duration.ofSeconds(5)))
                    .isInstanceOf(CommandException.class)
                    .hasMessageStartingWith("agents[0].port: failed to listen on 127.0.0.1:" + server.port() + ": ");
        }

        @Test
        void areRefusedPluginsThatCannotBeServed() {
            String config = HEAD
                    + "- {name: a, plugins: [{name: TeamNodes}]}\n"
                    + "- name: b\n  plugins:\n  - {name: PrioritySort}\n  - {name: DefaultBinder}\n";

            assertThatThrownBy(() -> listen(config, List.of(), 0, Duration.ofSeconds(5)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("agents[1].nodeCache: false (expected: true, since DefaultBinder binds)")
                    .hasMessageContaining("extender.yaml:7:6: agents[1].plugins[0].name: \"PrioritySort\""
                            + " (expected: a plugin that filters, scores or binds)");
        }
    }

    @Nested
    class Https {
        private final TestKeys authority = TestKeys.authority("CN=authority");

        private ExtenderServer serve(String clients) {
            TestKeys keys = authority.sign("CN=server");
            return start(HEAD + "- {name: team, tls: {certFile: " + keys.writeCertificate(folder.resolve("cert.pem"))
                    + ", keyFile: " + keys.writeKey(folder.resolve("key.pem")) + clients
                    + "}, plugins: [{name: TeamNodes}]}");
        }

        private String clients() {
            return ", clientCAFile: " + authority.writeCertificate(folder.resolve("ca.pem"));
        }

        private Response ask(ExtenderServer server, KeyManager... keys)
                throws IOException, GeneralSecurityException, InterruptedException {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {ServerTrust.any()}, null);
            HttpResponse<String> response = HttpClient.newBuilder()
                    .sslContext(context)
                    .build()
                    .send(
                            HttpRequest.newBuilder(URI.create(server.address() + "/filter"))
                                    .POST(BodyPublishers.ofString(args(POD, ANY)))
                                    .build(),
                            BodyHandlers.ofString());
            return new Response(response.statusCode(), response.body());
        }

        @Test
        void isServedWithTheCertificateOfTheFiles() throws IOException, GeneralSecurityException, InterruptedException {
            ExtenderServer server = serve("");

            assertThat(server.address()).startsWith("https://127.0.0.1:");
            assertThat(ask(server).status).isEqualTo(200);
        }

        @Test
        void isForClientsThatTheAuthorityKnowsIfThereIsOne()
                throws IOException, GeneralSecurityException, InterruptedException {
            ExtenderServer server = serve(clients());

            assertThat(ask(server, authority.sign("CN=scheduler").managers()).status)
                    .isEqualTo(200);
            assertThatThrownBy(() -> ask(server)).isInstanceOf(IOException.class);
            KeyManager[] others =
                    TestKeys.authority("CN=other").sign("CN=scheduler").managers();
            assertThatThrownBy(() -> ask(server, others)).isInstanceOf(IOException.class);
        }

        @Test
        void isForClientsOfANewAuthorityOnceItsFileHasChanged()
                throws IOException, GeneralSecurityException, InterruptedException {
            AtomicReference<Instant> now =
                    new AtomicReference<>(InstantSource.system().instant());
            clock = now::get;
            ExtenderServer server = serve(clients());
            TestKeys next = TestKeys.authority("CN=next");
            KeyManager[] before = authority.sign("CN=scheduler").managers();
            KeyManager[] after = next.sign("CN=scheduler").managers();
            Path file = next.writeCertificate(folder.resolve("ca.pem"));

            assertThat(ask(server, before).status).isEqualTo(200);
            now.updateAndGet(time -> time.plusSeconds(10));
            assertThat(ask(server, after).status).isEqualTo(200);
            assertThatThrownBy(() -> ask(server, before)).isInstanceOf(IOException.class);

            Files.writeString(file, "no certificate");
            now.updateAndGet(time -> time.plusSeconds(10));
            assertThat(ask(server, after).status).isEqualTo(200);
        }

        @Test
        void isRefusedWithoutUsableFiles() {
            String config = HEAD + "- {name: team, tls: {certFile: " + folder.resolve("none") + ", keyFile: k},"
                    + " plugins: [{name: TeamNodes}]}";

            assertThatThrownBy(() -> listen(config, List.of(), 0, Duration.ofSeconds(5)))
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("agents[0].tls.certFile");
        }
    }

    /** Our own scheduler asks our own server. */
    @Nested
    class RoundTrip {
        private static final String POD_SPEC =
                "'schedulerName':'default-scheduler','containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}}]";

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void placesPodsByTheAnswers(boolean namesOnly) {
            cluster = InMemoryCluster.of(List.of(
                    node("hot", ",'annotations':{'temperature':'95'}"),
                    node("warm", ",'annotations':{'temperature':'60'}"),
                    node("cool", ",'annotations':{'temperature':'10'}"),
                    pod("p", "u", POD_SPEC)));
            InMemoryCluster scheduled = cluster;
            cluster = InMemoryCluster.of(scheduled.all(ObjectKind.NODE));
            ExtenderServer server =
                    start(HEAD + "- {name: hot, nodeCache: " + namesOnly + ", plugins: [{name: NodeTemperature}]}");
            String config = """
                    apiVersion: kubescheduler.config.k8s.io/v1
                    kind: KubeSchedulerConfiguration
                    extenders:
                    - urlPrefix: %s
                      filterVerb: predicates/node-temperature
                      prioritizeVerb: priorities/node-temperature
                      weight: 10
                      nodeCacheCapable: %s
                    """.formatted(server.address(), namesOnly);

            try (Scheduler scheduler = Scheduler.builder(
                            ConfigLoader.load(config, "config", registry), registry, scheduled)
                    .bindingExecutor(Runnable::run)
                    .build()) {
                scheduler.start();
                Decision decision = scheduler.scheduleNext().orElseThrow();

                assertThat(decision.message()).isEmpty();
                assertThat(decision.nodeName()).isEqualTo("cool");
                assertThat(decision.feasibleNodes()).isEqualTo(2);
            }
        }
    }
}
