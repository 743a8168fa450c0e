// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.objects.ClusterFileException;

final class ClusterFilesTest {

    private static final String NODE = "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"}}";

    @TempDir
    private Path folder;

    record Case(String name, String text, List<String> titles) {

        Case(String name, String text, String... titles) {
            this(name, text, List.of(titles));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> inputs() {
        return Stream.of(
                new Case("one YAML document", yaml("Node", "a"), "Node a"),
                new Case(
                        "YAML documents, empty ones and comments between them",
                        "# a\n---\n---\n# b\n" + yaml("Node", "a") + "---\n\n---\n" + yaml("Pod", "b") + "---\n",
                        "Node a",
                        "Pod default/b"),
                new Case("a JSON document", NODE.formatted("a"), "Node a"),
                new Case(
                        "JSON lines, with an empty one",
                        NODE.formatted("a") + "\n\n" + NODE.formatted("b") + "\n",
                        "Node a",
                        "Node b"),
                new Case(
                        "a JSON array",
                        "[" + NODE.formatted("a") + "," + NODE.formatted("b") + "]",
                        "Node a",
                        "Node b"),
                new Case("YAML in braces", "{apiVersion: v1, kind: Node, metadata: {name: a}}", "Node a"),
                new Case(
                        "kubectl get -o json, which writes the kind after the items",
                        "{\n \"apiVersion\": \"v1\",\n \"items\": [" + NODE.formatted("a") + "],\n \"kind\": \"List\"}",
                        "Node a"),
                new Case(
                        "kubectl get -o yaml",
                        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\nkind: List\n",
                        "Node a"),
                new Case(
                        "a typed list, whose items say no kind",
                        "{\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"a\"}}],\"kind\":\"PodList\"}",
                        "Pod default/a"),
                new Case(
                        "a list in a list",
                        "{apiVersion: v1, kind: List, items: [{apiVersion: storage.k8s.io/v1, kind: StorageClassList,"
                                + " items: [{metadata: {name: a}}]}]}",
                        "StorageClass a"),
                new Case("a list of nothing", "{apiVersion: v1, kind: PodList, items: null}"),
                new Case(
                        "an explicit namespace",
                        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}}",
                        "Pod b/a"),
                new Case(
                        "a custom resource, of whose scope nothing is known",
                        "{apiVersion: example.org/v1, kind: Ship, metadata: {name: a}}",
                        "Ship a"),
                new Case(
                        "an unknown kind without a name",
                        "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, resources: [a]}",
                        "Kustomization (unnamed)"),
                new Case(
                        "one name in two kinds and two namespaces",
                        yaml("Node", "a") + "---\n" + yaml("Pod", "a") + "---\n"
                                + "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}}",
                        "Node a",
                        "Pod default/a",
                        "Pod b/a"),
                new Case(
                        "generated names, which differ",
                        "{apiVersion: v1, kind: Pod, metadata: {generateName: a-}}\n---\n"
                                + "{apiVersion: v1, kind: Pod, metadata: {generateName: a-}}",
                        "Pod default/a-qhlr6",
                        "Pod default/a-drrkq"),
                new Case(
                        "tabs that end lines, after a value, a key, nothing and before a comment",
                        "apiVersion: v1\t\nkind: Node \t # a\nmetadata:\t\n  name: a\t\n\t\n",
                        "Node a"),
                new Case("one object twice, of a kind that is not read", configMaps(), "ConfigMap default/a"),
                new Case("a byte order mark", "\ufeff" + NODE.formatted("a"), "Node a"));
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void reads(Case given) {
        assertThat(titles(fromStdin(given.text()))).isEqualTo(given.titles());
    }

    static Stream<Case> refusals() {
        return Stream.of(
                new Case(
                        "nothing",
                        "",
                        "stdin: no objects (expected: at least one YAML or JSON document with apiVersion, kind and metadata)"),
                new Case(
                        "a comment",
                        "# a\n",
                        "stdin: no objects (expected: at least one YAML or JSON document with apiVersion, kind and metadata)"),
                new Case(
                        "YAML with a fault",
                        "a: b\n c: d",
                        "stdin:2:3: not YAML: a second ':' in a line, or a field that is indented more than those around it"
                                + " (expected: fields below one another; a value with ': ' in quotes)"),
                new Case(
                        "YAML that ends too early",
                        "a: [",
                        "stdin:2:1: not YAML: the end of the text (expected: a value)"),
                new Case(
                        "YAML with a field twice",
                        yaml("Pod", "a") + "  name: b",
                        "stdin:5:3: name: comes twice in an object (expected: once)"),
                new Case(
                        "JSON with a field twice",
                        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\n\"name\":\"b\"}}",
                        "stdin:2:1: name: comes twice in an object (expected: once)"),
                new Case(
                        "JSON with a fault",
                        "{\"kind\": \"Pod\"\n \"a\": 1}",
                        "stdin:2:2: not JSON: Unexpected character ('\"' (code 34)): was expecting comma to separate Object entries"),
                new Case(
                        "a text",
                        "hello",
                        "stdin: no objects (expected: at least one YAML or JSON document with apiVersion, kind and metadata)"),
                new Case(
                        "an item that is no object",
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"a\"}},\n 3]}",
                        "stdin:1:1: item 2 of document 1: 3 (expected: an object)"),
                new Case(
                        "items that are no list",
                        "{apiVersion: v1, kind: List, items: {a: b}}",
                        "stdin:1:1: document 1: items: {\"a\":\"b\"} (expected: a list)"),
                new Case(
                        "no kind",
                        yaml("Node", "a") + "---\n---\napiVersion: v1\nmetadata: {}\n",
                        "stdin:7:1: document 3 has no \"kind\": {\"apiVersion\":\"v1\",\"metadata\":{}}"),
                new Case(
                        "no version",
                        "kind: Node\nmetadata: {}",
                        "stdin:1:1: document 1 has no \"apiVersion\": {\"kind\":\"Node\",\"metadata\":{}}"),
                new Case(
                        "a version that is a number",
                        "{apiVersion: 1, kind: Node}",
                        "stdin:1:1: document 1: apiVersion: 1 (expected: text)"),
                new Case(
                        "a Pod without a name",
                        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n",
                        "stdin:4:3: item 1 of document 1 (Pod) has no \"metadata.name\""),
                new Case(
                        "a Pod whose name is a number",
                        "{apiVersion: v1, kind: Pod, metadata: {name: 3}}",
                        "stdin:1:1: document 1 (Pod) has no \"metadata.name\": 3"),
                new Case(
                        "one object twice, in two versions",
                        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a}}\n---\n"
                                + "{apiVersion: resource.k8s.io/v1beta1, kind: DeviceClass, metadata: {name: a}}",
                        "stdin:3:1: document 2: DeviceClass a comes twice, first at stdin:1:1 (expected: once)"),
                new Case(
                        "one object twice, with the default namespace and without",
                        yaml("Pod", "a") + "---\n{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default}}",
                        "stdin:6:1: document 2: Pod default/a comes twice, first at stdin:1:1 (expected: once)"),
                new Case(
                        "an alias of nothing",
                        "a: *b",
                        "stdin:1:4: *b (expected: an anchor that the document defines before)"),
                new Case(
                        "aliases that grow without end",
                        """
                        a: &a [x,x,x,x,x,x,x,x,x,x]
                        b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
                        c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
                        d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
                        e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]
                        f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]
                        """,
                        "stdin:6:29: aliases repeat too much (expected: at most 1000000 values)"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refuses(Case given) {
        assertThatThrownBy(() -> fromStdin(given.text()))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage(given.titles().get(0));
    }

    @Test
    void readsSourcesInOrderAndFoldersByName() throws IOException {
        write("b.yaml", yaml("Node", "b"));
        write("cluster/z.json", NODE.formatted("z"));
        write("cluster/deep/a.yml", yaml("Node", "a"));
        write("cluster/lines.jsonl", NODE.formatted("l") + "\n" + NODE.formatted("m"));
        write("cluster/notes.txt", "not read");
        write("cluster/comment.yaml", "# nothing yet\n");
        write("cluster/..data/z.json", NODE.formatted("z"));
        Files.write(folder.resolve("cluster/zipped.yaml.gz"), gzip(yaml("Node", "g")));

        List<ObjectNode> objects = ClusterFiles.read(
                List.of(path("b.yaml"), "-", path("cluster")), new ByteArrayInputStream(gzip(yaml("Node", "stdin"))));

        assertThat(titles(objects))
                .containsExactly("Node b", "Node stdin", "Node a", "Node l", "Node m", "Node z", "Node g");
    }

    @Test
    void detectsTheFormatByTheContent() throws IOException {
        write("a.yaml", "\n " + NODE.formatted("a"));
        write("b.json", yaml("Node", "b"));
        Files.write(folder.resolve("c.yaml"), ("\ufeff" + yaml("Node", "c")).getBytes(UTF_16LE));

        List<ObjectNode> objects =
                ClusterFiles.read(List.of(path("a.yaml"), path("b.json"), path("c.yaml")), noStdin());

        assertThat(titles(objects)).containsExactly("Node a", "Node b", "Node c");
    }

    @Test
    void namesBothPlacesOfADuplicate() throws IOException {
        write("a.yaml", "# first\n" + yaml("Node", "x"));
        write("b.json", "[\n  " + NODE.formatted("x") + "]");

        assertThatThrownBy(() -> ClusterFiles.read(List.of(path("a.yaml"), path("b.json")), noStdin()))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage(
                        "%1$s:2:3: item 1 of document 1: Node x comes twice, first at %2$s:2:1 (expected: once; of a manifest "
                                + "that is to replace an object, --changed %1$s)",
                        path("b.json"), path("a.yaml"));
    }

    @Test
    void refusesAFileThatIsNotThere() {
        assertThatThrownBy(() -> ClusterFiles.read(List.of("no/such.yaml"), noStdin()))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage(
                        "no/such.yaml: no such file (expected: a YAML or JSON file, a folder of them, or - for stdin)");
    }

    @Test
    void refusesAFolderWithoutObjects() throws IOException {
        write("cluster/notes.txt", "not read");

        assertThatThrownBy(() -> ClusterFiles.read(List.of(path("cluster")), noStdin()))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage(
                        path("cluster")
                                + ": no objects (expected: at least one YAML or JSON document with apiVersion, kind and metadata)");
    }

    @Test
    void skipsFilesInAFolderThatAreNotKubernetesObjects() throws IOException {
        write("all/chart/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n");
        write("all/chart/templates/deployment.yaml", """
                {{- if .Values.enabled }}
                apiVersion: apps/v1
                kind: Deployment
                {{- end }}
                """);
        write("all/chart/templates/named.yaml", yaml("Node", "\"{{ .Release.Name }}\""));
        write("all/chart/values.yaml", "replicas: 3\n");
        write("all/dashboard.json", "{\"title\": \"a\", \"panels\": []}");
        write("all/node.yaml", yaml("Node", "a") + "---\n# nothing\n---\n- op: replace\n  path: /spec\n");
        write("all/tsconfig.json", "// a comment\n{}");
        List<String> titles = new ArrayList<>();
        InputNotes notes = new InputNotes();

        ClusterFiles.read(
                List.of(path("all")),
                noStdin(),
                notes,
                (object, position) -> titles.add(ObjectKey.of(object).title()));

        notes.throwProblems();
        assertThat(titles).containsExactly("Node a");
        assertThat(notes.notes())
                .containsExactly("5 documents that are no Kubernetes objects skipped: "
                        + String.join(
                                ", ",
                                path("all/chart/Chart.yaml:1"),
                                path("all/chart/values.yaml:1"),
                                path("all/dashboard.json:1"),
                                path("all/node.yaml:8"),
                                path("all/tsconfig.json:1")));
        assertThat(notes.warnings())
                .containsExactly("2 Helm templates skipped (expected: manifests, as helm template prints them): "
                        + path("all/chart/templates/deployment.yaml") + ", "
                        + path("all/chart/templates/named.yaml"));
    }

    @Test
    void namesAHelmTemplateThatWasAskedFor() throws IOException {
        write("deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.name }}-web\n");

        assertThatThrownBy(() -> ClusterFiles.read(List.of(path("deployment.yaml")), noStdin()))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage(
                        "%s: a Helm template, with {{ ... }} (expected: a manifest, as helm template prints it)",
                        path("deployment.yaml") + ":4");
    }

    @Test
    void namesAFolderOfHelmTemplates() throws IOException {
        write("chart/values.yaml", "replicas: 3\n");
        write("chart/templates/deployment.yaml", "{{ include \"web\" . }}\n");

        assertThatThrownBy(() -> ClusterFiles.read(List.of(path("chart")), noStdin()))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage(
                        "%s: no objects but Helm templates (expected: manifests, as helm template prints them)",
                        path("chart"));
    }

    @Test
    void reportsAllProblemsTogether() throws IOException {
        write("all/a.yaml", "kind: Node\nmetadata: {}\n---\napiVersion: v1\nkind: Pod\nmetadata: {}\n");
        write("all/b.yaml", "apiVersion: v1\n a: b\n");

        assertThatThrownBy(() -> ClusterFiles.read(List.of(path("all"), "no/such.yaml"), noStdin()))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage(
                        "the cluster cannot be read, 4 problems\n"
                                + "  %s:1:1: document 1 has no \"apiVersion\": {\"kind\":\"Node\",\"metadata\":{}}\n"
                                + "  %s:4:1: document 2 (Pod) has no \"metadata.name\"\n"
                                + "  %s:2:3: not YAML: a second ':' in a line, or a field that is indented more than those around it"
                                + " (expected: fields below one another; a value with ': ' in quotes)\n"
                                + "  no/such.yaml: no such file (expected: a YAML or JSON file, a folder of them, or - for stdin)",
                        path("all/a.yaml"), path("all/a.yaml"), path("all/b.yaml"));
    }

    @Test
    void leavesTabsInTextsAsTheyAre() {
        ObjectNode object = fromStdin("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\t\ndata:\n"
                        + "  script: |\t\n    one\t\n\n    two\t# kept\n  next: b\t\n")
                .get(0);

        assertThat(object.path("data").path("script").asText()).isEqualTo("one\t\n\ntwo\t# kept\n");
        assertThat(object.path("data").path("next").asText()).isEqualTo("b");
    }

    static Stream<Case> doubts() {
        return Stream.of(
                new Case(
                        "fields of a pod",
                        yaml("Pod", "a")
                                + "spec:\n  nodeSelecter: {a: b}\n  containers: [{resource: {}}, {resource: {}}]\n",
                        "stdin:1:1: Pod default/a: spec.nodeSelecter: no such field. Did you mean nodeSelector?",
                        "stdin:1:1: Pod default/a: spec.containers[0].resource: no such field. Did you mean resources? In 2 places."),
                new Case(
                        "a field of a node's status",
                        yaml("Node", "a") + "status: {allocatible: {cpu: 1}}\n",
                        "stdin:1:1: Node a: status.allocatible: no such field. Did you mean allocatable?"),
                new Case("a field of another status", yaml("Pod", "a") + "status: {new: {cpu: 1}}\n"),
                new Case("labels, of which any are allowed", yaml("Pod", "a") + "  labels: {any: b}\n"),
                new Case(
                        "a kind in the plural",
                        yaml("Pods", "a"),
                        "stdin:1:1: Pods default/a: kind: \"Pods\" (expected: a kind that Kubernetes has in v1). Did you mean Pod?"),
                new Case(
                        "a version that is no longer served",
                        "{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: a}}",
                        "stdin:1:1: Deployment a: apiVersion: \"extensions/v1beta1\" (expected: apps/v1 for a Deployment)"),
                new Case(
                        "a kind of another group",
                        "{apiVersion: v1, kind: Deployment, metadata: {name: a}}",
                        "stdin:1:1: Deployment default/a: apiVersion: \"v1\" (expected: apps/v1 for a Deployment)"),
                new Case(
                        "a custom resource",
                        "{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: a}}"));
    }

    @ParameterizedTest
    @MethodSource("doubts")
    void doubtsUnknownFieldsAndKinds(Case given) {
        InputNotes notes = new InputNotes();

        ClusterFiles.read(List.of("-"), new ByteArrayInputStream(given.text().getBytes(UTF_8)), notes, notes::check);

        notes.throwProblems();
        assertThat(notes.warnings()).isEqualTo(given.titles());
    }

    @Test
    void dropsManagedFieldsOnly() {
        List<ObjectNode> objects = fromStdin("""
                apiVersion: v1
                kind: Node
                metadata: {name: a, managedFields: [{manager: kubelet, fieldsV1: {}}], labels: {managedFields: kept}}
                """);

        assertThat(objects.get(0).path("metadata").toString())
                .isEqualTo("{\"name\":\"a\",\"labels\":{\"managedFields\":\"kept\"}}");
    }

    @Test
    void repeatsWhatAliasesAndMergeKeysSay() {
        List<ObjectNode> objects = fromStdin("""
                apiVersion: v1
                kind: List
                items:
                - &pod
                  apiVersion: v1
                  kind: Pod
                  metadata: &metadata
                    name: &name a
                    namespace: x
                    labels: {app: *name}
                - <<: *pod
                  metadata: {<<: *metadata, name: b}
                """);

        assertThat(objects)
                .extracting(ObjectNode::toString)
                .containsExactly(
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"namespace\":\"x\",\"labels\":{\"app\":\"a\"}}}",
                        "{\"metadata\":{\"name\":\"b\",\"namespace\":\"x\",\"labels\":{\"app\":\"a\"}},\"apiVersion\":\"v1\",\"kind\":\"Pod\"}");
        assertThat(objects.get(0).path("metadata").path("labels"))
                .isNotSameAs(objects.get(1).path("metadata").path("labels"));
    }

    @Test
    void readsScalarsAsKubectlDoes() {
        ObjectNode object = fromStdin("""
                apiVersion: example.org/v1
                kind: Ship
                spec: {a: yes, b: 017, c: 0.5, d: 2026-01-01, e: , f: "", g: ~, h: "3", i: 9007199254740993}
                """).get(0);

        assertThat(object.path("spec").toString())
                .isEqualTo("{\"a\":true,\"b\":15,\"c\":0.5,\"d\":\"2026-01-01\",\"e\":null,\"f\":\"\",\"g\":null,"
                        + "\"h\":\"3\",\"i\":9007199254740993}");
    }

    @Test
    void readsYamlBeyondTheUsualLimitOfThreeMillionCharacters() {
        StringBuilder yaml = new StringBuilder("apiVersion: v1\nkind: List\nitems:\n");
        for (int i = 0; i < 60_000; i++) {
            yaml.append("- {apiVersion: v1, kind: Pod, metadata: {name: pod-")
                    .append(i)
                    .append("}}\n");
        }

        assertThat(yaml.length()).isGreaterThan(3_145_728);
        assertThat(fromStdin(yaml.toString())).hasSize(60_000);
    }

    private static String configMaps() {
        return yaml("ConfigMap", "a") + "data: {a: b, a: c}\n---\n" + yaml("ConfigMap", "a");
    }

    private static String yaml(String kind, String name) {
        return "apiVersion: v1\nkind: " + kind + "\nmetadata:\n  name: " + name + "\n";
    }

    private static List<String> titles(List<ObjectNode> objects) {
        return objects.stream().map(object -> ObjectKey.of(object).title()).toList();
    }

    private static List<ObjectNode> fromStdin(String text) {
        return ClusterFiles.read(List.of("-"), new ByteArrayInputStream(text.getBytes(UTF_8)));
    }

    private static InputStream noStdin() {
        return InputStream.nullInputStream();
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zipped = new GZIPOutputStream(bytes)) {
            zipped.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }
}
