// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.ResourceClaim;
import org.moorage.objects.KeptJson;

class ObjectStreamsTest {
    @Nested
    class ReadsAList {
        record Case(String name, String body, List<String> items, ObjectStreams.ListPage page) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "with a continue token",
                        """
                        {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"abc",
                        "remainingItemCount":3},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}\
                        """,
                        List.of(
                                "{\"metadata\":{\"name\":\"a\"},\"apiVersion\":\"v1\",\"kind\":\"Pod\"}",
                                "{\"metadata\":{\"name\":\"b\"},\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"),
                        new ObjectStreams.ListPage("7", "abc")),
                new Case(
                        "of objects with managedFields, and with a label of that name",
                        """
                        {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"kind":"Pod","metadata":
                        {"managedFields":[{"fieldsV1":{"f:spec":{}}}],"labels":{"managedFields":"a"},"generation":3000000000},
                        "spec":{"a":[1.50,true,null,[{"b":12345678901234567890}]]}}]}\
                        """,
                        List.of(
                                "{\"kind\":\"Pod\",\"metadata\":{\"labels\":{\"managedFields\":\"a\"},"
                                        + "\"generation\":3000000000},\"spec\":{\"a\":[1.50,true,null,[{\"b\":12345678901234567890}]]}}"),
                        new ObjectStreams.ListPage("7", "")),
                new Case(
                        "whose metadata come last, among fields that are not known",
                        """
                        {"kind":"PodList","new":{"items":[1]},"items":[{"kind":"Pod","apiVersion":"v1"}],"news":[[]],
                        "metadata":{"resourceVersion":"8","new":{}},"apiVersion":"v1"}\
                        """,
                        List.of("{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}"),
                        new ObjectStreams.ListPage("8", "")),
                new Case(
                        "without items",
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\",\"continue\":null},"
                                + "\"items\":null}",
                        List.of(),
                        new ObjectStreams.ListPage("9", "")));

        @ParameterizedTest
        @FieldSource("CASES")
        void itemByItem(Case list) throws IOException {
            List<String> items = new ArrayList<>();

            ObjectStreams.ListPage page =
                    ObjectStreams.list(input(list.body), ObjectKind.POD, item -> items.add(item.toString()));

            assertThat(items).isEqualTo(list.items);
            assertThat(page).isEqualTo(list.page);
        }

        record Broken(String name, String body) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Broken> BROKEN = List.of(
                new Broken("something that is no JSON", "<html>"),
                new Broken("nothing", ""),
                new Broken("a list without an object around it", "[]"),
                new Broken("items that are no list", "{\"items\":{}}"),
                new Broken("an item that is no object", "{\"items\":[1]}"),
                new Broken("an empty object", "{}"),
                new Broken(
                        "a list of another kind",
                        "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}"),
                new Broken(
                        "a list of another version",
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v2\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}"),
                new Broken(
                        "a list without a resourceVersion",
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[]}"),
                new Broken(
                        "a list without items",
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"}}"),
                new Broken("a list that breaks off", "{\"items\":[{\"metadata\":{}}"));

        @ParameterizedTest
        @FieldSource("BROKEN")
        void butNot(Broken broken) {
            assertThatThrownBy(() -> ObjectStreams.list(input(broken.body), ObjectKind.POD, item -> {}))
                    .isInstanceOf(IOException.class);
        }
    }

    @Nested
    class ReadsAWatch {
        @Test
        void eventByEventAsTheyCome() throws IOException, InterruptedException, ExecutionException, TimeoutException {
            PipedOutputStream server = new PipedOutputStream();
            InputStream client = new PipedInputStream(server);
            BlockingQueue<String> events = new ArrayBlockingQueue<>(10);
            CompletableFuture<Void> end = CompletableFuture.runAsync(() -> {
                try {
                    ObjectStreams.watch(client, ObjectKind.POD, (type, object) -> events.add(type + " " + object));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });

            String pod = "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"1\"}}";
            server.write(("{\"type\":\"ADDED\",\"object\":" + pod + "}\n").getBytes(UTF_8));
            server.flush();
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("ADDED " + pod);

            server.write(("{\"new\":[],\"type\":\"BOOKMARK\",\"object\":" + pod + "}\n").getBytes(UTF_8));
            server.flush();
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo("BOOKMARK " + pod);

            server.close();
            end.get(10, TimeUnit.SECONDS);
        }

        record Broken(String name, String event) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Broken> BROKEN = List.of(
                new Broken("half an event", "{\"type\":\"ADDED\",\"object\":{"),
                new Broken("something that is no JSON", "<html>"),
                new Broken("an event without an object", "{\"type\":\"ADDED\"}"),
                new Broken(
                        "an event of an unknown type",
                        "{\"type\":\"NEW\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"1\"}}}"),
                new Broken(
                        "an object of another kind",
                        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Node\",\"metadata\":{\"resourceVersion\":\"1\"}}}"),
                new Broken("an object without a version", "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\"}}"));

        @ParameterizedTest
        @FieldSource("BROKEN")
        void butNot(Broken broken) {
            assertThatThrownBy(() -> ObjectStreams.watch(input(broken.event), ObjectKind.POD, (type, object) -> {}))
                    .isInstanceOf(IOException.class);
        }
    }

    /** Objects that the API server accepts and returns although usual clients do not write them. */
    @Nested
    class ReadsObjectsOfAnyShape {
        record Case(String name, String field, String value) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> SHAPES = List.of(
                new Case("1,100 levels", "f:spec", "{\"f:a\":".repeat(1100) + "{}" + "}".repeat(1100)),
                new Case("10,000 levels", "f:spec", "[".repeat(10_000) + "]".repeat(10_000)),
                new Case("a name of 60,000 characters", "f:" + "n".repeat(60_000), "{}"),
                new Case("a number of 1,500 digits", "n", "9".repeat(1500)),
                new Case("a number of a million digits", "n", "9".repeat(1_000_000)),
                new Case("a fraction of 1,500 digits", "n", "0." + "9".repeat(1500)),
                new Case("an exponent of eleven digits", "n", "1e-99999999999"),
                new Case("a large exponent", "n", "1E+1000000000"),
                new Case("a text of 21 million characters", "t", "\"" + "t".repeat(21_000_000) + "\""),
                new Case("100,000 names", "o", manyNames(100_000)),
                new Case("control characters", "t\\u0000", "\"\\u0000\\u001B\\n\""));

        private static String manyNames(int count) {
            StringBuilder object = new StringBuilder("{");
            for (int i = 0; i < count; i++) {
                object.append(i == 0 ? "\"" : ",\"").append("name-").append(i).append("\":0");
            }
            return object.append("}").toString();
        }

        private List<ObjectNode> read(ObjectKind<?> kind, String object) throws IOException {
            List<ObjectNode> read = new ArrayList<>();
            ObjectStreams.list(
                    input("{\"kind\":\"" + kind.kind() + "List\",\"apiVersion\":\"" + kind.apiVersion()
                            + "\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[" + object
                            + ",{\"metadata\":{\"name\":\"next\"}}]}"),
                    kind,
                    read::add);
            ObjectStreams.watch(
                    input("{\"type\":\"ADDED\",\"object\":"
                            + object.replaceFirst("\\{", "{\"kind\":\"" + kind.kind() + "\",")
                            + "}"),
                    kind,
                    (type, tree) -> read.add(tree));
            read.add(ObjectStreams.object(object));
            assertThat(ObjectStreams.resourceVersion(object)).isEqualTo("1");
            assertThat(read).hasSize(4);
            assertThat(read.remove(1).at("/metadata/name").asText()).isEqualTo("next");
            return read;
        }

        @ParameterizedTest
        @FieldSource("SHAPES")
        void inManagedFieldsWhichAreSkipped(Case shape) throws IOException {
            for (ObjectKind<?> kind : ObjectKind.TYPED) {
                String object = "{\"metadata\":{\"managedFields\":[{\"fieldsV1\":{\"" + shape.field + "\":"
                        + shape.value + "}}],\"name\":\"a\",\"resourceVersion\":\"1\"}}";
                for (ObjectNode tree : read(kind, object)) {
                    assertThat(tree.path("metadata").toString())
                            .isEqualTo("{\"name\":\"a\",\"resourceVersion\":\"1\"}");
                    assertThat(new TreeDecoder()
                                    .decode(kind, tree, KeptJson.NONE)
                                    .name())
                            .isEqualTo("a");
                }
            }
        }

        @ParameterizedTest
        @CsvSource({
            "\\ud800, \ufffd",
            "\\ud800a, \ufffda",
            "\\ud800\\n, '\ufffd\\n'",
            "\\ud800\\ud800, \ufffd\ufffd",
            "\\udc00x, \ufffdx",
            "\\ud83d\\uDE00, \ud83d\ude00"
        })
        void withHalvesOfSurrogatePairsAsGoReadsThem(String escaped, String expected) throws IOException {
            String config = "{\"opaque\":{\"parameters\":{\"" + escaped + "\":\"" + escaped + "\"}}}";
            String object = "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\"spec\":" + config + "}";
            for (ObjectNode tree : read(ObjectKind.RESOURCE_CLAIM, object)) {
                assertThat(tree.path("spec").toString())
                        .isEqualTo("{\"opaque\":{\"parameters\":{\"" + expected + "\":\"" + expected + "\"}}}");
            }
        }

        @ParameterizedTest
        @FieldSource("SHAPES")
        void inParametersOfDevicesWhichAreKeptAsText(Case shape) throws IOException {
            String config =
                    "{\"opaque\":{\"driver\":\"d\",\"parameters\":{\"" + shape.field + "\":" + shape.value + "}}}";
            String object =
                    "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\"spec\":{\"devices\":{\"config\":["
                            + config + "]}}}";
            for (ObjectNode tree : read(ObjectKind.RESOURCE_CLAIM, object)) {
                ResourceClaim claim = new TreeDecoder().decode(ObjectKind.RESOURCE_CLAIM, tree, KeptJson.NONE);
                assertSameText(claim.config().get(0).json(), config);
            }
        }

        @ParameterizedTest
        @FieldSource("SHAPES")
        void inCustomResources(Case shape) throws IOException {
            ObjectKind<OtherObject> kind = ObjectKind.other("example.com/v1", "Team", "teams", true);
            String spec = "{\"" + shape.field + "\":" + shape.value + "}";
            String object = "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\"spec\":" + spec + "}";
            for (ObjectNode tree : read(kind, object)) {
                String json =
                        new TreeDecoder().decode(kind, tree, KeptJson.NONE).json();
                assertThat(tree.deepCopy()).isEqualTo(tree).hasSameHashCodeAs(tree);
                assertSameText(
                        json.substring(json.indexOf("\"spec\":") + 7, json.indexOf("\"spec\":") + 7 + spec.length()),
                        spec);
            }
        }

        // AssertJ compares texts of a million characters slowly, and prints them.
        private static void assertSameText(String text, String expected) {
            assertThat(text.equals(expected))
                    .as(() -> text.length() < 1000 ? text : text.length() + " characters")
                    .isTrue();
        }

        @Test
        void withBytesThatAreNoUtf8() throws IOException {
            byte[] object =
                    ("{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\"spec\":{\"devices\":{\"config\":[{\"opaque\":"
                                    + "{\"driver\":\"d\",\"parameters\":{\"?\":\"?\"}}}]}}}")
                            .getBytes(UTF_8);
            for (int i = 0; i < object.length; i++) {
                object[i] = object[i] == '?' ? (byte) 0xff : object[i];
            }
            ByteArrayOutputStream list = new ByteArrayOutputStream();
            list.write(
                    "{\"kind\":\"ResourceClaimList\",\"apiVersion\":\"resource.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":["
                            .getBytes(UTF_8));
            list.write(object);
            list.write("]}".getBytes(UTF_8));
            List<ObjectNode> read = new ArrayList<>();

            ObjectStreams.list(new ByteArrayInputStream(list.toByteArray()), ObjectKind.RESOURCE_CLAIM, read::add);

            assertThat(read.get(0)
                            .at("/spec/devices/config/0/opaque/parameters")
                            .toString())
                    .isEqualTo("{\"\ufffd\":\"\ufffd\"}");
        }
    }

    @Test
    void aWatchEndsBeforeItKeepsTooManyNames() throws IOException {
        String event =
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"1\",\"managedFields\":[{\""
                        + "n".repeat(1 << 20) + "\":{}}]}}}\n";
        int[] events = new int[1];

        ObjectStreams.watch(input(event.repeat(100)), ObjectKind.POD, (type, object) -> events[0]++);

        assertThat(events[0]).isEqualTo(64);
    }

    private static InputStream input(String body) {
        return new ByteArrayInputStream(body.getBytes(UTF_8));
    }
}
