// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.api.Status;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Problems;
import org.moorage.safe.PrometheusArgs.Staleness;
import org.moorage.safe.SafeArgs.MissingStats;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

/** The figures of nodes from a Prometheus, here a stub that answers as one. */
class PrometheusStatisticsTest {
    private static final Node BUSY = Nodes.named("busy")
            .allocatable("cpu", "8")
            .allocatable("memory", "16Gi")
            .build();
    private static final Node IDLE = Nodes.named("idle")
            .allocatable("cpu", "8")
            .allocatable("memory", "16Gi")
            .build();
    private static final Pod POD =
            Pods.named("p").requests("cpu", "1").requests("memory", "1Gi").build();
    private static final Status NO_STATISTICS = Status.unresolvable("node(s) had no statistics of cpu and memory use");

    private final List<String> queries = new CopyOnWriteArrayList<>();
    private final CountDownLatch answering = new CountDownLatch(1);
    private HttpServer server;
    private volatile int status = 200;
    private volatile boolean silent;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/v1/query", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        answering.countDown();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            queries.add(URLDecoder.decode(body, UTF_8));
            if (silent) {
                answering.await();
            }
            byte[] answer = result().getBytes(UTF_8);
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    // The figures of SAFE-2 and SAFE-3.
    private static String result() {
        return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":["
                + samples("cpuMean", "7000", "1500") + samples("cpuDeviation", "200", "800")
                + samples("memoryMean", "15032385536", "4294967296")
                + samples("memoryDeviation", "536870912", "2147483648")
                + "{\"metric\":{},\"value\":[1700000000,\"1\"]}]}}";
    }

    private static String samples(String figure, String idle, String busy) {
        return sample(figure, "idle", idle) + sample(figure, "busy", busy) + sample(figure, "absurd", "NaN");
    }

    private static String sample(String figure, String node, String value) {
        return "{\"metric\":{\"instance\":\"10.0.0.1:9100\",\"nodename\":\"" + node + "\",\"figure\":\"" + figure
                + "\"},\"value\":[1700000000,\"" + value + "\"]},";
    }

    private SafeArgs args(Duration maxAge, Staleness whenStale, Duration timeout) {
        PrometheusArgs defaults = PrometheusArgs.DEFAULTS;
        PrometheusArgs prometheus = new PrometheusArgs(
                "http://127.0.0.1:" + server.getAddress().getPort(),
                defaults.window(),
                defaults.step(),
                defaults.refresh(),
                timeout,
                maxAge,
                whenStale,
                "",
                "",
                "",
                "",
                false,
                "nodename",
                defaults.queries());
        return new SafeArgs(
                OptionalInt.of(90),
                OptionalInt.of(30),
                OptionalInt.of(20),
                Optional.of(false),
                MissingStats.REJECT,
                false,
                SafeArgs.Source.PROMETHEUS,
                prometheus);
    }

    private PluginTester overload(Duration maxAge, Staleness whenStale) {
        return PluginTester.of(new SafeOverload.Factory(), args(maxAge, whenStale, Duration.ofSeconds(20)))
                .cluster(BUSY, IDLE);
    }

    @Test
    void decidesByOneQueryForAllFiguresOfAllNodes() {
        try (var scheduler = overload(Duration.ofDays(1000), Staleness.MISSING).start()) {
            scheduler
                    .pod(POD)
                    .rejects("busy", Status.unresolvable("risk cpu=0.79 > 0.30 (mu=0.9375 sigma=0.1000)"))
                    .accepts("idle")
                    .scores("idle", 100);
            scheduler.pod(POD).accepts("idle");
        }
        String idle = "sum by (instance) (rate(node_cpu_seconds_total{mode=\"idle\"}[5m]))[3600s:60s]";
        String byName = " * on (instance) group_left (nodename) node_uname_info";
        assertThat(queries)
                .containsExactly("query=" + figure("cpuMean", "1000 * avg_over_time(" + idle + ")" + byName)
                        + " or " + figure("cpuDeviation", "1000 * stddev_over_time(" + idle + ")" + byName)
                        + " or "
                        + figure("memoryMean", "avg_over_time(node_memory_MemAvailable_bytes[3600s])" + byName)
                        + " or "
                        + figure(
                                "memoryDeviation", "stddev_over_time(node_memory_MemAvailable_bytes[3600s])" + byName));
    }

    private static String figure(String name, String query) {
        return "label_replace(" + query + ", \"figure\", \"" + name + "\", \"\", \"\")";
    }

    @Test
    void takesNodesForUnknownWithoutAnAnswer() {
        status = 503;
        overload(Duration.ofMinutes(5), Staleness.MISSING).pod(POD).rejects("idle", NO_STATISTICS);
    }

    @Test
    void waitsForTheFirstAnswerNoLongerThanTheTimeLimit() {
        silent = true;
        PluginTester.of(
                        new SafeOverload.Factory(),
                        args(Duration.ofMinutes(5), Staleness.MISSING, Duration.ofMillis(200)))
                .cluster(BUSY, IDLE)
                .pod(POD)
                .rejects("idle", NO_STATISTICS);
    }

    // The tester's clock advances with each reading.
    @Test
    void doesNotRelyOnStaleFigures() {
        overload(Duration.ofNanos(1), Staleness.MISSING).pod(POD).rejects("idle", NO_STATISTICS);
        overload(Duration.ofNanos(1), Staleness.KEEP_LAST).pod(POD).accepts("idle");
    }

    @Test
    void reportsErrorsOfItsArguments() {
        Problems problems = Problems.collector();
        SafeArgs wrong = new SafeArgs(
                OptionalInt.of(101),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                MissingStats.ZERO,
                false,
                SafeArgs.Source.PROMETHEUS,
                PrometheusArgs.DEFAULTS);
        wrong.validate(problems);
        assertThat(problems.all().stream().map(Object::toString))
                .containsExactly(
                        "utilization: 101 (expected: 0 to 100)",
                        "prometheus: address: \"\" (expected: a URL such as http://10.0.0.4:9090)");
    }
}
