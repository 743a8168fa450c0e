// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.util.ModelMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.api.model.Quantity;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.builtin.BuiltinPlugins;
import org.moorage.builtin.dra.DynamicResources;
import org.moorage.clientjava.ClientJavaModels;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.conformance.CaseResult.Correctness;
import org.moorage.conformance.ConformReport;
import org.moorage.conformance.Conformance;
import org.moorage.conformance.ResultCounts;
import org.moorage.fabric8.Fabric8Models;

/**
 * The recorded decisions, and those about groups, asked about objects that went through the models of other clients. {@code
 * docs/embedding.md} lists the fields that a model cannot say; cases with such a field are left out.
 */
@Tag("any-jvm")
class ModelVectorsTest {
    private static final Path VECTORS = Path.of(System.getProperty("basedir", "."))
            .resolveSibling("conformance")
            .resolve("vectors");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final int SHOWN_DIFFERENCES = 20;

    private enum Client {
        CLIENT_JAVA {
            @Override
            Map<String, ?> throughModel(ObjectNode object) {
                Class<?> model = ModelMapper.preBuiltGetApiTypeClass(group(object), version(object), kind(object));
                return model == null ? Map.of() : JAVA.fields((KubernetesObject) JAVA.model(object.toString(), model));
            }

            // Those that the models cannot say are not taken from informers.
            @Override
            Set<String> watched() {
                return Set.of("ResourceSlice", "ResourceClaim");
            }

            @Override
            Set<String> cannotSay() {
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
            Set<String> cannotSay() {
                return Set.of();
            }
        };

        private static final ClientJavaModels JAVA = new ClientJavaModels();
        private static final Fabric8Models FABRIC8_MODELS = new Fabric8Models(new KubernetesSerialization());

        /** The fields of the object's model; empty if there is none. */
        abstract Map<String, ?> throughModel(ObjectNode object);

        /** The kinds that are watched although there are models. */
        abstract Set<String> watched();

        /** What the models of the others cannot say, by its place in an object. */
        abstract Set<String> cannotSay();
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
    void nothingIsWrong(Client client, @TempDir Path folder) throws IOException {
        Conformance conformance = new Conformance(plugins());
        StringWriter text = new StringWriter();
        ConformReport report = new ConformReport(new PrintWriter(text), SHOWN_DIFFERENCES);
        Set<String> lost = new TreeSet<>();
        long cases = 0;
        long asked = 0;
        long right = 0;
        long wrong = 0;
        for (Path file : files()) {
            Path through = folder.resolve(file.getFileName().toString().replace(".gz", ""));
            try (BufferedReader lines = new BufferedReader(
                            new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), UTF_8));
                    Writer out = Files.newBufferedWriter(through)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    ObjectNode vector = (ObjectNode) JSON.readTree(line);
                    cases++;
                    if (throughModels(vector, client, lost)) {
                        asked++;
                        out.write(vector + "\n");
                    }
                }
            }
            ResultCounts counts =
                    conformance.check(through.toString(), InputStream.nullInputStream(), name -> true, report::result);
            right += counts.count(Correctness.RIGHT);
            wrong += counts.count(Correctness.WRONG);
        }
        System.out.println(client + ": " + cases + " cases, " + asked + " asked, " + right + " right, " + wrong
                + " wrong; the models cannot say " + lost);
        assertThat(wrong).as("wrong%n%s", text).isZero();
        assertThat(right).isEqualTo(asked);
        assertThat(asked).isGreaterThan(cases * 97 / 100);
        assertThat(lost).isEqualTo(client.cannotSay());
    }

    // Whether the models can say all objects of a case; those of kinds that are taken from informers are then as the
    // models say them.
    private static boolean throughModels(ObjectNode vector, Client client, Set<String> lost) {
        ArrayNode objects = (ArrayNode) vector.path("objects");
        Set<String> lostHere = new TreeSet<>();
        for (int i = 0; i < objects.size(); i++) {
            ObjectNode object = (ObjectNode) objects.get(i);
            Map<String, ?> fields = client.watched().contains(kind(object)) ? Map.of() : client.throughModel(object);
            if (!fields.isEmpty()) {
                JsonNode after = JSON.valueToTree(fields);
                compare(kind(object), object, after, lostHere);
                objects.set(i, after);
            }
        }
        lost.addAll(lostHere);
        return lostHere.isEmpty();
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

    private static PluginRegistry plugins() {
        List<PluginFactory<?>> factories = new ArrayList<>(BuiltinPlugins.all());
        factories.add(DynamicResources.factory());
        return PluginRegistry.of(factories);
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(VECTORS)) {
            return files.filter(file -> file.toString().matches(".*/(decisions/.*|groups)\\.jsonl\\.gz"))
                    .sorted()
                    .toList();
        }
    }
}
