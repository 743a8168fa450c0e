// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Pod;
import org.moorage.objects.KeptJson;
import org.moorage.objects.tree.TreeDecoder;
import org.yaml.snakeyaml.Yaml;

/** The vectors of {@code vectors.yaml}, as objects that were read from the API server's JSON. */
final class Vectors {
    private static final ObjectMapper JSON = new JsonMapper();
    private static final String ANNOTATION = "scheduler.alpha.kubernetes.io/name";

    private Vectors() {}

    /**
     * A pod in a cluster, and the expected result.
     *
     * @param id its name
     * @param original whether the policy has its original's faults
     * @param cluster the cluster
     * @param pod the pod
     * @param fit the fit document; empty if it is undefined
     * @param chosen the nodes of which the pod gets one; none if it gets none
     */
    record Case(
            String id,
            boolean original,
            List<ClusterObject> cluster,
            Pod pod,
            Optional<Map<String, Double>> fit,
            List<String> chosen) {
        @Override
        public String toString() {
            return id + (original ? ", originalBehavior" : "");
        }
    }

    static List<Case> all() {
        JsonNode vectors = read();
        List<Case> cases = new ArrayList<>();
        for (JsonNode entry : vectors.path("cases")) {
            for (boolean original : List.of(true, false)) {
                cases.add(new Case(
                        entry.path("id").asText(),
                        original,
                        cluster(vectors.path("clusters")
                                .path(entry.path("cluster").asText())),
                        decode(pod(entry), Pod.class),
                        fit(entry.path(original ? "original" : "repaired")),
                        chosen(entry, original)));
            }
        }
        return cases;
    }

    private static JsonNode read() {
        try (InputStream in = Vectors.class.getResourceAsStream("/vectors.yaml")) {
            // Jackson does not follow aliases.
            return JSON.valueToTree(new Yaml().<Object>load(in)).path("vectors");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<ClusterObject> cluster(JsonNode cluster) {
        List<ClusterObject> objects = new ArrayList<>();
        for (JsonNode list : cluster) {
            for (JsonNode object : list) {
                objects.add(decode((ObjectNode) object, ClusterObject.class));
            }
        }
        return objects;
    }

    static <T extends ClusterObject> T decode(ObjectNode object, Class<T> type) {
        return type.cast(
                new TreeDecoder().decode(TreeDecoder.kindOf(object), object.deepCopy(), EnumSet.allOf(KeptJson.class)));
    }

    private static ObjectNode pod(JsonNode entry) {
        ObjectNode pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata")
                .put("name", "p")
                .put("namespace", "default")
                .put("uid", "p");
        metadata.set(
                "labels",
                entry.path("labels").isObject()
                        ? entry.path("labels")
                        : JSON.createObjectNode().put("app", "nginx"));
        metadata.set(
                "annotations",
                entry.path("annotations").isObject()
                        ? entry.path("annotations")
                        : JSON.createObjectNode().put(ANNOTATION, "experimental"));
        ObjectNode spec = pod.putObject("spec").put("schedulerName", "default-scheduler");
        ObjectNode container =
                spec.putArray("containers").addObject().put("name", "c").put("image", "i");
        container.putObject("resources").set("requests", entry.path("requests"));
        if (entry.has("hostPort")) {
            ArrayNode ports = container.putArray("ports");
            ports.addObject()
                    .put("containerPort", 80)
                    .put("hostPort", entry.path("hostPort").asInt());
        }
        if (entry.has("nodeSelector")) {
            spec.set("nodeSelector", entry.path("nodeSelector"));
        }
        if (entry.has("volumes")) {
            spec.set("volumes", entry.path("volumes"));
        }
        return pod;
    }

    private static Optional<Map<String, Double>> fit(JsonNode expected) {
        if (!expected.isObject()) {
            return Optional.empty();
        }
        Map<String, Double> fit = new TreeMap<>();
        expected.properties()
                .forEach(entry -> fit.put(entry.getKey(), entry.getValue().asDouble()));
        return Optional.of(fit);
    }

    private static List<String> chosen(JsonNode entry, boolean original) {
        JsonNode own = entry.path("repairedChosen");
        List<String> nodes = new ArrayList<>();
        (original || own.isMissingNode() ? entry.path("chosen") : own).forEach(node -> nodes.add(node.asText()));
        return nodes;
    }
}
