// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.simulation.internal.admission.Defaulting;

final class DefaultingTest {

    private static final Path VECTORS = Path.of(System.getProperty("basedir", "."), "vectors");
    private static final YAMLMapper YAML = new YAMLMapper();

    /** An object, and its form after defaulting by kube-apiserver v1.37.2's own code. */
    record Vector(String name, ObjectNode in, JsonNode out) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Vector> vectors() throws IOException {
        List<Vector> vectors = new ArrayList<>();
        for (String file : List.of("defaults.jsonl.gz", "defaults-extra.jsonl.gz")) {
            try (InputStream in = Files.newInputStream(VECTORS.resolve(file));
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(new GZIPInputStream(in), StandardCharsets.UTF_8))) {
                int number = 1;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    JsonNode vector = YAML.readTree(line);
                    ObjectNode object = (ObjectNode) vector.path("in");
                    String name =
                            file + ":" + number++ + " " + ObjectKey.of(object).title();
                    vectors.add(new Vector(name, object, vector.path("out")));
                }
            }
        }
        return vectors;
    }

    /**
     * A pod that says something of its resources as a whole, and the request for cpu that it has in the end.
     *
     * @param off the gate that is off; empty for none
     */
    record WholePod(String name, String resources, String off, boolean isNew, String cpu) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<WholePod> wholePods() {
        String limits = "{limits: {cpu: 2}}";
        String requests = "{requests: {memory: 1Gi}}";
        String none = "";
        String fix = FeatureGates.POD_LEVEL_RESOURCES_FIX_DEFAULTING;
        return Stream.of(
                new WholePod("limits say what a new pod requests", limits, none, true, "1"),
                new WholePod("a new pod requests what its containers do", requests, none, true, "1"),
                new WholePod("before admission nothing is filled in", limits, none, false, ""),
                new WholePod("as by 1.36, limits say it at once", limits, fix, false, "1"),
                new WholePod("as by 1.36, only limits do", requests, fix, true, ""),
                new WholePod(
                        "without the feature nothing is filled in",
                        limits,
                        FeatureGates.POD_LEVEL_RESOURCES,
                        true,
                        ""));
    }

    @ParameterizedTest
    @MethodSource("wholePods")
    void fillsInRequestsOfThePodAsAWhole(WholePod c) throws IOException {
        ObjectNode pod =
                (ObjectNode) YAML.readTree("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {resources: "
                        + c.resources + ", containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}}");
        FeatureGates gates = c.off.isEmpty() ? FeatureGates.DEFAULTS : FeatureGates.DEFAULTS.with(c.off, false);

        if (c.isNew) {
            Defaulting.applyToNew(pod, gates);
        } else {
            Defaulting.apply(pod, gates);
        }

        assertThat(pod.at("/spec/resources/requests/cpu").asText()).isEqualTo(c.cpu);
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void changesNothingTheSecondTime(Vector vector) {
        ObjectNode once = vector.in().deepCopy();
        Defaulting.apply(once);
        ObjectNode twice = once.deepCopy();

        Defaulting.apply(twice);

        assertThat(twice).isEqualTo(once);
    }

    record Case(String name, String in, String out) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        "a kind that no API server knows is left alone",
                        "{apiVersion: example.org/v1, kind: Pod, spec: {containers: 3}}",
                        "{apiVersion: example.org/v1, kind: Pod, spec: {containers: 3}}"),
                new Case("an object without a kind is left alone", "{spec: {}}", "{spec: {}}"),
                new Case(
                        "a person's notation of a quantity is kept",
                        "{apiVersion: v1, kind: Node, status: {capacity: {memory: 1.5Gi, cpu: 2}}}",
                        "{apiVersion: v1, kind: Node, status: {capacity: {memory: 1.5Gi, cpu: 2}, allocatable: {memory: 1.5Gi, cpu: 2}}}"),
                new Case(
                        "an empty allocatable is not filled in",
                        "{apiVersion: v1, kind: Node, status: {capacity: {cpu: 1}, allocatable: {}}}",
                        "{apiVersion: v1, kind: Node, status: {capacity: {cpu: 1}, allocatable: {}}}"),
                new Case(
                        "a resource finer than a thousandth is rounded up, and a large one is not touched",
                        "{apiVersion: v1, kind: Node, status: {allocatable: {cpu: 100u, memory: 1Ei}}}",
                        "{apiVersion: v1, kind: Node, status: {allocatable: {cpu: 1m, memory: 1Ei}}}"),
                new Case(
                        "a device taint gets no time",
                        "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, spec: {devices: [{taints: [{key: a}]}]}}",
                        "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, spec: {devices: [{taints: [{key: a}]}]}}"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void defaults(Case given) throws IOException {
        ObjectNode object = (ObjectNode) YAML.readTree(given.in());

        Defaulting.apply(object);

        assertThat(DefaultsComparison.differences(object, YAML.readTree(given.out())))
                .isEmpty();
    }

    static Stream<Case> malformed() {
        return Stream.of(
                new Case(
                        "a spec that is no object",
                        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}, spec: 3}",
                        "Pod b/a: spec: 3 (expected: an object)"),
                new Case(
                        "containers that are no list",
                        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: {name: c}}}",
                        "Pod a: spec.containers: {\"name\":\"c\"} (expected: a list)"),
                new Case(
                        "a container that is no object",
                        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{}, c]}}",
                        "Pod a: spec.containers[1]: \"c\" (expected: an object)"),
                new Case(
                        "a limit that is no quantity",
                        "{apiVersion: v1, kind: Pod, spec: {containers: [{resources: {limits: {cpu: 2x}}}]}}",
                        "Pod (unnamed): spec.containers[0].resources.limits.cpu: \"2x\" (expected: a quantity such as 2, 500m or 1536Mi)"),
                new Case(
                        "a capacity that is true",
                        "{apiVersion: v1, kind: Node, metadata: {name: 'n'}, status: {capacity: {cpu: true}}}",
                        "Node n: status.capacity.cpu: true (expected: a quantity such as 2, 500m or 1536Mi)"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void refusesWhatTheApiServerWould(Case given) throws IOException {
        ObjectNode object = (ObjectNode) YAML.readTree(given.in());

        assertThatThrownBy(() -> Defaulting.apply(object))
                .isInstanceOf(ClusterFileException.class)
                .hasMessage(given.out());
    }

    @Test
    void requestsFromLimitsAreTheirOwnObject() throws IOException {
        ObjectNode pod = (ObjectNode)
                YAML.readTree("{apiVersion: v1, kind: Pod, spec: {containers: [{resources: {limits: {cpu: 1}}}]}}");

        Defaulting.apply(pod);
        JsonNode resources = pod.path("spec").path("containers").path(0).path("resources");

        assertThat(resources.path("requests"))
                .isEqualTo(resources.path("limits"))
                .isNotSameAs(resources.path("limits"));
    }
}
