// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.objects.ObjectDecodeException;

/** The forms in which programs have objects. */
class ObjectDecoderTest {
    private final ObjectDecoder decoder = new ObjectDecoder();

    private static final String TEXT = """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"app": "web"}},
         "spec": {"priority": 7, "nodeSelector": {"disk": "ssd"},
           "containers": [{"name": "c", "resources": {"requests": {"cpu": "500m"}}}]}}
        """;

    @Test
    void aText() {
        Pod pod = (Pod) decoder.decode(TEXT);

        assertThat(pod.name()).isEqualTo("p");
        assertThat(pod.requests().milliCpu()).isEqualTo(500);
        assertIsThat(decoder.decode(TEXT.getBytes(StandardCharsets.UTF_8)), pod);
    }

    @Test
    void maps() {
        Map<String, Object> container = Map.of("name", "c", "resources", Map.of("requests", Map.of("cpu", "500m")));
        Map<String, Object> spec =
                Map.of("priority", 7L, "nodeSelector", Map.of("disk", "ssd"), "containers", List.of(container));
        Map<String, Object> metadata = Map.of("name", "p", "labels", Map.of("app", "web"));

        assertIsThat(
                decoder.decode(Map.of("apiVersion", "v1", "kind", "Pod", "metadata", metadata, "spec", spec)),
                (Pod) decoder.decode(TEXT));
    }

    private static void assertIsThat(ClusterObject decoded, Pod pod) {
        assertThat(decoded.metadata()).isEqualTo(pod.metadata());
        assertThat(((Pod) decoded).spec()).isEqualTo(pod.spec());
    }

    @Test
    void mapsOfAnyDepth() {
        Map<String, Object> deep = Map.of("x", 1.5);
        for (int i = 0; i < 100_000; i++) {
            deep = Map.of("x", deep);
        }
        Map<String, Object> metadata = Map.of("name", "n", "x", deep);

        assertThat(decoder.decode(Map.of("apiVersion", "v1", "kind", "Node", "metadata", metadata))
                        .metadata()
                        .name())
                .isEqualTo("n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'apiVersion': 'v1', 'kind': 'List', 'items': []}",
                "{'apiVersion': 'v1', 'kind': 'List'}",
                "{'apiVersion': 'v1', 'kind': 'PodList', 'metadata': {'resourceVersion': '7'}, 'items': [{}]}",
                "{'apiVersion': 'example.com/v1', 'kind': 'WidgetList', 'metadata': {}, 'items': []}"
            })
    void butNotAListOfObjects(String list) {
        assertThatThrownBy(() -> decoder.decode(list.replace('\'', '"')))
                .isInstanceOf(ObjectDecodeException.class)
                .hasMessageEndingWith(
                        "List: a list of objects (expected: one object; decode each of the items of a list)");
    }

    @Test
    void aCustomResourceThatIsCalledAList() {
        String list = "{\"apiVersion\": \"example.com/v1\", \"kind\": \"AllowList\","
                + " \"metadata\": {\"name\": \"trusted\"}, \"items\": [1]}";
        assertThat(decoder.decode(list).name()).isEqualTo("trusted");
    }

    @Test
    void anObjectWithoutAUid() {
        Pod pod = (Pod) decoder.decode(TEXT);
        assertThat(pod.uid()).isNotEmpty().isEqualTo(((Pod) decoder.decode(TEXT)).uid());
        assertThat(decoder.decode(TEXT.replace("\"p\"", "\"q\"")).metadata().uid())
                .isNotEqualTo(pod.uid());
        assertThat(decoder.decode(TEXT.replace("\"name\": \"p\"", "\"name\": \"p\", \"uid\": \"u1\""))
                        .metadata()
                        .uid())
                .isEqualTo("u1");
    }

    @Test
    void butNotWhatIsNoObject() {
        assertThatThrownBy(() -> decoder.decode("[1]"))
                .isInstanceOf(ObjectDecodeException.class)
                .hasMessageContaining("(expected: an object)");
        assertThatThrownBy(() -> decoder.decode("{\"kind\": "))
                .isInstanceOf(ObjectDecodeException.class)
                .hasMessageStartingWith("JSON: ");
        assertThatThrownBy(() -> decoder.decode(Map.of("kind", new Object())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a value of java.lang.Object");
    }
}
