// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

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
 * Objects of other versions are read as they would be read in the model's. The files are what kube-apiserver 1.36.3,
 * which serves all versions of these kinds, answers to lists of the same objects.
 */
class KindVersionsTest {
    private static final List<ObjectKind<?>> KINDS = List.of(
            ObjectKind.DEVICE_CLASS,
            ObjectKind.RESOURCE_SLICE,
            ObjectKind.RESOURCE_CLAIM,
            ObjectKind.DEVICE_TAINT_RULE);

    private static List<ObjectNode> trees(String version) throws IOException {
        List<ObjectNode> trees = new ArrayList<>();
        try (var file = KindVersionsTest.class.getResourceAsStream("older-versions/" + version + ".jsonl")) {
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
                .flatMap(kind -> KindVersions.readable(kind).stream())
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
            ObjectNode written = KindVersions.inVersion(
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

    /**
     * A version of a kind.
     *
     * @param known the version of the model that it is read as, or itself
     */
    record Version(String apiVersion, String kind, String known) {}

    static final List<Version> KNOWN = List.of(
            new Version("scheduling.k8s.io/v1", "PodGroup", "scheduling.k8s.io/v1beta1"),
            new Version("scheduling.k8s.io/v1beta2", "PodGroup", "scheduling.k8s.io/v1beta1"),
            new Version("scheduling.k8s.io/v1beta1", "PodGroup", "scheduling.k8s.io/v1beta1"),
            new Version("scheduling.k8s.io/v1alpha3", "PodGroup", "scheduling.k8s.io/v1beta1"),
            new Version("scheduling.k8s.io/v1alpha2", "PodGroup", "scheduling.k8s.io/v1alpha2"),
            new Version("scheduling.k8s.io/v1", "CompositePodGroup", "scheduling.k8s.io/v1alpha3"),
            new Version("scheduling.x-k8s.io/v1", "PodGroup", "scheduling.x-k8s.io/v1"),
            new Version("resource.k8s.io/v2alpha1", "ResourceSlice", "resource.k8s.io/v1"),
            new Version("resource.k8s.io/v10", "ResourceSlice", "resource.k8s.io/v1"),
            new Version("resource.k8s.io/v1alpha2", "ResourceSlice", "resource.k8s.io/v1alpha2"),
            new Version("resource.k8s.io/next", "ResourceSlice", "resource.k8s.io/next"),
            new Version("apps/v1beta2", "ReplicaSet", "apps/v1beta2"),
            new Version("v2", "Node", "v1"),
            new Version("", "Node", ""));

    @ParameterizedTest
    @FieldSource("KNOWN")
    void newerOnesAreReadAsTheModels(Version version) {
        assertThat(KindVersions.known(version.apiVersion, version.kind)).isEqualTo(version.known);
    }

    @Test
    void areAskedForNewestFirst() {
        assertThat(KindVersions.readable(ObjectKind.POD_GROUP))
                .extracting(ObjectKind::apiVersion)
                .containsExactly("scheduling.k8s.io/v1", "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3");
        assertThat(KindVersions.readable(ObjectKind.other("scheduling.k8s.io/v1beta1", "Workload", "workloads", true)))
                .extracting(ObjectKind::apiVersion)
                .startsWith("scheduling.k8s.io/v1");
        assertThat(KindVersions.readable(ObjectKind.POD)).containsExactly(ObjectKind.POD);
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
