// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.moorage.objects.tree.DecodedObjects.NODE;
import static org.moorage.objects.tree.DecodedObjects.POD;
import static org.moorage.objects.tree.DecodedObjects.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Quantity;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;

/** Tests rejected and ignored fields, and values that objects share. */
class TreeDecoderTest {
    private final TreeDecoder decoder = new TreeDecoder();

    @Nested
    class IsLenient {
        @Test
        void ignoresUnknownFieldsEverywhere() {
            ObjectNode pod = tree(POD);
            ObjectNode node = tree(NODE);

            int places = invent(pod) + invent(node);

            assertThat(places).isGreaterThan(40);
            Pod decoded = decoder.pod(pod, KeptJson.NONE);
            Pod plain = decoder.pod(tree(POD), KeptJson.NONE);
            assertThat(decoded.spec()).isEqualTo(plain.spec());
            assertThat(decoded.status()).isEqualTo(plain.status());
            assertThat(decoded.metadata()).isEqualTo(plain.metadata());
            assertThat(decoder.node(node, KeptJson.NONE).allocatable())
                    .isEqualTo(decoder.node(tree(NODE), KeptJson.NONE).allocatable());
        }

        // Maps have no fields: there, every key is known.
        private static final List<String> MAPS = List.of(
                "labels",
                "annotations",
                "requests",
                "limits",
                "overhead",
                "nodeSelector",
                "matchLabels",
                "allocatable",
                "capacity",
                "allocatedResources");

        private static int invent(ObjectNode object) {
            int places = 1;
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                for (JsonNode inner : field.getValue().isArray() ? field.getValue() : List.of(field.getValue())) {
                    if (inner instanceof ObjectNode tree && !MAPS.contains(field.getKey())) {
                        places += invent(tree);
                    }
                }
            }
            object.putObject("inventedObject").put("x", 1);
            object.putArray("inventedList").add(2);
            object.put("inventedText", "y");
            return places;
        }
    }

    @Nested
    class Refuses {
        record Case(String name, String object, String message) {
            @Override
            public String toString() {
                return name;
            }
        }

        static final List<Case> CASES = List.of(
                new Case(
                        "a quantity that is none",
                        "{'kind': 'Pod', 'metadata': {'name': 'web', 'namespace': 'default'},"
                                + " 'spec': {'containers': [{'resources': {'requests': {'cpu': 'abc'}}}]}}",
                        "Pod default/web: spec.containers[0].resources.requests.cpu: \"abc\" (expected: a quantity such as 2, 500m or 1536Mi)"),
                new Case(
                        "a request below 0",
                        "{'kind': 'Pod', 'metadata': {'name': 'web', 'namespace': 'default'},"
                                + " 'spec': {'containers': [{'resources': {'requests': {'cpu': '-1'}}}]}}",
                        "Pod default/web: spec.containers[0].resources.requests.cpu: \"-1\" (expected: a quantity of 0 or more)"),
                new Case(
                        "a limit of an init container below 0",
                        "{'kind': 'Pod', 'metadata': {'name': 'web', 'namespace': 'default'},"
                                + " 'spec': {'initContainers': [{'resources': {'limits': {'memory': '-1Mi'}}}]}}",
                        "Pod default/web: spec.initContainers[0].resources.limits.memory: \"-1Mi\" (expected: a quantity of 0 or more)"),
                new Case(
                        "an overhead below 0",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'overhead': {'cpu': '-100m'}}}",
                        "Pod web: spec.overhead.cpu: \"-100m\" (expected: a quantity of 0 or more)"),
                new Case(
                        "a request of the whole pod below 0",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'resources': {'requests': {'cpu': -1}}}}",
                        "Pod web: spec.resources.requests.cpu: -1 (expected: a quantity of 0 or more)"),
                new Case(
                        "allocated resources below 0",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'status': {'containerStatuses': [{'name': 'c',"
                                + " 'allocatedResources': {'cpu': '-1'}}]}}",
                        "Pod web: status.containerStatuses[0].allocatedResources.cpu: \"-1\" (expected: a quantity of 0 or more)"),
                new Case(
                        "a truth value as a quantity",
                        "{'kind': 'Node', 'metadata': {'name': 'n'}, 'status': {'allocatable': {'cpu': true}}}",
                        "Node n: status.allocatable.cpu: true (expected: a quantity such as 2, 500m or 1536Mi)"),
                new Case(
                        "a text for an object",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': 'x'}",
                        "Pod web: spec: \"x\" (expected: an object)"),
                new Case(
                        "an object for a list",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'tolerations': {'key': 'x'}}}",
                        "Pod web: spec.tolerations: {\"key\":\"x\"} (expected: a list)"),
                new Case(
                        "a null in a list of objects",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'containers': [{}, null]}}",
                        "Pod web: spec.containers[1]: null (expected: an object)"),
                new Case(
                        "a number in a list of texts",
                        "{'kind': 'Node', 'metadata': {'name': 'n'}, 'status': {'images': [{'names': ['a', 1]}]}}",
                        "Node n: status.images[0].names[1]: 1 (expected: a text)"),
                new Case(
                        "a number as a label",
                        "{'kind': 'Node', 'metadata': {'name': 'n', 'labels': {'a/b': 1}}}",
                        "Node n: metadata.labels.a/b: 1 (expected: a text)"),
                new Case(
                        "a text for a truth value",
                        "{'kind': 'Node', 'metadata': {'name': 'n'}, 'spec': {'unschedulable': 'yes'}}",
                        "Node n: spec.unschedulable: \"yes\" (expected: true or false)"),
                new Case(
                        "a number that is not whole",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'priority': 1.5}}",
                        "Pod web: spec.priority: 1.5 (expected: a whole number of at most 32 bits)"),
                new Case(
                        "a number that is too large",
                        "{'kind': 'Pod', 'metadata': {'name': 'web'}, 'spec': {'priority': 3000000000}}",
                        "Pod web: spec.priority: 3000000000 (expected: a whole number of at most 32 bits)"),
                new Case(
                        "a time that is none",
                        "{'kind': 'Pod', 'metadata': {'name': 'web', 'creationTimestamp': 'today'}}",
                        "Pod web: metadata.creationTimestamp: \"today\" (expected: a time such as 2026-11-21T09:30:00Z)"));

        @ParameterizedTest
        @FieldSource("CASES")
        void namesThePlace(Case wrong) {
            ObjectNode object = tree(wrong.object).put("apiVersion", "v1");

            assertThatThrownBy(() -> decoder.decode(object))
                    .isInstanceOf(ObjectDecodeException.class)
                    .hasMessage(wrong.message);
        }

        @Test
        void anObjectThatDoesNotSayItsKind() {
            assertThatThrownBy(() -> decoder.decode(tree("{'apiVersion': 'v1', 'metadata': {'name': 'a'}}")))
                    .isInstanceOf(ObjectDecodeException.class)
                    .hasMessageContaining("kind: nothing (expected: such as Pod)");
        }
    }

    @Nested
    class Shares {
        @Test
        void oneSpecificationAmongThePodsOfATemplate() {
            ObjectNode other = tree(POD);
            ((ObjectNode) other.get("metadata")).put("name", "web-1");
            ((ObjectNode) other.get("spec")).put("nodeName", "n2");

            Pod first = decoder.pod(tree(POD), KeptJson.NONE);
            Pod second = decoder.pod(other, KeptJson.NONE);

            assertThat(second.spec()).isSameAs(first.spec());
            assertThat(second.nodeName()).isEqualTo("n2");
            assertThat(second.labels()).isSameAs(first.labels());
            assertThat(second.namespace()).isSameAs(first.namespace());
            assertThat(second.metadata().ownerReferences())
                    .isSameAs(first.metadata().ownerReferences());
            assertThat(second.status().conditions()).isSameAs(first.status().conditions());
        }

        @Test
        void partsOfSpecificationsThatDiffer() {
            ObjectNode other = tree(POD);
            ((ObjectNode) other.get("spec")).put("priority", 1);

            Pod first = decoder.pod(tree(POD), KeptJson.NONE);
            Pod second = decoder.pod(other, KeptJson.NONE);

            assertThat(second.spec()).isNotEqualTo(first.spec());
            assertThat(second.spec().containers()).isSameAs(first.spec().containers());
            assertThat(second.spec().affinity()).isSameAs(first.spec().affinity());
        }

        @Test
        void imagesAmongNodes() {
            assertThat(decoder.node(tree(NODE), KeptJson.NONE).images())
                    .isSameAs(decoder.node(tree(NODE), KeptJson.NONE).images());
        }
    }

    @Nested
    class ReadsQuantitiesAsKubernetesDoes {
        // The figures are those of k8s.io/apimachinery's resource.ParseQuantity, Value and MilliValue.
        record Case(String text, long value, long milliValue) {}

        static final List<Case> CASES = List.of(
                new Case("1", 1, 1000),
                new Case("0", 0, 0),
                new Case("00", 0, 0),
                new Case("100m", 1, 100),
                new Case("1500m", 2, 1500),
                new Case("0.5", 1, 500),
                new Case(".5", 1, 500),
                new Case("5.", 5, 5000),
                new Case("+5", 5, 5000),
                new Case("1.5Gi", 1610612736L, 1610612736000L),
                new Case("3.3Gi", 3543348020L, 3543348019200L),
                new Case("1Ki", 1024, 1024000),
                new Case("0.1Ki", 103, 102400),
                new Case("123Mi", 128974848L, 128974848000L),
                new Case("100Ti", 109951162777600L, 109951162777600000L),
                new Case("129M", 129000000L, 129000000000L),
                new Case("129e6", 129000000L, 129000000000L),
                new Case("1E3", 1000, 1000000),
                new Case("12e+2", 1200, 1200000),
                new Case("1.5e3", 1500, 1500000),
                new Case("1e-3", 1, 1),
                new Case("1e-10", 1, 1),
                new Case("1P", 1000000000000000L, 1000000000000000000L),
                new Case("0.1n", 1, 1),
                new Case("999u", 1, 1),
                new Case("1.1m", 1, 2),
                new Case("1.0000000001", 2, 1001),
                new Case("2.0000000009Ki", 2049, 2048001),
                new Case("-1.5", -2, -1500),
                new Case("-100m", -1, -100),
                new Case("-.5", -1, -500));

        static final List<String> NONE =
                List.of("", "abc", "1 Gi", "1kk", "1K", "1ki", "1Gib", "0x10", "1_000", "1e", "1e2e", "--1", "1.2.3");

        @ParameterizedTest
        @FieldSource("CASES")
        void amount(Case expected) {
            Quantity quantity = cpu(expected.text);

            assertThat(quantity.value()).isEqualTo(expected.value);
            assertThat(quantity.milliValue()).isEqualTo(expected.milliValue);
        }

        @ParameterizedTest
        @FieldSource("NONE")
        void notAnAmount(String text) {
            assertThatThrownBy(() -> cpu(text)).isInstanceOf(ObjectDecodeException.class);
        }

        private Quantity cpu(String text) {
            ObjectNode node = tree("{'status': {'allocatable': {}}}");
            ((ObjectNode) node.at("/status/allocatable")).put("cpu", text);
            return decoder.node(node, KeptJson.NONE).allocatable().get("cpu");
        }
    }
}
