// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;
import org.moorage.api.model.ResourceClaim;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.ClusterFileException;

class ClusterDumpReaderTest {
    private static final String DEPLOYMENT = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              replicas: 2
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  priorityClassName: high
                  containers: [{name: c, image: i, resources: {requests: {cpu: 250m}}}]
            ---
            {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}
            """;

    private static ClusterDumpReader reader() {
        return reader(FeatureGates.DEFAULTS);
    }

    private static ClusterDumpReader reader(FeatureGates features) {
        PluginRegistry registry = PluginRegistry.of(List.of());
        return new ClusterDumpReader(ConfigLoader.defaults(registry, features), registry);
    }

    private static ClusterDump read(ClusterDumpReader reader, String text) {
        return reader.read(List.of("-"), new ByteArrayInputStream(text.getBytes(UTF_8)));
    }

    @Test
    void completesThePodsThatItMakes() {
        ClusterDump dump = read(reader().withWorkloads(), DEPLOYMENT);

        assertThat(dump.pods()).hasSize(2).allSatisfy(pod -> {
            assertThat(pod.spec().priority()).isEqualTo(7);
            assertThat(pod.uid()).isNotEmpty();
            assertThat(pod.metadata().ownerReferences().get(0).kind()).isEqualTo("ReplicaSet");
        });
        assertThat(dump.pods()).extracting(Pod::uid).doesNotHaveDuplicates();
        assertThat(dump.notes())
                .containsExactly("2 pods are made as controllers would make them: Deployment default/web 2");
    }

    @Test
    void makesNoneUnlessItIsAskedTo() {
        ClusterDump dump = read(reader(), DEPLOYMENT);

        assertThat(dump.pods()).isEmpty();
        assertThat(dump.notes()).isEmpty();
    }

    @Test
    void reportsAllErrorsInTheTermsOfTheWorkload() {
        String text =
                DEPLOYMENT.replace("cpu: 250m", "cpu: plenty, memory: 1 GB").replace("value: 7", "value: x") + """
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {priority: 0, hostNetwork: 3, nodeName: 4}}
                """;

        assertThatThrownBy(() -> read(reader().withWorkloads(), text))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage("""
                        the cluster cannot be read, 5 problems
                          stdin:1:1: Deployment default/web: spec.template.spec.containers[0].resources.requests.cpu: \
                        "plenty" (expected: a quantity such as 2, 500m or 1536Mi)
                          stdin:13:1: PriorityClass high: value: "x" (expected: a whole number of 32 bits)
                          stdin:15:1: Pod default/p: spec.hostNetwork: 3 (expected: true or false)
                          stdin:15:1: Pod default/p: spec.nodeName: 4 (expected: a text)
                          stdin:1:1: Deployment default/web: spec.template.spec.containers[0].resources.requests.memory: \
                        "1 GB" (expected: a quantity such as 2, 500m or 1536Mi)""");
    }

    /**
     * A pod, and a limit range with a default request of 250m of cpu.
     *
     * @param request what it requests afterwards; empty for nothing
     */
    record Admitted(String name, String metadata, String more, String request) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Admitted> pods() {
        return Stream.of(
                new Admitted("that is still to be created", "name: p", "", "250m"),
                new Admitted("with an empty status, as kubectl prints it", "name: p", "status: {},", "250m"),
                new Admitted("that has a uid", "name: p, uid: u", "", ""),
                new Admitted("that has a version", "name: p, resourceVersion: '1'", "", ""),
                new Admitted("that is leaving", "name: p, deletionTimestamp: '2026-01-01T00:00:00Z'", "", ""),
                new Admitted("that has a node", "name: p", "spec: {nodeName: 'n', containers: [{name: c}]},", ""),
                new Admitted("that has a priority", "name: p", "spec: {priority: 1, containers: [{name: c}]},", ""),
                new Admitted("that has a status", "name: p", "status: {phase: Pending},", ""));
    }

    @ParameterizedTest
    @MethodSource("pods")
    void admitsAPodOnlyIfItIsNew(Admitted given) {
        String spec = given.more.contains("spec") ? "" : "spec: {containers: [{name: c}]}";
        ClusterDump dump = read(reader(), """
                {apiVersion: v1, kind: Node, metadata: {name: 'n'}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {%s}, %s %s}
                ---
                apiVersion: v1
                kind: LimitRange
                metadata: {name: l}
                spec: {limits: [{type: Container, defaultRequest: {cpu: 250m}}]}
                """.formatted(given.metadata, given.more, spec));

        assertThat(dump.pods()).singleElement().satisfies(pod -> {
            assertThat(pod.spec().containers().get(0).requests().getOrDefault("cpu", Quantity.ZERO))
                    .isEqualTo(given.request.isEmpty() ? Quantity.ZERO : Quantity.parse(given.request));
            assertThat(pod.spec().tolerations()).hasSize(given.request.isEmpty() ? 0 : 2);
        });
    }

    @Test
    void makesNoPodsThatTheApiServerRefuses() {
        ClusterDump dump = read(reader().withWorkloads(), DEPLOYMENT + """
                ---
                apiVersion: v1
                kind: LimitRange
                metadata: {name: l}
                spec: {limits: [{type: Container, min: {cpu: 300m}}]}
                """);

        assertThat(dump.pods()).isEmpty();
        assertThat(dump.objects()).hasSize(3);
        assertThat(dump.notes().get(0))
                .matches(
                        "no pods are made of Deployment default/web \\(refused by the API server: pods \"web-.*\" is forbidden:"
                                + " minimum cpu usage per Container is 300m, but request is 250m\\)");
    }

    @Test
    void admitsThePodsOfChangesByWhatIsThereThen(@TempDir Path folder) throws IOException {
        String pod =
                "{type: ADDED, object: {apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {containers: [{name: c}]}}}\n---\n";
        String limits = "{type: %s, object: {apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits:"
                + " [{type: Container, defaultRequest: {cpu: 250m}}]}}}\n---\n";
        Path changes = Files.writeString(
                folder.resolve("changes.yaml"),
                pod.formatted("a")
                        + limits.formatted("ADDED")
                        + pod.formatted("b")
                        + limits.formatted("DELETED")
                        + pod.formatted("c"));

        ClusterDump dump =
                read(reader().withChanges(changes.toString()), "{apiVersion: v1, kind: Node, metadata: {name: 'n'}}");

        assertThat(dump.changes())
                .extracting(change -> change.object().metadata().uid())
                .doesNotContain("");
        assertThat(dump.changes())
                .extracting(RecordedChange::object)
                .filteredOn(Pod.class::isInstance)
                .extracting(each ->
                        ((Pod) each).spec().containers().get(0).requests().containsKey("cpu"))
                .containsExactly(false, true, false);
    }

    @Test
    void admitsThePodsOfChangesByTheClusterThatWasReadBefore(@TempDir Path folder) throws IOException {
        String pod =
                "{type: ADDED, object: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}}}\n";
        String limits = "{apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: default}, spec: {limits:"
                + " [{type: Container, defaultRequest: {cpu: 250m}}]}}";
        Path first =
                Files.writeString(folder.resolve("first.yaml"), "{type: DELETED, object: " + limits + "}\n---\n" + pod);
        Path second = Files.writeString(folder.resolve("second.yaml"), pod);
        Manifests manifests = new Manifests(FeatureGates.DEFAULTS);
        ClusterDump ignored = read(reader().reportingTo(manifests), limits);

        // Changes by one do not affect the next.
        for (Path changes : List.of(first, second)) {
            ClusterDump dump = reader().readChanges(changes.toString(), InputStream.nullInputStream(), manifests);

            Pod added = (Pod) dump.changes().get(dump.changes().size() - 1).object();
            assertThat(added.spec().containers().get(0).requests().containsKey("cpu"))
                    .isEqualTo(changes.equals(second));
        }
    }

    private static final String CLAIM_TEMPLATES = """
            ---
            {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one},
             spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}}
            """;
    private static final String WITH_CLAIMS = "spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: one}],"
            + " containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}], volumes: [{name: v, ephemeral:"
            + " {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]}";

    static final List<String> PODS_WITHOUT_THEIR_CLAIMS = List.of(
            "{apiVersion: v1, kind: Pod, metadata: {name: p}, " + WITH_CLAIMS + "}",
            "{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u, resourceVersion: '7'}, status: {phase: Pending}, "
                    + WITH_CLAIMS + "}");

    @ParameterizedTest
    @FieldSource("PODS_WITHOUT_THEIR_CLAIMS")
    void createsTheClaimsOfBarePods(String pod) {
        ClusterDump dump = read(reader().withClaims().withWorkloads(), pod + "\n" + CLAIM_TEMPLATES);

        Pod read = dump.pods().get(0);
        assertThat(read.status().resourceClaimStatuses()).containsExactly(new PodStatus.ClaimStatus("gpu", "p-gpu"));
        assertThat(dump.objects())
                .filteredOn(object -> object instanceof ResourceClaim || object instanceof PersistentVolumeClaim)
                .extracting(ClusterObject::name)
                .containsExactlyInAnyOrder("p-gpu", "p-v");
        assertThat(dump.objects())
                .filteredOn(ResourceClaim.class::isInstance)
                .allSatisfy(claim -> assertThat(
                                claim.metadata().controller().orElseThrow().uid())
                        .isEqualTo(read.uid()));
    }

    @Test
    void reportsWhyTheApiServerRejectsANewWorkload() {
        ClusterDump dump = read(reader().withWorkloads(), DEPLOYMENT.replace("cpu: 250m", "cpu: -1"));

        assertThat(dump.pods()).isEmpty();
        assertThat(dump.notes())
                .contains(
                        "no pods are made of Deployment default/web (refused by the API server: Deployment.apps \"web\""
                                + " is invalid: spec.template.spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\":"
                                + " must be greater than or equal to 0)");
    }

    @Test
    void takesAWorkloadThatAServerHasTaken() {
        String fromServer = DEPLOYMENT
                .replace("{name: web}\nspec:\n  replicas", "{name: web, uid: u}\nspec:\n  replicas")
                .replace("priorityClassName: high", "priorityClassName: high\n      tolerations: [{operator: Equal}]");

        assertThat(read(reader().withWorkloads(), fromServer).pods()).hasSize(2);
    }

    private static final String GROUPS = """
            {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulingGroup: {podGroupName: g}}}
            ---
            {apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {priorityClassName: high}}
            ---
            {apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: h}}
            ---
            {apiVersion: scheduling.k8s.io/v1alpha3, kind: CompositePodGroup, metadata: {name: c}}
            ---
            {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}
            """;

    @Test
    void ignoresGroupsWithoutTheirFeaturesAndSaysSo() {
        ClusterDump dump = read(reader(), GROUPS);

        assertThat(dump.pods()).extracting(pod -> pod.spec().podGroupName()).containsExactly("");
        assertThat(dump.notes())
                .containsExactly(
                        "2 objects of the kind PodGroup are ignored: the feature gate GenericWorkload is off",
                        "1 object of the kind CompositePodGroup is ignored: the feature gate CompositePodGroup is off");
    }

    @Test
    void completesGroupsWithTheirFeature() {
        ClusterDump dump = read(reader(FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true))), GROUPS);

        assertThat(dump.pods()).extracting(pod -> pod.spec().podGroupName()).containsExactly("g");
        assertThat(dump.objects())
                .filteredOn(PodGroup.class::isInstance)
                .extracting(group -> ((PodGroup) group).priority())
                .containsExactly(7, 0);
        assertThat(dump.notes())
                .containsExactly(
                        "1 object of the kind CompositePodGroup is ignored: the feature gate CompositePodGroup is off");
    }

    @Test
    void reportsMissingNodesOfPods() {
        ClusterDump dump = read(reader(), """
                {apiVersion: v1, kind: Node, metadata: {name: a}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: a}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {nodeName: c}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: r}, spec: {nodeName: b}}
                """);

        assertThat(dump.warnings())
                .containsExactly("2 pods are on 2 nodes that are not among the objects (b, c), and are left out "
                        + "(without controller 2); --reschedule-lost has controllers create theirs again");
    }

    @Test
    void createsPodsOfMissingNodesAgain() {
        String owners = "ownerReferences: [{apiVersion: apps/v1, kind: %s, name: o, uid: o, controller: true}]";
        String spec = "spec: {nodeName: gone, containers: [{name: c}]}}\n---\n";
        String pod = "{apiVersion: v1, kind: Pod, metadata: {name: %s, uid: %s, " + owners + "}, " + spec;
        ClusterDump dump = read(
                reader().withLostPodsCreatedAgain(),
                pod.formatted("r", "r", "ReplicaSet") + pod.formatted("s-0", "s", "StatefulSet")
                        + pod.formatted("d", "d", "DaemonSet")
                        + "{apiVersion: v1, kind: Pod, metadata: {name: bare}, " + spec
                        + "{apiVersion: v1, kind: Node, metadata: {name: there}}");

        assertThat(dump.pods()).hasSize(2).allSatisfy(created -> {
            assertThat(created.isBound()).isFalse();
            assertThat(created.uid()).isNotIn("r", "s");
        });
        assertThat(dump.pods()).extracting(Pod::name).element(1).isEqualTo("s-0");
        assertThat(dump.notes())
                .containsExactly(
                        "2 pods on nodes that are not among the objects are created again: ReplicaSet 1, StatefulSet 1",
                        "1 pod on nodes that are not among the objects went with them: DaemonSet 1");
        assertThat(dump.warnings())
                .containsExactly(
                        "1 pod on nodes that are not among the objects is lost, since no controller creates it "
                                + "again: default/bare");
    }

    @Test
    void hasAManifestReplaceTheObjectOfItsName(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("changed.yaml"), """
                {apiVersion: v1, kind: Node, metadata: {name: a, labels: {zone: z}}}
                ---
                {apiVersion: v1, kind: Node, metadata: {name: new}}
                """);
        ClusterDump dump = read(reader().withChanged(List.of(file.toString())), """
                apiVersion: v1
                kind: Node
                metadata: {name: a, uid: u, labels: {disk: ssd}}
                spec: {unschedulable: true}
                status: {allocatable: {cpu: 4}}
                """);

        assertThat(dump.objects()).hasSize(2);
        Node node = (Node) dump.objects().get(0);
        assertThat(node.metadata().uid()).isEqualTo("u");
        assertThat(node.labels()).isEqualTo(Map.of("zone", "z"));
        assertThat(node.unschedulable()).isTrue();
        assertThat(node.allocatableResources().milliCpu()).isEqualTo(4000);
        assertThat(dump.notes())
                .containsExactly(
                        "1 object is replaced: Node a",
                        "1 object is added, since the cluster has none of that kind and name: Node new");
    }

    @Test
    void takesAChangedTemplateAsRolledOut(@TempDir Path folder) throws IOException {
        String statefulSet = """
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: db, uid: d}
                spec:
                  replicas: 2
                  selector: {matchLabels: {app: db}}
                  template:
                    metadata: {labels: {app: db}}
                    spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}
                """;
        String pod = """
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: db-%s
                  uid: u%s
                  ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: d, controller: true}]
                spec: {nodeName: a, priority: 0, containers: [{name: c, resources: {requests: {cpu: 1}}}]}
                status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}
                """;
        String text = statefulSet + pod.formatted(0, 0) + pod.formatted(1, 1)
                + "---\n{apiVersion: v1, kind: Node, metadata: {name: a}}\n";
        Path file = Files.writeString(
                folder.resolve("changed.yaml"),
                statefulSet.replace("cpu: 1", "cpu: 2").replace(", uid: d", ""));
        // A dump without what may be secret has no environments, of which nothing can be said then.
        Path same = Files.writeString(
                folder.resolve("same.yaml"),
                statefulSet
                        .replace("replicas: 2", "replicas: 3")
                        .replace("{name: c,", "{name: c, image: i, env: [{name: E}],"));

        ClusterDump changed = read(reader().withWorkloads().withChanged(List.of(file.toString())), text);
        ClusterDump scaled = read(
                reader().withWorkloads().withChanged(List.of(same.toString())),
                text.replace("{name: c,", "{name: c, image: i,"));

        assertThat(changed.pods()).extracting(Pod::name).containsExactly("db-0", "db-1");
        assertThat(changed.pods()).allSatisfy(created -> {
            assertThat(created.isBound()).isFalse();
            assertThat(created.requests().milliCpu()).isEqualTo(2000);
        });
        assertThat(changed.notes())
                .containsExactly(
                        "1 object is replaced: StatefulSet default/db",
                        "2 pods are made as controllers would make them: StatefulSet default/db 2",
                        "2 pods are deleted as controllers would delete them: StatefulSet default/db 2",
                        "StatefulSet default/db is rolled out to its new template, as if each new pod became ready");
        assertThat(scaled.pods()).extracting(Pod::isBound).containsExactly(true, true, false);
    }

    record Scope(String name, String scope, String namespace, String key) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Scope> scopes() {
        return Stream.of(
                new Scope("with namespaces, in the default one", "Namespaced", "", "default/a"),
                new Scope("with namespaces, in its own", "Namespaced", ", namespace: b", "b/a"),
                new Scope("without", "Cluster", "", "a"));
    }

    @ParameterizedTest
    @MethodSource("scopes")
    void knowsTheKindOfACustomResourceByItsDefinition(Scope given) {
        ClusterDump dump = read(reader(), """
                {apiVersion: example.org/v1, kind: Sheep, metadata: {name: a%s}}
                ---
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata: {name: sheep.example.org}
                spec: {group: example.org, scope: %s, names: {kind: Sheep, plural: sheep}, versions: [{name: v1}]}
                """.formatted(given.namespace(), given.scope()));

        OtherObject sheep = (OtherObject) dump.objects().get(0);
        assertThat(sheep.key()).isEqualTo(given.key());
        assertThat(sheep.kind().plural()).isEqualTo("sheep");
        assertThat(sheep.kind().namespaced()).isEqualTo(given.scope().equals("Namespaced"));
        assertThat(dump.warnings()).isEmpty();
    }
}
