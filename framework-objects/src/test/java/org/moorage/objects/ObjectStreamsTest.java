// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
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
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectKind;

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
                        "that says where it goes on",
                        """
                        {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"abc",
                        "remainingItemCount":3},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}""",
                        List.of(
                                "{\"metadata\":{\"name\":\"a\"},\"apiVersion\":\"v1\",\"kind\":\"Pod\"}",
                                "{\"metadata\":{\"name\":\"b\"},\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"),
                        new ObjectStreams.ListPage("7", "abc")),
                new Case(
                        "of objects with managedFields, and with a label of that name",
                        """
                        {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"kind":"Pod","metadata":
                        {"managedFields":[{"fieldsV1":{"f:spec":{}}}],"labels":{"managedFields":"a"},"generation":3000000000},
                        "spec":{"a":[1.50,true,null,[{"b":12345678901234567890}]]}}]}""",
                        List.of(
                                "{\"kind\":\"Pod\",\"metadata\":{\"labels\":{\"managedFields\":\"a\"},"
                                        + "\"generation\":3000000000},\"spec\":{\"a\":[1.50,true,null,[{\"b\":12345678901234567890}]]}}"),
                        new ObjectStreams.ListPage("7", "")),
                new Case(
                        "whose metadata come last, among fields that are not known",
                        """
                        {"kind":"PodList","new":{"items":[1]},"items":[{"kind":"Pod","apiVersion":"v1"}],"news":[[]],
                        "metadata":{"resourceVersion":"8","new":{}},"apiVersion":"v1"}""",
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

    private static InputStream input(String body) {
        return new ByteArrayInputStream(body.getBytes(UTF_8));
    }
}
