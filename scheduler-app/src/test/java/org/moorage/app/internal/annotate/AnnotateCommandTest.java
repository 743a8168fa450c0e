// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.moorage.app.internal.report.Terminal;
import org.moorage.objects.tree.ObjectStreams;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;
import picocli.CommandLine;

/** Both annotators of kube-safe-scheduler, on a stub that is API server and Prometheus at once. */
class AnnotateCommandTest {
    private static final Instant NOW = Instant.parse("2026-11-22T18:00:00Z");
    private static final String MEMORY = "node_memory_MemAvailable_bytes{instance=\"10.0.0.1:9100\"}";
    private static final String CPU =
            "sum by (instance) (rate(node_cpu_seconds_total{instance=\"10.0.0.1:9100\",mode=\"idle\"}[5m])) * 1000";

    private final List<String> queries = new CopyOnWriteArrayList<>();
    private final Map<String, String> answers = new HashMap<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final FakeApiServer server = FakeApiServer.start();
    private String nodes = "";
    private String pods = "";

    @BeforeEach
    void start() {
        server.on("GET", "/api/v1/nodes", request -> list("Node", nodes));
        server.on("GET", "/api/v1/pods", request -> list("Pod", pods));
        server.on("PATCH", "/api/v1/nodes/*", request -> Response.ok("{}"));
        server.on("POST", "/api/v1/query*", this::answer);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Response list(String kind, String items) {
        return Response.ok("{\"kind\":\"" + kind
                + "List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + items + "]}");
    }

    /** What Prometheus responds to a query. */
    private Response answer(Request request) {
        Map<String, String> parameters = parameters(request.body());
        queries.add(request.path() + " " + new TreeMap<>(parameters));
        String type = request.path().endsWith("query_range") ? "matrix" : "vector";
        return Response.ok("{\"status\":\"success\",\"data\":{\"resultType\":\"" + type + "\",\"result\":["
                + answers.getOrDefault(parameters.get("query"), "") + "]}}");
    }

    private List<Request> patches() {
        return server.requests().stream()
                .filter(request -> request.method().equals("PATCH"))
                .toList();
    }

    private static Map<String, String> parameters(String body) {
        Map<String, String> parameters = new HashMap<>();
        for (String pair : body.split("&")) {
            String[] parts = pair.split("=", 2);
            parameters.put(URLDecoder.decode(parts[0], UTF_8), URLDecoder.decode(parts[1], UTF_8));
        }
        return parameters;
    }

    private int run(Map<String, String> environment, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--master=" + server.address());
        return runSomewhere(environment, all);
    }

    private int runSomewhere(Map<String, String> environment, List<String> args) {
        Terminal terminal = Terminal.plain(
                InputStream.nullInputStream(),
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                InstantSource.fixed(NOW));
        List<String> all = new ArrayList<>(args);
        all.add("--once");
        return new CommandLine(new AnnotateCommand(terminal, environment))
                .setErr(new PrintWriter(err, true))
                .execute(all.toArray(new String[0]));
    }

    private Map<String, String> environment(String... more) {
        Map<String, String> environment = new HashMap<>();
        environment.put("PROM_IP", "127.0.0.1");
        environment.put("PROM_PORT", "" + URI.create(server.address()).getPort());
        for (int i = 0; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return environment;
    }

    private Map<String, String> annotations(int patch) {
        try {
            JsonNode values = ObjectStreams.object(patches().get(patch).body()).at("/metadata/annotations");
            Map<String, String> annotations = new TreeMap<>();
            values.properties()
                    .forEach(value -> annotations.put(
                            value.getKey(),
                            value.getValue().isNull()
                                    ? "removed"
                                    : value.getValue().asText()));
            return annotations;
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }

    private static String node(String name, String allocatable, String ready) {
        return "{\"metadata\":{\"name\":\"" + name + "\"},\"status\":{\"allocatable\":{" + allocatable
                + "},\"conditions\":[{\"type\":\"Ready\",\"status\":\"" + ready
                + "\"}],\"addresses\":[{\"type\":\"Hostname\",\"address\":\"" + name
                + "\"},{\"type\":\"InternalIP\",\"address\":\"10.0.0.1\"}]}}";
    }

    private static String pod(String name, String node, String phase, String spec) {
        return "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"default\",\"uid\":\"" + name
                + "\"},\"spec\":{\"nodeName\":\"" + node + "\"," + spec + "},\"status\":{\"phase\":\"" + phase + "\"}}";
    }

    private static String containers(String requests) {
        return "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{" + requests + "}}}]";
    }

    @Test
    void countsPodsOfAnyShapeAsFarAsTheyCanBeRead() {
        nodes = node("a", "\"cpu\":\"4\",\"memory\":\"8Gi\"", "True");
        pods = String.join(
                ",",
                pod("huge", "a", "Running", containers("\"memory\":\"1e100000\"")),
                pod("huge-too", "a", "Running", containers("\"memory\":\"10e99999\"")),
                pod("odd", "a", "Running", containers("\"cpu\":\"lots\"")),
                pod("deep", "a", "Running", containers("\"cpu\":\"1\""))
                        .replace("\"uid\"", "\"managedFields\":" + "[".repeat(1100) + "]".repeat(1100) + ",\"uid\""));

        assertThat(run(environment(), "allocation")).isZero();

        assertThat(annotations(0))
                .containsEntry("requested-memory", Long.toString(Long.MAX_VALUE))
                .containsEntry("free-memory", "0")
                .containsEntry("requested-cpu", "1000")
                .containsEntry("requested-pods", "4");
    }

    @Nested
    class OutOfCluster {
        @TempDir
        private Path home;

        @ParameterizedTest
        @CsvSource({"true, named.yaml", "false, .kube/config"})
        void takesTheKubeconfigOfTheVariableOrTheHome(boolean isNamed, String file) throws IOException {
            nodes = node("n1", "\"cpu\":\"2\"", "True");
            Path written = home.resolve(file);
            Files.createDirectories(written.getParent());
            Files.writeString(written, server.kubeconfig());
            Map<String, String> environment =
                    new HashMap<>(Map.of("CLUSTER_CONF", "out-of-cluster", "HOME", home.toString()));
            if (isNamed) {
                environment.put("KUBECONFIG", written.toString());
            }

            assertThat(runSomewhere(environment, List.of("allocation")))
                    .as(err.toString())
                    .isZero();
            assertThat(patches()).singleElement().extracting(Request::path).isEqualTo("/api/v1/nodes/n1");
        }

        @Test
        void takesKubectlConfOfTheWorkingDirectoryOtherwise() {
            Map<String, String> environment = Map.of("CLUSTER_CONF", "out-of-cluster", "HOME", home.toString());

            assertThat(runSomewhere(environment, List.of("allocation"))).isNotZero();
            assertThat(err.toString()).contains("kubectl.conf: ");
        }
    }

    @Nested
    class Allocation {
        private static final String MINIKUBE =
                "\"cpu\":\"2\",\"memory\":\"2033401856\",\"pods\":\"110\",\"ephemeral-storage\":\"17361141760\"";

        // The README's sample: 12 pods with 855m and 260Mi.
        @Test
        void writesTheReadmesSample() {
            nodes = node("minikube", MINIKUBE, "True");
            List<String> all = new ArrayList<>();
            all.add(pod("p0", "minikube", "Running", containers("\"cpu\":\"855m\",\"memory\":\"260Mi\"")));
            for (int i = 1; i < 12; i++) {
                all.add(pod("p" + i, "minikube", "Running", containers("")));
            }
            pods = String.join(",", all);
            assertThat(run(Map.of(), "allocation")).isZero();
            assertThat(out.toString().strip())
                    .isEqualTo("minikube:  cpu=[2000, 855, 1145];  memory=[2033401856, 272629760, 1760772096];"
                            + "  pods=[110, 12, 98];  gpu=[0, 0, 0];"
                            + "  ephemeral-storage=[17361141760, 0, 17361141760];");
            assertThat(patches().get(0).path()).isEqualTo("/api/v1/nodes/minikube");
            assertThat(annotations(0))
                    .isEqualTo(Map.of(
                            "free-cpu", "1145",
                            "free-ephemeral-storage", "17361141760",
                            "free-gpu", "0",
                            "free-memory", "1760772096",
                            "free-pods", "98",
                            "requested-cpu", "855",
                            "requested-ephemeral-storage", "0",
                            "requested-gpu", "0",
                            "requested-memory", "272629760",
                            "requested-pods", "12"));
        }

        private void bindPods() {
            nodes = node("n1", "\"cpu\":\"2\",\"pods\":\"10\",\"nvidia.com/gpu\":\"4\"", "True");
            pods = String.join(
                    ",",
                    pod("running", "n1", "Running", containers("\"cpu\":\"100m\",\"nvidia.com/gpu\":\"1\"")),
                    pod("starting", "n1", "Pending", containers("\"cpu\":\"200m\"")),
                    pod("ended", "n1", "Succeeded", containers("\"cpu\":\"400m\"")),
                    pod("waiting", "", "Pending", containers("\"cpu\":\"400m\"")),
                    pod(
                            "with-init",
                            "n1",
                            "Running",
                            containers("\"cpu\":\"100m\"")
                                    + ",\"initContainers\":[{\"name\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]"
                                    + ",\"overhead\":{\"cpu\":\"50m\"}"));
        }

        @Test
        void countsBoundPodsWithInitContainersAndOverhead() {
            bindPods();
            assertThat(run(Map.of(), "allocation")).isZero();
            assertThat(annotations(0))
                    .containsEntry("requested-cpu", "1350")
                    .containsEntry("free-cpu", "650")
                    .containsEntry("requested-pods", "3")
                    .containsEntry("requested-gpu", "1")
                    .containsEntry("free-gpu", "3");
        }

        @Test
        void countsContainersOfRunningPodsOnRequest() {
            bindPods();
            assertThat(run(Map.of(), "allocation", "--running-only")).isZero();
            assertThat(annotations(0))
                    .containsEntry("requested-cpu", "200")
                    .containsEntry("requested-pods", "2")
                    .containsEntry("requested-gpu", "1");
        }

        @Test
        void leavesNodesThatAreNotReadyAlone() {
            nodes = node("n1", "\"cpu\":\"2\"", "False") + "," + node("n2", "\"cpu\":\"2\"", "True");
            assertThat(run(Map.of(), "allocation")).isZero();
            assertThat(patches()).singleElement().extracting(Request::path).isEqualTo("/api/v1/nodes/n2");
        }

        @Test
        void neverHasLessThanNothingFree() {
            nodes = node("n1", "\"cpu\":\"1\"", "True");
            pods = pod("p", "n1", "Running", containers("\"cpu\":\"2\""));
            assertThat(run(Map.of(), "allocation")).isZero();
            assertThat(annotations(0)).containsEntry("requested-cpu", "2000").containsEntry("free-cpu", "0");
        }

        @Test
        void failsOnceANodeCannotBeAnnotated() {
            nodes = node("n1", "\"cpu\":\"1\"", "True");
            server.on("PATCH", "/api/v1/nodes/n1", request -> Response.status(403, "Forbidden", "no"));
            assertThat(run(Map.of(), "allocation")).isEqualTo(1);
            assertThat(err.toString()).contains("warning: annotate Node n1: ").contains("403");
        }
    }

    @Nested
    class Usage {
        private static final String RANGE = "end=2026-11-22T18:00:00Z, query=";

        private static String series(double... values) {
            List<String> points = new ArrayList<>();
            for (double value : values) {
                points.add("[" + (1700000000 + points.size()) + ",\"" + value + "\"]");
            }
            return "{\"metric\":{\"instance\":\"10.0.0.1:9100\"},\"values\":[" + String.join(",", points) + "]}";
        }

        private static String sample(String value) {
            return "{\"metric\":{},\"value\":[1700000000,\"" + value + "\"]}";
        }

        // Mean and deviation are those of kube-safe-scheduler's README.
        @Test
        void writesMeanAndDeviation() {
            nodes = node("n1", "\"cpu\":\"4\",\"memory\":\"500Mi\"", "True");
            pods = pod("p", "n1", "Running", containers("\"memory\":\"100Mi\""));
            double memory = 30372823 / Math.sqrt(2);
            double cpu = 400 / Math.sqrt(2);
            answers.put(MEMORY, series(155597063 + memory, 155597063 - memory));
            answers.put(CPU, series(2500 - cpu, 2500 + cpu));
            assertThat(run(environment(), "usage")).isZero();
            assertThat(queries)
                    .containsExactly(
                            "/api/v1/query_range {" + RANGE + MEMORY + ", start=2026-11-21T18:00:00Z, step=15.0}",
                            "/api/v1/query_range {" + RANGE + CPU + ", start=2026-11-21T18:00:00Z, step=60.0}");
            assertThat(annotations(0))
                    .isEqualTo(Map.of(
                            "mean-free-memory", "155597063",
                            "std-free-memory", "30372823",
                            "forcasted-free-memory", "N/A",
                            "mean-free-cpu", "2500",
                            "std-free-cpu", "400",
                            "free_memory", "134120234",
                            "min_free_memory", "134120234",
                            "reqested_memory", "104857600",
                            "allocatable_memory", "524288000"));
            assertThat(out.toString().strip())
                    .isEqualTo("node n1 annotated: cpu 2500 +- 400, memory 155597063 +- 30372823");
        }

        @Test
        void usesTheOriginalQueriesOnRequest() {
            nodes = node("n1", "\"memory\":\"1Gi\"", "True");
            String idle = "node_cpu_seconds_total{instance=\"10.0.0.1:8445\",mode=\"idle\"}[5m]";
            String mean = "sum by (instance)(irate(" + idle + "))*1000";
            String deviation = "sum by (instance) (stddev_over_time(" + idle + ")/(5*60))*1000";
            answers.put(mean, sample("1234.5678"));
            answers.put(deviation, sample("56.7"));
            assertThat(run(environment("NODE_EXP_PORT", "8445"), "usage", "--original-queries"))
                    .isZero();
            assertThat(queries)
                    .contains("/api/v1/query {query=" + mean + "}", "/api/v1/query {query=" + deviation + "}");
            assertThat(annotations(0)).containsEntry("mean-free-cpu", "1235").containsEntry("std-free-cpu", "57");
        }

        @Test
        void removesFiguresThatPrometheusDoesNotHaveAnyMore() {
            nodes = node("n1", "\"memory\":\"1Gi\"", "True");
            answers.put(CPU, series(Double.NaN));
            assertThat(run(environment("USE_FORECAST", "true"), "usage")).isZero();
            assertThat(annotations(0))
                    .isEqualTo(Map.of(
                            "mean-free-memory", "removed",
                            "std-free-memory", "removed",
                            "forcasted-free-memory", "removed",
                            "mean-free-cpu", "removed",
                            "std-free-cpu", "removed",
                            "forcasted-free-cpu", "removed",
                            "free_memory", "removed",
                            "min_free_memory", "removed",
                            "reqested_memory", "0",
                            "allocatable_memory", "1073741824"));
        }

        @Test
        void limitsUseToRequestsOnRequest() {
            nodes = node("n1", "\"memory\":\"1000\"", "True");
            pods = pod("p", "n1", "Running", containers("\"memory\":\"300\""));
            answers.put(MEMORY, series(500, 900));
            assertThat(run(environment("USE_REQ", "True"), "usage")).isZero();
            assertThat(annotations(0))
                    .containsEntry("mean-free-memory", "800")
                    .containsEntry("min_free_memory", "700")
                    .containsEntry("free_memory", "900");
        }

        @Test
        void forecastsWhatIsFreeNext() {
            nodes = node("n1", "\"memory\":\"1000\"", "True");
            double[] falling = new double[200];
            double[] alternating = new double[100];
            for (int i = 0; i < falling.length; i++) {
                falling[i] = 10000 - 10 * i;
            }
            for (int i = 0; i < alternating.length; i++) {
                alternating[i] = i % 2 == 0 ? 1000 : 3000;
            }
            answers.put(MEMORY, series(falling));
            answers.put(CPU, series(alternating));
            assertThat(run(environment("USE_FORECAST", "TRUE"), "usage")).isZero();
            // The parts are means of two: 9995, 9975, and so on to 8015.
            assertThat(annotations(0))
                    .containsEntry("forcasted-free-memory", "7995")
                    .containsEntry("forcasted-free-cpu", "1000");
        }

        @Test
        void saysWhichNodesItCouldNotAnnotate() {
            nodes = "{\"metadata\":{\"name\":\"n0\"}}," + node("n1", "\"memory\":\"1Gi\"", "True");
            assertThat(run(environment("PROM_PORT", "1"), "usage")).isEqualTo(1);
            assertThat(err.toString())
                    .contains("warning: Node n0: no address (expected: one of type InternalIP)")
                    .contains("warning: Node n1: ");
            assertThat(patches()).isEmpty();
        }
    }

    @Nested
    class Variables {
        @Test
        void areRefusedIfTheyAreNoNumbers() {
            assertThat(run(Map.of("ANNOTATE_FREQ", "often"), "allocation")).isEqualTo(1);
            assertThat(err.toString()).contains("ANNOTATE_FREQ: \"often\" (expected: a whole number)");
        }

        @Test
        void giveWayToOptions() {
            assertThat(run(Map.of("ANNOTATE_FREQ", "often"), "allocation", "--frequency=5"))
                    .isZero();
        }
    }
}
