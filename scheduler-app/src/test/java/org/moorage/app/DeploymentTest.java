// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.Nomination;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.app.internal.live.LiveObjects;
import org.moorage.builtin.dra.KubeSchedulerPlugins;
import org.moorage.config.ConfigLoader;
import org.moorage.config.ExtenderConfig;
import org.moorage.config.LeaderElection;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.kubernetes.ApiClient;
import org.moorage.kubernetes.ClusterSettings;
import org.moorage.kubernetes.KubernetesCluster;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.runtime.Scheduler;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.testkit.Pods;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;

/**
 * The manifests in {@code deploy}: that they are complete, and grant what is needed and no more than kube-scheduler
 * has.
 */
@Tag("any-jvm")
class DeploymentTest {
    private static final Path DEPLOY = Path.of("..", "deploy");
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private static List<JsonNode> documents(String... path) {
        Path file = DEPLOY;
        for (String part : path) {
            file = file.resolve(part);
        }
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
            return documents.readAll();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode one(List<JsonNode> documents, String kind, String name) {
        return documents.stream()
                .filter(document -> document.path("kind").asText().equals(kind)
                        && document.path("metadata").path("name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<Path> manifests() throws IOException {
        try (Stream<Path> files = Files.walk(DEPLOY)) {
            // The chart's templates are no YAML; what they render from the folders' values is.
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .filter(file -> !file.startsWith(DEPLOY.resolve("chart")) && !file.endsWith("values.yaml"))
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void givesEachOfOurContainersLimits(Path manifest) throws IOException {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(manifest.toFile())) {
            for (JsonNode document : documents.readAll()) {
                for (JsonNode container : document.findPath("containers")) {
                    // A kustomize patch has no image.
                    if (container.path("image").asText().startsWith("moorage")) {
                        String name = container.path("name").asText();
                        JsonNode context = container.path("securityContext");
                        assertThat(container.at("/resources/limits/memory").asText())
                                .as("%s: memory limit, of which the heap is a share", name)
                                .isNotEmpty();
                        assertThat(context.path("readOnlyRootFilesystem").asBoolean())
                                .as("%s: readOnlyRootFilesystem", name)
                                .isTrue();
                        assertThat(context.path("allowPrivilegeEscalation").asBoolean(true))
                                .as("%s: allowPrivilegeEscalation", name)
                                .isFalse();
                        assertThat(context.at("/capabilities/drop/0").asText())
                                .as("%s: capabilities that are dropped", name)
                                .isEqualTo("ALL");
                    }
                }
            }
        }
    }

    /** The rights of a role's rules, each as {@code verb group/resource}. */
    private static Set<String> rights(JsonNode role) {
        Set<String> rights = new TreeSet<>();
        for (JsonNode rule : role.path("rules")) {
            for (JsonNode group : rule.path("apiGroups")) {
                for (JsonNode resource : rule.path("resources")) {
                    for (JsonNode verb : rule.path("verbs")) {
                        rights.add(verb.asText() + " " + group.asText() + "/" + resource.asText());
                    }
                }
            }
        }
        return rights;
    }

    private static Set<String> granted() {
        return rights(one(documents("second-scheduler", "rbac.yaml"), "ClusterRole", "moorage-scheduler"));
    }

    private static Set<String> grantedTo(String reader) {
        return rights(one(documents("second-scheduler", "rbac.yaml"), "ClusterRole", "moorage-" + reader + "-reader"));
    }

    static Stream<ObjectKind<?>> kindsOfSnapshots() {
        return LiveObjects.KINDS.stream().map(kind -> kind);
    }

    @ParameterizedTest
    @MethodSource("kindsOfSnapshots")
    void letsReadersTakeSnapshots(ObjectKind<?> kind) {
        assertThat(grantedTo("snapshot")).contains("list " + kind.group() + "/" + kind.plural());
    }

    @ParameterizedTest
    @MethodSource("watches")
    void letsReadersJudgeASchedulersDecisions(String right) {
        assertThat(grantedTo("shadow")).contains(right);
    }

    @ParameterizedTest
    @ValueSource(strings = {"snapshot", "shadow"})
    void letsReadersChangeNothing(String reader) {
        assertThat(grantedTo(reader))
                .isNotEmpty()
                .allMatch(right -> right.startsWith("get ") || right.startsWith("list ") || right.startsWith("watch "))
                .doesNotContain("list /secrets", "list /configmaps");
    }

    /** The kinds that a scheduler watches with all features on that are followed here. */
    private static Set<ObjectKind<?>> watchedKinds() {
        Set<ObjectKind<?>> kinds = new LinkedHashSet<>();
        Cluster recording = (Cluster) Proxy.newProxyInstance(
                DeploymentTest.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("watch")) {
                        ((Set<?>) arguments[0]).forEach(kind -> kinds.add((ObjectKind<?>) kind));
                    }
                    return null;
                });
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        FeatureGates features = FeatureGates.of(Map.of(
                "DRADeviceTaintRules",
                true,
                "GenericWorkload",
                true,
                "TopologyAwareWorkloadScheduling",
                true,
                "CompositePodGroup",
                true));
        try (Scheduler scheduler = Scheduler.builder(ConfigLoader.defaults(registry, features), registry, recording)
                .build()) {
            scheduler.start();
        }
        return kinds;
    }

    static Stream<String> watches() {
        return watchedKinds().stream()
                .flatMap(kind ->
                        Stream.of("list", "watch", "get").map(verb -> verb + " " + kind.group() + "/" + kind.plural()));
    }

    @ParameterizedTest
    @MethodSource("watches")
    void grantsWhatPluginsRead(String right) {
        assertThat(granted()).contains(right);
    }

    @Test
    void grantsWhatIsWritten() throws IllegalAccessException, InterruptedException {
        Set<String> needed = writes();

        assertThat(needed).hasSize(10);
        assertThat(granted()).containsAll(needed);
    }

    @Test
    void grantsNoMoreThanKubeSchedulerHas() throws IOException {
        Set<String> theirs = new TreeSet<>(Files.readAllLines(
                Path.of("src", "test", "resources", "org", "moorage", "app", "kube-scheduler-rights.txt")));
        Set<String> more = granted();
        more.removeAll(theirs);

        // Its role lacks the kinds of features that are off by default.
        assertThat(more)
                .containsExactly(
                        "get resource.k8s.io/devicetaintrules",
                        "get scheduling.k8s.io/compositepodgroups",
                        "get scheduling.k8s.io/podgroups",
                        "list resource.k8s.io/devicetaintrules",
                        "list scheduling.k8s.io/compositepodgroups",
                        "list scheduling.k8s.io/podgroups",
                        "patch scheduling.k8s.io/podgroups/status",
                        "watch resource.k8s.io/devicetaintrules",
                        "watch scheduling.k8s.io/compositepodgroups",
                        "watch scheduling.k8s.io/podgroups");
    }

    /** Makes every write to a server that accepts all, and returns the rights that they need. */
    private static Set<String> writes() throws IllegalAccessException, InterruptedException {
        try (FakeApiServer server = FakeApiServer.start()) {
            for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
                server.on(method, "/*", request -> Response.ok("{}"));
            }
            writeAll(new ApiClient(server.address(), new OkHttpClient()));
            // Events are sent in the background.
            Request ignored = server.takeRequest(request -> request.path().contains("/events"));
            return server.requests().stream()
                    .map(request -> right(request.method(), request.path()))
                    .collect(Collectors.toSet());
        }
    }

    private static void writeAll(ApiClient client) throws IllegalAccessException {
        try (KubernetesCluster cluster = new KubernetesCluster(
                client,
                ClusterSettings.on("test"),
                InstantSource.system(),
                new Random(1),
                Executors.defaultThreadFactory())) {
            Pod pod = Pods.named("p").uid("u").build();
            cluster.report(PodEvent.normal(pod, "Scheduled", "Binding", "x"));
            attempt(() -> cluster.bind(pod, "n"));
            attempt(() -> cluster.patchStatus(
                    pod,
                    Optional.of(new PodCondition(PodCondition.POD_SCHEDULED, "False", "r", "m", 0)),
                    Nomination.keep()));
            attempt(() -> cluster.patchStatus(
                    PodGroup.of(ObjectMeta.named("g").namespace("n").build()).build(),
                    new PodCondition(PodGroup.INITIALLY_SCHEDULED, "True", "r", "m", 0)));
            attempt(() -> cluster.delete(pod));
            writeAll(VolumeWriter.class, cluster.volumes(), pod);
            writeAll(ResourceClaimWriter.class, cluster.resourceClaims(), pod);
        }
    }

    private static void attempt(Runnable write) {
        try {
            write.run();
        } catch (ClusterException noObject) {
            // The server's answer is no object; what counts is what was sent.
        }
    }

    // Calls each method of a writer, so that a new one is not forgotten.
    private static void writeAll(Class<?> type, Object writer, Pod pod) throws IllegalAccessException {
        for (Method method : type.getMethods()) {
            List<Object> arguments = new ArrayList<>();
            for (Class<?> parameter : method.getParameterTypes()) {
                arguments.add(argument(parameter, pod));
            }
            try {
                method.invoke(writer, arguments.toArray());
            } catch (InvocationTargetException e) {
                assertThat(e.getCause()).as(method.toString()).isInstanceOf(ClusterException.class);
            }
        }
    }

    private static Object argument(Class<?> type, Pod pod) {
        TreeDecoder decoder = new TreeDecoder();
        if (type == Pod.class) {
            return pod;
        }
        if (type == String.class) {
            return "n";
        }
        if (type == List.class) {
            return List.of();
        }
        if (type == ResourceClaim.Consumer.class) {
            return ResourceClaim.Consumer.of(pod);
        }
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.putObject("metadata")
                .put("name", "x")
                .put("namespace", "default")
                .put("uid", "u")
                .put("resourceVersion", "1");
        object.putObject("spec");
        for (ObjectKind<?> kind :
                List.of(ObjectKind.PERSISTENT_VOLUME, ObjectKind.PERSISTENT_VOLUME_CLAIM, ObjectKind.RESOURCE_CLAIM)) {
            if (kind.type() == type) {
                object.put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
                return decoder.decode(object);
            }
        }
        return new DeviceAllocation(List.of(), List.of(), Optional.empty(), Optional.empty());
    }

    /** The right for a request: its verb, and the group and resource of its path. */
    private static String right(String method, String path) {
        List<String> parts = List.of(path.substring(1).split("/"));
        boolean core = parts.get(0).equals("api");
        String group = core ? "" : parts.get(1);
        List<String> rest = parts.subList(core ? 2 : 3, parts.size());
        if (rest.get(0).equals("namespaces") && rest.size() > 2) {
            rest = rest.subList(2, rest.size());
        }
        String resource = rest.get(0) + (rest.size() > 2 ? "/" + rest.get(2) : "");
        String verb = switch (method) {
            case "POST" -> "create";
            case "PATCH" -> "patch";
            case "PUT" -> "update";
            case "DELETE" -> "delete";
            default -> "get";
        };
        return verb + " " + group + "/" + resource;
    }

    @Test
    void locksItsOwnLease() {
        List<JsonNode> rbac = documents("second-scheduler", "rbac.yaml");
        JsonNode config = documents("second-scheduler", "config.yaml").get(0);
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all());
        var election = ConfigLoader.load(
                        config.path("data").path("scheduler.yaml").asText(), "scheduler.yaml", registry)
                .config()
                .leaderElection();
        JsonNode role = one(rbac, "Role", "moorage-leader-election");

        assertThat(election.leaderElect()).isTrue();
        assertThat(role.path("metadata").path("namespace").asText()).isEqualTo(election.resourceNamespace());
        assertThat(role.path("rules").path(1).path("resourceNames").path(0).asText())
                .isEqualTo(election.resourceName());
        assertThat(election.resourceName()).isNotEqualTo("kube-scheduler");
        assertThat(rights(role))
                .containsExactlyInAnyOrder(
                        "create coordination.k8s.io/leases",
                        "get coordination.k8s.io/leases",
                        "update coordination.k8s.io/leases");
    }

    @Test
    void nameEachOther() throws IOException {
        List<JsonNode> all = new ArrayList<>();
        for (JsonNode file :
                documents("second-scheduler", "kustomization.yaml").get(0).path("resources")) {
            all.addAll(documents("second-scheduler", file.asText()));
        }
        JsonNode pod =
                one(all, "Deployment", "moorage").path("spec").path("template").path("spec");

        assertThat(one(all, "ServiceAccount", pod.path("serviceAccountName").asText())
                        .path("metadata")
                        .path("namespace"))
                .isEqualTo(one(all, "Deployment", "moorage").path("metadata").path("namespace"));
        assertThat(one(
                                all,
                                "ConfigMap",
                                pod.path("volumes")
                                        .path(0)
                                        .path("configMap")
                                        .path("name")
                                        .asText())
                        .path("data")
                        .has("scheduler.yaml"))
                .isTrue();
        assertThat(one(all, "PodDisruptionBudget", "moorage").path("spec").path("selector"))
                .isEqualTo(one(all, "Deployment", "moorage").path("spec").path("selector"));
        assertThat(texts(pod.path("containers").path(0).path("args")))
                .allMatch(argument -> CapturedRun.of(argument, "--help").exitCode() == 0);
    }

    /** A folder with a separate scheduler: its additional plugin, and the name of all its objects. */
    record Folder(String folder, String plugin, String name) {
        @Override
        public String toString() {
            return folder;
        }

        List<JsonNode> manifests() {
            List<JsonNode> all = new ArrayList<>();
            for (JsonNode file : documents(folder, "kustomization.yaml").get(0).path("resources")) {
                all.addAll(documents(folder, file.asText()));
            }
            return all;
        }
    }

    static Stream<Folder> folders() {
        return Stream.of(
                new Folder("opa-policy", "OpaPolicy", "moorage-opa"),
                new Folder("network-traffic", "NetworkTraffic", "moorage-traffic"));
    }

    @ParameterizedTest
    @MethodSource("folders")
    void grantWithAPluginWhatTheyGrantWithout(Folder folder) {
        List<JsonNode> all = folder.manifests();

        assertThat(rights(one(all, "ClusterRole", folder.name + "-scheduler"))).isEqualTo(granted());
        assertThat(rights(one(all, "Role", folder.name + "-leader-election")))
                .isEqualTo(rights(one(documents("second-scheduler", "rbac.yaml"), "Role", "moorage-leader-election")));
        assertThat(all.stream()
                        .filter(document -> document.path("kind").asText().endsWith("Binding"))
                        .map(document -> document.path("subjects").path(0)))
                .hasSize(3)
                .allSatisfy(subject -> {
                    assertThat(subject.path("name").asText()).isEqualTo(folder.name);
                    assertThat(subject.path("namespace").asText()).isEqualTo(folder.name);
                });
    }

    @ParameterizedTest
    @MethodSource("folders")
    void haveASeparateLease(Folder folder) throws IOException {
        List<JsonNode> all = folder.manifests();
        JsonNode config = YAML.readTree(one(all, "ConfigMap", folder.name + "-config")
                .path("data")
                .path("scheduler.yaml")
                .asText());
        // The plugin is not one of this project: its own tests check its arguments.
        PluginRegistry registry = PluginRegistry.of(KubeSchedulerPlugins.all())
                .with(List.of(PluginFactory.of(
                        folder.plugin, Plugin.class, PluginArgs.None.class, (args, handle) -> () -> folder.plugin)));
        for (JsonNode profile : config.path("profiles")) {
            profile.path("pluginConfig").forEach(entry -> ((ObjectNode) entry).remove("args"));
        }
        LeaderElection election = ConfigLoader.load(YAML.writeValueAsString(config), "scheduler.yaml", registry)
                .config()
                .leaderElection();
        JsonNode role = one(all, "Role", folder.name + "-leader-election");

        assertThat(election.resourceName()).isEqualTo(folder.name);
        assertThat(role.path("metadata").path("namespace").asText()).isEqualTo(election.resourceNamespace());
        assertThat(role.path("rules").path(1).path("resourceNames").path(0).asText())
                .isEqualTo(election.resourceName());
    }

    @ParameterizedTest
    @MethodSource("folders")
    void nameEachOtherWithAPlugin(Folder folder) {
        List<JsonNode> all = folder.manifests();
        JsonNode pod = one(all, "Deployment", folder.name)
                .path("spec")
                .path("template")
                .path("spec");
        for (JsonNode volume : pod.path("volumes")) {
            if (volume.has("configMap")) {
                assertThat(one(
                                        all,
                                        "ConfigMap",
                                        volume.path("configMap").path("name").asText())
                                .path("data"))
                        .isNotEmpty();
            }
        }

        assertThat(one(all, "ServiceAccount", pod.path("serviceAccountName").asText()))
                .isNotNull();
        assertThat(one(all, "PodDisruptionBudget", folder.name).path("spec").path("selector"))
                .isEqualTo(one(all, "Deployment", folder.name).path("spec").path("selector"));
        assertThat(texts(pod.path("containers").path(0).path("args")))
                .allMatch(argument -> CapturedRun.of(argument, "--help").exitCode() == 0);
    }

    static Stream<String> agents() {
        return Stream.of("safe", "congestion", "safe-congestion", "pigeon", "safe-pigeon", "foo", "rl");
    }

    @ParameterizedTest
    @MethodSource("agents")
    void askTheAgentsThatTheyRun(String folder) throws IOException {
        JsonNode config = documents("extender-agents", folder, "config.yaml").get(0);
        var loaded = ConfigLoader.load(
                config.path("data").path("scheduler.yaml").asText(),
                "scheduler.yaml",
                PluginRegistry.of(KubeSchedulerPlugins.all()));
        JsonNode container = documents("extender-agents", folder, "agents.yaml")
                .get(0)
                .path("spec")
                .path("template")
                .path("spec")
                .path("containers")
                .path(0);
        List<String> run =
                List.of(container.path("env").path(0).path("value").asText().split(","));
        JsonNode agents = YAML.readTree(documents("extender-agents", "base", "agents.yaml")
                        .get(0)
                        .path("data")
                        .path("extender.yaml")
                        .asText())
                .path("agents");
        Set<String> addresses = new TreeSet<>();
        for (JsonNode agent : agents) {
            if (run.contains(agent.path("name").asText())) {
                addresses.add("http://127.0.0.1:" + agent.path("port").asText() + "/scheduler");
            }
        }

        assertThat(loaded.config().extenders())
                .extracting(ExtenderConfig::urlPrefix)
                .hasSameElementsAs(addresses);
        assertThat(addresses).hasSize(run.size());
        assertThat(loaded.config().leaderElection().resourceName()).isEqualTo("my-scheduler");
        assertThat(loaded.config().leaderElection().resourceNamespace()).isEqualTo("extender-agents");
    }

    @Test
    void takeTheFlagsOfKubeadm() {
        JsonNode container = documents("replacement", "kube-scheduler.yaml")
                .get(0)
                .path("spec")
                .path("containers")
                .path(0);

        assertThat(texts(container.path("command")).subList(1, 6))
                .allMatch(argument -> CapturedRun.of(argument, "--help").exitCode() == 0);
    }

    private static List<String> texts(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }
}
