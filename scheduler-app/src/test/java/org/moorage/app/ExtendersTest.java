// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.decision.Decision;
import org.moorage.simulation.cluster.InMemoryCluster;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;

/** A whole scheduler, and the commands, with an extender. */
@Timeout(120)
class ExtendersTest {
    private static final Pattern NODE = Pattern.compile("\"Node\":\"(.+?)\"");
    private static final PluginRegistry PLUGINS = PluginRegistry.of(KubeSchedulerPlugins.all());

    @TempDir
    Path folder;

    /** The extender's responses, by verb; status 500 for other verbs. */
    private final Map<String, Supplier<String>> answers = new HashMap<>();

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final InMemoryCluster cluster = InMemoryCluster.of(List.of(node("a"), node("b")));
    /** The body of the last request. */
    private volatile String request = "";

    /** The node of the last request to bind. */
    private volatile String boundTo = "";

    private HttpServer server;
    private Optional<Scheduler> opened = Optional.empty();

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String verb = exchange.getRequestURI().getPath().substring(1);
            request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Matcher node = NODE.matcher(request);
            boundTo = node.find() ? node.group(1) : "";
            asked.add(verb);
            byte[] answer = answers.getOrDefault(verb, () -> "").get().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answers.containsKey(verb) ? 200 : 500, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void close() {
        opened.ifPresent(Scheduler::close);
        server.stop(0);
    }

    private String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private static Node node(String name) {
        return Nodes.named(name).allocatable("cpu", "4").build();
    }

    private static Pod pod() {
        return Pods.named("p").requests("cpu", "1").build().withJson("{}");
    }

    private String config(String settings) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                extenders:
                - urlPrefix: %s
                  nodeCacheCapable: true
                """.formatted(address()) + settings.indent(2);
    }

    private Scheduler scheduler(String settings) {
        LoadedConfig config = ConfigLoader.load(config(settings), "config", PLUGINS);
        Scheduler scheduler = Scheduler.builder(config, PLUGINS, cluster)
                .bindingExecutor(Runnable::run)
                .build();
        opened = Optional.of(scheduler);
        scheduler.start();
        cluster.apply(pod());
        return scheduler;
    }

    private Pod current() {
        return cluster.find(ObjectKind.POD, "default", "p").orElseThrow();
    }

    private String reason() {
        return current()
                .status()
                .condition(PodCondition.POD_SCHEDULED)
                .orElseThrow()
                .reason();
    }

    @Test
    void placesPodsWhereTheExtenderLeavesANode() {
        answers.put("filter", () -> "{\"NodeNames\":[\"b\"],\"FailedNodes\":{\"a\":\"full\"}}");

        Decision decision = scheduler("filterVerb: filter").scheduleNext().orElseThrow();

        assertThat(decision.nodeName()).isEqualTo("b");
        assertThat(decision.evaluatedNodes()).isEqualTo(2);
        assertThat(decision.feasibleNodes()).isEqualTo(1);
        assertThat(current().nodeName()).isEqualTo("b");
    }

    @Test
    void addsScoresOfTheExtender() {
        answers.put("prioritize", () -> "[{\"Host\":\"b\",\"Score\":10}]");

        Decision decision = scheduler("prioritizeVerb: prioritize\nweight: 3")
                .scheduleNext()
                .orElseThrow();

        assertThat(decision.nodeName()).isEqualTo("b");
        assertThat(decision.score()).isGreaterThan(300);
    }

    @Test
    void retriesARejectedPodOnAnyEvent() {
        answers.put(
                "filter", () -> "{\"FailedNodes\":{\"a\":\"full\"},\"FailedAndUnresolvableNodes\":{\"b\":\"never\"}}");
        Scheduler scheduler = scheduler("filterVerb: filter");

        assertThat(scheduler.scheduleNext().orElseThrow().message())
                .isEqualTo(
                        "0/2 nodes are available: 1 full, 1 never. preemption: 0/2 nodes are available: "
                                + "1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.");
        assertThat(reason()).isEqualTo("Unschedulable");
        answers.put("filter", () -> "{\"NodeNames\":[\"a\"]}");
        cluster.apply(Pods.named("other").on("b").build().withJson("{}"));
        assertThat(scheduler.hints(current(), ObjectChange.added(node("c"))).of("Extender"))
                .contains(Hint.QUEUE);
    }

    @Test
    void failsTheAttemptIfTheExtenderFails() {
        Decision decision = scheduler("filterVerb: filter").scheduleNext().orElseThrow();

        String message = "failed filter with extender at URL " + address() + "/filter, code 500";
        assertThat(decision.outcome()).isEqualTo(Decision.Outcome.ERROR);
        assertThat(decision.message()).isEqualTo(message);
        assertThat(reason()).isEqualTo("SchedulerError");
        assertThat(cluster.events()).extracting(PodEvent::note).containsExactly(message);
    }

    @Test
    void skipsAFailingIgnorableExtender() {
        Scheduler scheduler = scheduler("""
                filterVerb: filter
                prioritizeVerb: prioritize
                weight: 1
                bindVerb: bind
                ignorable: true
                """);

        assertThat(scheduler.scheduleNext().orElseThrow().outcome()).isEqualTo(Decision.Outcome.SCHEDULED);
        assertThat(current().isBound()).isTrue();
        assertThat(asked).containsExactly("filter", "prioritize", "bind");
    }

    @Test
    void leavesBindingToTheExtender() {
        answers.put("bind", () -> {
            cluster.bind(current(), boundTo);
            return "{}";
        });
        Scheduler scheduler = scheduler("bindVerb: bind");

        assertThat(scheduler.scheduleNext().orElseThrow().outcome()).isEqualTo(Decision.Outcome.SCHEDULED);
        assertThat(asked).containsExactly("bind");
        assertThat(current().nodeName()).isEqualTo(boundTo);
        assertThat(cluster.events()).extracting(PodEvent::reason).containsExactly("Scheduled");
    }

    @Test
    void queuesAPodAgainThatTheExtenderDoesNotBind() {
        answers.put("bind", () -> "{\"Error\":\"not today\"}");
        Scheduler scheduler = scheduler("bindVerb: bind");

        assertThat(scheduler.scheduleNext()).isPresent();
        assertThat(current().isBound()).isFalse();
        assertThat(reason()).isEqualTo("SchedulerError");
        assertThat(cluster.events()).extracting(PodEvent::note).containsExactly("not today");
    }

    @Test
    void takesAPodForBoundThatTheExtenderHasBoundWithoutSayingSo() {
        answers.put("bind", () -> {
            cluster.bind(current(), boundTo);
            return "";
        });

        assertThat(scheduler("bindVerb: bind").scheduleNext()).isPresent();

        assertThat(current().nodeName()).isEqualTo(boundTo);
        assertThat(cluster.events()).extracting(PodEvent::reason).containsExactly("Scheduled");
    }

    @Test
    void asksAboutTheNominatedNodeAlone() {
        answers.put(
                "filter", () -> asked.size() == 1 ? "{\"FailedNodes\":{\"b\":\"full\"}}" : "{\"NodeNames\":[\"a\"]}");
        LoadedConfig config = ConfigLoader.load(config("filterVerb: filter"), "config", PLUGINS);
        Scheduler scheduler = Scheduler.builder(config, PLUGINS, cluster)
                .bindingExecutor(Runnable::run)
                .build();
        opened = Optional.of(scheduler);
        scheduler.start();
        cluster.apply(pod().withStatus(
                        pod().status().toBuilder().nominatedNodeName("b").build()));

        Decision decision = scheduler.scheduleNext().orElseThrow();

        assertThat(decision.nodeName()).isEqualTo("a");
        assertThat(decision.evaluatedNodes()).isEqualTo(2);
        assertThat(asked).containsExactly("filter", "filter");
    }

    private String[] files(String settings) throws IOException {
        Path config = folder.resolve("config.yaml");
        Path objects = folder.resolve("cluster.yaml");
        Files.writeString(config, config(settings));
        Files.writeString(objects, """
                {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 4, pods: 9}}}
                ---
                {apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: 4, pods: 9}}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: app}]}}
                """);
        return new String[] {"--config=" + config, objects.toString()};
    }

    @Test
    void simulateAsksExtendersButHasNothingBound() throws IOException {
        answers.put("filter", () -> "{\"NodeNames\":[\"b\"],\"FailedNodes\":{\"a\":\"full\"}}");
        String[] files = files("filterVerb: filter\nbindVerb: bind");

        CapturedRun run = CapturedRun.of("simulate", files[0], files[1]);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).containsPattern("p +b");
        assertThat(asked).containsExactly("filter");
        assertThat(CapturedRun.of("simulate", "--ignore-extenders", files[0], files[1])
                        .exitCode())
                .isZero();
        assertThat(asked).containsExactly("filter");
    }

    @Test
    void simulateMergesReasonsOfExtendersThatHaveCommasAndNumbers() throws IOException {
        String offline = "offline";
        String threeSlots = "rack full, 3 slots needed";
        String fourSlots = "rack full, 4 slots needed";
        Map<String, List<String>> reasonsByPod = Map.of(
                "p", List.of(offline, threeSlots, threeSlots),
                "q", List.of(offline, offline, threeSlots),
                "r", List.of(offline, fourSlots, fourSlots));
        answers.put("filter", () -> {
            List<String> reasons = reasonsByPod.entrySet().stream()
                    .filter(entry -> request.contains("\"name\":\"" + entry.getKey() + "\""))
                    .findFirst()
                    .orElseThrow()
                    .getValue();
            return "{\"FailedNodes\":{\"a\":\"%s\",\"b\":\"%s\",\"c\":\"%s\"}}".formatted(reasons.toArray());
        });
        String[] files = files("filterVerb: filter");
        Files.writeString(Path.of(files[1]), """
                ---
                {apiVersion: v1, kind: Node, metadata: {name: c}, status: {allocatable: {cpu: 4, pods: 9}}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {containers: [{name: c, image: app}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: r}, spec: {containers: [{name: c, image: app}]}}
                """, StandardOpenOption.APPEND);

        CapturedRun run = CapturedRun.of("simulate", "--by", "namespace", "-o", "json", files[0], files[1]);

        List<String> outcomes = new ArrayList<>();
        for (JsonNode outcome : new JsonMapper().readTree(run.out()).at("/namespaces/0/outcomes")) {
            outcomes.add(outcome.get("pods") + " " + outcome.get("message").asText());
        }
        String preemption = " preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.";
        assertThat(outcomes)
                .as(run.err())
                .containsExactly(
                        "2 0/3 nodes are available: 1 to 2 offline, 1 to 2 rack full, 3 slots needed." + preemption,
                        "1 0/3 nodes are available: 1 offline, 2 rack full, 4 slots needed." + preemption);
    }

    @Test
    void explainNamesTheExtenderThatRejects() throws IOException {
        answers.put("filter", () -> "{\"NodeNames\":[\"b\"],\"FailedNodes\":{\"a\":\"full\"}}");
        String[] files = files("filterVerb: filter");

        CapturedRun run = CapturedRun.of("explain", files[0], "p", "--cluster", files[1]);
        CapturedRun ignoring = CapturedRun.of("explain", "--ignore-extenders", files[0], "p", "--cluster", files[1]);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("Extender", "full");
        assertThat(ignoring.out()).doesNotContain("full");
    }

    @Test
    void configValidateReportsCertificatesThatAreNone() throws IOException {
        Path text = Files.writeString(folder.resolve("ca.crt"), "no certificate");
        String[] files = files("enableHTTPS: true\ntlsConfig: {caFile: " + text + "}");

        CapturedRun run = CapturedRun.of("config", "validate", files[0].substring("--config=".length()));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("extenders[0].tlsConfig.caFile: ").doesNotContain("\tat ");
    }
}
