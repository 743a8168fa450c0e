// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.DeviceTaintRule;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.model.ResourceSlice;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;

/**
 * Objects of older versions are read as they would be read in the model's. The files are what kube-apiserver 1.36.3, which serves all
 * versions of these kinds, answers to lists of the same objects.
 */
class OlderVersionsTest {
    private static final List<ObjectKind<?>> KINDS = List.of(
            ObjectKind.DEVICE_CLASS,
            ObjectKind.RESOURCE_SLICE,
            ObjectKind.RESOURCE_CLAIM,
            ObjectKind.DEVICE_TAINT_RULE);

    private static List<ObjectNode> trees(String version) throws IOException {
        List<ObjectNode> trees = new ArrayList<>();
        try (var file = OlderVersionsTest.class.getResourceAsStream("older-versions/" + version + ".jsonl")) {
            for (String line : new String(Objects.requireNonNull(file).readAllBytes(), UTF_8).split("\n", -1)) {
                if (!line.isEmpty()) {
                    ObjectStreams.list(
                            new ByteArrayInputStream(line.getBytes(UTF_8)), listed(line, version), trees::add);
                }
            }
        }
        return trees;
    }

    private static ObjectKind<?> listed(String line, String version) {
        return KINDS.stream()
                .filter(kind -> line.startsWith("{\"kind\":\"" + kind.kind() + "List\""))
                .flatMap(kind -> OlderVersions.readable(kind).stream())
                .filter(kind -> kind.apiVersion().endsWith("/" + version))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, ClusterObject> decoded(String version) throws IOException {
        TreeDecoder decoder = new TreeDecoder();
        Map<String, ClusterObject> objects = new LinkedHashMap<>();
        for (ObjectNode tree : trees(version)) {
            ClusterObject object = decoder.decode(tree);
            objects.put(ObjectKind.of(object).kind() + " " + object.key(), object);
        }
        return objects;
    }

    static final List<String> VERSIONS = List.of("v1beta2", "v1beta1");

    @ParameterizedTest
    @FieldSource("VERSIONS")
    void sayTheSame(String version) throws IOException {
        Map<String, ClusterObject> newest = decoded("v1");
        Map<String, ClusterObject> older = decoded(version);

        older.values().removeIf(DeviceTaintRule.class::isInstance);
        assertThat(older).isEqualTo(newest);
        assertThat(newest.values())
                .hasAtLeastOneElementOfType(DeviceClass.class)
                .hasAtLeastOneElementOfType(ResourceClaim.class)
                .hasAtLeastOneElementOfType(ResourceSlice.class);
    }

    @Test
    void sayTheSameOfTaints() throws IOException {
        assertThat(decoded("v1alpha3"))
                .hasSize(1)
                .containsEntry("DeviceTaintRule worn", decoded("v1beta2").get("DeviceTaintRule worn"));
    }

    @Test
    void areWhatIsWrittenToAServerThatHasNothingNewer() throws IOException {
        Map<String, ObjectNode> older = claimsByName("v1beta1");
        claimsByName("v1").forEach((name, claim) -> {
            ObjectNode written = OlderVersions.inVersion(
                    claim, ObjectKind.other("resource.k8s.io/v1beta1", "ResourceClaim", "resourceclaims", true));
            if (name.equals("exact")) {
                assertThat(written.path("spec")).isEqualTo(older.get(name).path("spec"));
            }
            assertThat(new TreeDecoder().decode(written)).isEqualTo(new TreeDecoder().decode(older.get(name)));
        });
    }

    private static Map<String, ObjectNode> claimsByName(String version) throws IOException {
        Map<String, ObjectNode> claims = new LinkedHashMap<>();
        for (ObjectNode tree : trees(version)) {
            if (tree.path("kind").asText().equals("ResourceClaim")) {
                claims.put(tree.at("/metadata/name").asText(), tree);
            }
        }
        return claims;
    }

    static final List<String> REMOVED_SELECTORS =
            List.of("\"deviceClassName\": \"gpu\"", "\"selectors\": [{\"cel\": {\"expression\": \"false\"}}]");

    @ParameterizedTest
    @FieldSource("REMOVED_SELECTORS")
    void doNotTaintMoreDevicesThanTheyMean(String selector) throws IOException {
        ObjectNode rule = ObjectStreams.object(
                "{\"apiVersion\": \"resource.k8s.io/v1alpha3\", \"kind\": \"DeviceTaintRule\", \"metadata\": {\"name\": \"r\"},"
                        + " \"spec\": {\"deviceSelector\": {" + selector + "}, \"taint\": {\"key\": \"k\"}}}");

        assertThatThrownBy(() -> new TreeDecoder().decode(ObjectKind.DEVICE_TAINT_RULE, rule, KeptJson.NONE))
                .isInstanceOf(ObjectDecodeException.class)
                .hasMessageStartingWith("DeviceTaintRule r: spec.deviceSelector.")
                .hasMessageEndingWith("(expected: nothing but driver, pool and device)");
    }
}
