// SPDX-License-Identifier: Apache-2.0
package org.moorage.clienttests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.util.ModelMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Quantity;
import org.moorage.clientjava.ClientJavaModels;
import org.moorage.fabric8.Fabric8Models;
import org.moorage.objects.decode.ObjectDecoder;

/**
 * Objects that pass through the model of another client decode to the same objects, for the objects of the recorded
 * decisions. A decision depends on the decoded objects alone, and the conformance tests compare the decisions. Objects
 * with a field that the model lacks are skipped; {@code docs/extend/embedding.md} lists those fields. One case in ten
 * is compared; {@code -Dtests.every=1} compares all.
 */
@Tag("any-jvm")
class ModelVectorsTest {
    private static final Path VECTORS = Path.of(System.getProperty("basedir", "."), "..", "conformance", "vectors");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final JsonMapper SORTED = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();
    private static final int EVERY = Integer.getInteger("tests.every", 10);
    private static final ObjectDecoder DECODER = new ObjectDecoder();
    private static final int SHOWN_DIFFERENCES = 20;
    private static final Set<String> NOT_VALUES = Set.of("json", "toBuilder", "toString");

    private enum Client {
        CLIENT_JAVA {
            @Override
            Map<String, ?> throughModel(ObjectNode object) {
                Class<?> model = ModelMapper.preBuiltGetApiTypeClass(group(object), version(object), kind(object));
                return model == null ? Map.of() : JAVA.fields((KubernetesObject) JAVA.model(object.toString(), model));
            }

            // The scheduler watches these kinds itself, since the models lack fields of them.
            @Override
            Set<String> watched() {
                return Set.of("ResourceSlice", "ResourceClaim");
            }

            @Override
            Set<String> missingFields() {
                return Set.of(
                        "Node.spec.podPreemptionPolicy",
                        "Pod.status.nodeAllocatableResourceClaimStatuses[].mapping",
                        "Pod.status.nodeAllocatableResourceClaimStatuses[].overhead");
            }
        },
        FABRIC8 {
            @Override
            Map<String, ?> throughModel(ObjectNode object) {
                return FABRIC8_MODELS.fields(FABRIC8_MODELS.model(object.toString(), HasMetadata.class));
            }

            @Override
            Set<String> watched() {
                return Set.of();
            }

            @Override
            Set<String> missingFields() {
                return Set.of();
            }
        };

        private static final ClientJavaModels JAVA = new ClientJavaModels();
        private static final Fabric8Models FABRIC8_MODELS = new Fabric8Models(new KubernetesSerialization());

        /** The fields of the object's model; empty if there is none. */
        abstract Map<String, ?> throughModel(ObjectNode object);

        /** Kinds that are not read from informers although the client has models of them. */
        abstract Set<String> watched();

        /** Fields that the models of the other kinds lack, as paths. */
        abstract Set<String> missingFields();
    }

    private static String group(ObjectNode object) {
        String apiVersion = object.path("apiVersion").asText();
        return apiVersion.substring(0, Math.max(0, apiVersion.indexOf('/')));
    }

    private static String version(ObjectNode object) {
        String apiVersion = object.path("apiVersion").asText();
        return apiVersion.substring(apiVersion.indexOf('/') + 1);
    }

    private static String kind(ObjectNode object) {
        return object.path("kind").asText();
    }

    @ParameterizedTest
    @EnumSource
    void decodedObjectsAreEqual(Client client) throws IOException {
        Set<String> seen = new HashSet<>();
        Set<String> lost = new TreeSet<>();
        Set<String> omitted = new TreeSet<>();
        List<String> different = new ArrayList<>();
        long equal = 0;
        long unequal = 0;
        for (Path file : files()) {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), UTF_8))) {
                long number = 0;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (number++ % EVERY != 0) {
                        continue;
                    }
                    for (JsonNode object : JSON.readTree(line).path("objects")) {
                        ObjectNode original = (ObjectNode) object;
                        if (client.watched().contains(kind(original)) || !seen.add(original.toString())) {
                            continue;
                        }
                        Map<String, ?> fields = client.throughModel(original);
                        if (fields.isEmpty()) {
                            continue;
                        }
                        if (values(DECODER.decode(fields)).equals(values(DECODER.decode(original.toString())))) {
                            equal++;
                            continue;
                        }
                        unequal++;
                        JsonNode after = JSON.valueToTree(fields);
                        Set<String> lostHere = new TreeSet<>();
                        compare(kind(original), original, after, lostHere);
                        lost.addAll(lostHere);
                        if (lostHere.isEmpty()) {
                            omit(kind(original), original, after, omitted);
                            List<Object> decoded = values(DECODER.decode(sorted(fields)));
                            List<Object> expected = values(DECODER.decode(sorted(original)));
                            if (!decoded.equals(expected) && different.size() < SHOWN_DIFFERENCES) {
                                different.add(
                                        "%s%n  expected %s%n  but was  %s".formatted(original, expected, decoded));
                            }
                        }
                    }
                }
            }
        }
        System.out.println(client + ": " + equal + " objects are equal, " + unequal
                + " differ in fields that the models lack " + lost + " or that are empty " + omitted);
        assertThat(different).isEmpty();
        assertThat(equal).isGreaterThan(100_000 / EVERY);
        assertThat(unequal).isLessThan(equal * 3 / 100);
        assertThat(client.missingFields()).containsAll(lost);
        assertThat(EVERY > 1 || lost.equals(client.missingFields()))
                .as("all of %s are found", client.missingFields())
                .isTrue();
    }

    // Removes fields that are empty before and absent after. An API server does not send them either.
    private static void omit(String place, JsonNode before, JsonNode after, Set<String> omitted) {
        if (before instanceof ObjectNode fields) {
            for (String name : List.copyOf(fields.properties()).stream()
                    .map(Map.Entry::getKey)
                    .toList()) {
                JsonNode value = fields.path(name);
                if (isEmpty(value) && after.path(name).isMissingNode()) {
                    fields.remove(name);
                    omitted.add(place + "." + name + ": {}");
                } else {
                    omit(place + "." + name, value, after.path(name), omitted);
                }
            }
        } else {
            for (int i = 0; i < before.size(); i++) {
                omit(place + "[]", before.get(i), after.path(i), omitted);
            }
        }
    }

    // The decoder keeps some fields as text, in the order of their keys.
    private static String sorted(Object fields) throws JsonProcessingException {
        return SORTED.writeValueAsString(SORTED.convertValue(fields, Map.class));
    }

    // Pods, nodes and volumes are compared by identity, so the values of their methods are compared instead.
    private static List<Object> values(ClusterObject object) {
        if (object.getClass().isRecord()) {
            return List.of(object);
        }
        List<Object> values = new ArrayList<>();
        for (Method method : object.getClass().getMethods()) {
            if (method.getDeclaringClass() == object.getClass()
                    && method.getParameterCount() == 0
                    && !Modifier.isStatic(method.getModifiers())
                    && method.getReturnType() != object.getClass()
                    && !NOT_VALUES.contains(method.getName())) {
                try {
                    values.add(method.getName());
                    values.add(method.invoke(object));
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(method.toString(), e);
                }
            }
        }
        assertThat(values).as("values of %s", object).hasSizeGreaterThan(5);
        return values;
    }

    private static void compare(String place, JsonNode before, JsonNode after, Set<String> lost) {
        if (before.isObject() && after.isObject()) {
            before.properties().forEach(field -> {
                if (!isEmpty(field.getValue())) {
                    compare(place + "." + field.getKey(), field.getValue(), after.path(field.getKey()), lost);
                }
            });
        } else if (before.isArray() && after.size() == before.size()) {
            for (int i = 0; i < before.size(); i++) {
                compare(place + "[]", before.get(i), after.get(i), lost);
            }
        } else if (before.isContainerNode()
                || !before.asText().equals(after.asText()) && !isSameAmount(before, after)) {
            lost.add(place);
        }
    }

    // Absent and empty are one for lists, maps and null.
    private static boolean isEmpty(JsonNode value) {
        return value.isNull() || value.isContainerNode() && value.isEmpty();
    }

    private static boolean isSameAmount(JsonNode before, JsonNode after) {
        try {
            return !after.isMissingNode() && Quantity.parse(before.asText()).equals(Quantity.parse(after.asText()));
        } catch (IllegalArgumentException noQuantity) {
            return false;
        }
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(VECTORS)) {
            return files.filter(file -> file.toString().matches(".*/(decisions/.*|groups)\\.jsonl\\.gz"))
                    .sorted()
                    .toList();
        }
    }
}
