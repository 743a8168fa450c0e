// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.moorage.api.model.OtherObject;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.ObjectTrees;

/**
 * The fields of objects that are written to files, as an allow-list: what scheduling, admission and questions read. The
 * rest, such as environments, commands, parameters of drivers and messages, decides nothing and may hold secrets.
 */
public final class KeptFields {
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    private static final String ANNOTATIONS_TYPE = "Annotations";
    private static final String NO_FIELDS = "none";

    /** The type whose fields are kept of a kind that is not in the list; Moorage reads no such kind. */
    private static final String UNKNOWN_KIND = "Namespace";

    /** Domains whose annotations schedulers, controllers and autoscalers of Kubernetes read. */
    private static final Set<String> DOMAINS = Set.of(
            "batch.kubernetes.io",
            "cluster-autoscaler.kubernetes.io",
            "controller.kubernetes.io",
            "deployment.kubernetes.io",
            "descheduler.alpha.kubernetes.io",
            "pv.kubernetes.io",
            "resource.kubernetes.io",
            "scheduler.alpha.kubernetes.io",
            "scheduling.k8s.io",
            "storage.alpha.kubernetes.io",
            "storageclass.beta.kubernetes.io",
            "storageclass.kubernetes.io",
            "volume.beta.kubernetes.io",
            "volume.kubernetes.io");

    /** Annotations without one of these domains. The last ones are those that plugins of this project read of nodes. */
    private static final Set<String> ANNOTATIONS = Set.of(
            "kubernetes.io/config.mirror",
            "deprecated.daemonset.template.generation",
            "congestion-factor",
            "mean-free-cpu",
            "std-free-cpu",
            "forecasted-free-cpu",
            "forcasted-free-cpu",
            "mean-free-memory",
            "std-free-memory",
            "forecasted-free-memory",
            "forcasted-free-memory",
            "requested-cpu",
            "requested-memory",
            "requested-pods",
            "requested-gpu",
            "requested-ephemeral-storage");

    private static final Map<String, Map<String, String>> FIELDS_BY_TYPE = new HashMap<>();
    private static final Map<String, String> TYPE_BY_KIND = new HashMap<>();

    static {
        load();
    }

    private final List<String> furtherAnnotations;

    /**
     * Creates the allow-list with further annotations.
     *
     * @param furtherAnnotations prefixes of their names; an empty prefix allows all annotations except kubectl's
     *     last-applied configuration
     */
    public KeptFields(List<String> furtherAnnotations) {
        this.furtherAnnotations = List.copyOf(furtherAnnotations);
    }

    private static void load() {
        try (InputStream in =
                        Objects.requireNonNull(KeptFields.class.getResourceAsStream("kept-fields.txt"), "kept-fields");
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            reader.lines().filter(line -> !line.startsWith("#")).forEach(KeptFields::load);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void load(String line) {
        int equals = line.indexOf(" = ");
        if (equals >= 0) {
            TYPE_BY_KIND.put(line.substring(0, equals), line.substring(equals + " = ".length()));
            return;
        }
        int colon = line.indexOf(": ");
        Map<String, String> typeByName = new HashMap<>();
        for (String field : line.substring(colon + ": ".length()).split(" ", -1)) {
            int end = field.indexOf('=');
            typeByName.put(end < 0 ? field : field.substring(0, end), end < 0 ? "" : field.substring(end + 1));
        }
        FIELDS_BY_TYPE.put(line.substring(0, colon), typeByName);
    }

    /** Returns what is kept of an object, in one line. */
    public String text(OtherObject object) {
        ObjectNode tree = ObjectTrees.of(object.json());
        ObjectKey key = ObjectKey.of(tree);
        prune(tree, TYPE_BY_KIND.getOrDefault(key.group() + "/" + key.kind(), UNKNOWN_KIND));
        return tree.toString();
    }

    // The recursion is limited, since the depth of trees is.
    private void prune(JsonNode value, String type) {
        if (value.isArray()) {
            value.forEach(element -> prune(element, type));
        } else if (value instanceof ObjectNode object) {
            if (type.equals(ANNOTATIONS_TYPE)) {
                pruneAnnotations(object);
            } else {
                Map<String, String> kept =
                        type.equals(NO_FIELDS) ? Map.of() : Objects.requireNonNull(FIELDS_BY_TYPE.get(type), type);
                object.retain(kept.keySet());
                for (Map.Entry<String, JsonNode> field : object.properties()) {
                    String ofField = kept.getOrDefault(field.getKey(), "");
                    if (!ofField.isEmpty()) {
                        prune(field.getValue(), ofField);
                    }
                }
            }
        }
    }

    private void pruneAnnotations(ObjectNode annotations) {
        List<String> left = new ArrayList<>();
        annotations.fieldNames().forEachRemaining(left::add);
        left.removeIf(this::isKept);
        annotations.remove(left);
    }

    private boolean isKept(String annotation) {
        String domain = annotation.substring(0, Math.max(0, annotation.indexOf('/')));
        return !annotation.equals(LAST_APPLIED)
                && (DOMAINS.contains(domain)
                        || ANNOTATIONS.contains(annotation)
                        || furtherAnnotations.stream().anyMatch(annotation::startsWith));
    }
}
