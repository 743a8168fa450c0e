// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.zpages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;

/** Answers like those that kube-scheduler 1.37.2 gave; {@code testing/conformance/zpages/record.py} recorded them. */
class ZPageTest {
    private static final ObjectMapper JSON = new JsonMapper();

    /**
     * A recorded request.
     *
     * @param node the request and its answer
     */
    private record Recorded(JsonNode node) {
        String text(String field) {
            return node.path(field).asText("");
        }

        Optional<byte[]> body() {
            return Optional.ofNullable(node.get("body"))
                    .map(text -> Base64.getDecoder().decode(text.asText()));
        }

        boolean isOk() {
            return node.path("status").asInt() == 200;
        }

        Query query() {
            String[] path = text("path").split("\\?", -1);
            Map<String, List<String>> parameters = new LinkedHashMap<>();
            if (path.length > 1) {
                String[] sides = path[1].split("=", -1);
                parameters.put(sides[0], List.of(sides.length > 1 ? sides[1] : ""));
            }
            return new Query("GET", path[0], parameters, accept(), text("userAgent"), "");
        }

        private String accept() {
            return node.path("accept").isNull() ? "" : text("accept");
        }

        @Override
        public String toString() {
            return text("path") + " " + accept() + " " + text("userAgent")
                    + (node.path("cbor").asBoolean() ? " with CBOR" : "");
        }
    }

    static Stream<Recorded> recorded() throws IOException {
        List<Recorded> all = new ArrayList<>();
        try (InputStream in = ZPageTest.class.getResourceAsStream("/zpages.jsonl")) {
            for (String line : new String(in.readAllBytes(), UTF_8).split("\n", -1)) {
                if (!line.isEmpty()) {
                    all.add(new Recorded(JSON.readTree(line)));
                }
            }
        }
        return all.stream();
    }

    /** A page with the fields of the recorded object, or with none where the body is not recorded. */
    private static ZPage page(Recorded recorded) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        Optional<byte[]> body = recorded.body().filter(any -> recorded.isOk());
        if (body.isPresent() && !recorded.text("contentType").startsWith("text/")) {
            fields.putAll(read(recorded, body.get()));
            List.of("kind", "apiVersion", "metadata").forEach(fields::remove);
        }
        String kind = recorded.text("path").startsWith("/statusz") ? "Statusz" : "Flagz";
        return new ZPage(kind, recorded.node().path("cbor").asBoolean(), () -> "text\n", () -> fields);
    }

    private static Map<String, Object> read(Recorded recorded, byte[] body) throws IOException {
        String type = recorded.text("contentType");
        if (type.startsWith("application/cbor")) {
            assertThat(Arrays.copyOf(body, 3)).isEqualTo(new byte[] {(byte) 0xd9, (byte) 0xd9, (byte) 0xf7});
            return map(new Cbor(body, 3).read());
        }
        return map((type.startsWith("application/yaml") ? new YAMLMapper() : JSON).readValue(body, Map.class));
    }

    private static Map<String, Object> map(Object read) {
        Map<String, Object> map = new LinkedHashMap<>();
        ((Map<?, ?>) read).forEach((key, value) -> map.put(String.valueOf(key), value));
        return map;
    }

    /** Reads CBOR of the forms that Kubernetes writes for these objects, in any order of keys. */
    private static final class Cbor {
        private final byte[] bytes;
        private int at;

        Cbor(byte[] bytes, int at) {
            this.bytes = bytes;
            this.at = at;
        }

        Object read() {
            int head = bytes[at++] & 0xff;
            long number = head & 0x1f;
            for (int i = number < 24 ? 0 : 1 << (number - 24), read = 0; i > 0; i--) {
                number = (read++ == 0 ? 0 : number << 8) | bytes[at++] & 0xff;
            }
            int count = (int) number;
            switch (head >> 5) {
                case 0:
                    return number;
                case 2:
                    at += count;
                    return new String(bytes, at - count, count, UTF_8);
                case 4:
                    List<Object> list = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        list.add(read());
                    }
                    return list;
                case 5:
                    Map<Object, Object> map = new LinkedHashMap<>();
                    for (int i = 0; i < count; i++) {
                        map.put(read(), read());
                    }
                    return map;
                default:
                    throw new AssertionError("type " + (head >> 5));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void answersAsKubeSchedulerDid(Recorded recorded) throws IOException {
        Reply reply = page(recorded).reply(recorded.query());

        assertThat(reply.code()).isEqualTo(recorded.node().path("status").asInt());
        assertThat(reply.contentType()).isEqualTo(recorded.text("contentType"));
        assertThat(reply.headers())
                .isEqualTo(
                        recorded.node().path("warning").isNull()
                                ? Map.of()
                                : Map.of("Warning", recorded.text("warning")));
        if (recorded.body().isEmpty()) {
            return;
        }
        String type = recorded.text("contentType");
        byte[] expected = recorded.body().get();
        if (type.startsWith("text/plain")) {
            String heading = new String(expected, UTF_8).split("purposes only.\n", -1)[0];
            assertThat(new String(reply.body(), UTF_8)).isEqualTo(heading + "purposes only.\ntext\n");
        } else if (type.startsWith("application/cbor")) {
            // kube-scheduler does not sort the keys.
            assertThat(read(recorded, reply.body())).isEqualTo(read(recorded, expected));
            assertThat(reply.body()).hasSameSizeAs(expected);
        } else {
            assertThat(new String(reply.body(), UTF_8)).isEqualTo(new String(expected, UTF_8));
        }
    }

    @Test
    void sortsTheKeysOfCborByTheirBytes() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("bb", 23);
        object.put("c", List.of(24L, 256L, 65_536L, 1L << 32, -1L, -500L));
        object.put("a", "");

        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (String hex :
                "d9 d9 f7 a3 41 61 40 41 63 86 18 18 19 01 00 1a 00 01 00 00 1b 00 00 00 01 00 00 00 00 20 39 01 f3 42 62 62 17"
                        .split(" ", -1)) {
            expected.write(Integer.parseInt(hex, 16));
        }
        assertThat(ObjectBytes.cbor(object)).isEqualTo(expected.toByteArray());
    }
}
