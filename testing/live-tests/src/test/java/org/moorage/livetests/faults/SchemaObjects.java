// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.model.ObjectKind;
import org.moorage.livetests.scene.ApiAccess;

/**
 * Generates random objects from the schema that the API server serves, and corrects the fields that the server rejects
 * until it accepts the objects. Their contents are valid for the server but unusual.
 */
final class SchemaObjects {
    /** The namespace of the generated objects. */
    static final String NAMESPACE = "strange";
    /** The kinds of the model except groups of pods, which a server serves only if configured. */
    static final List<ObjectKind<?>> KINDS = ObjectKind.TYPED.stream()
            .filter(kind -> !kind.group().equals(ObjectKind.POD_GROUP.group()))
            .toList();

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int MOST_MENDS = 15;
    private static final int NAMES = 40;

    /** Fields that the server sets, or names of objects. */
    private static final Set<String> NOT_SENT = Set.of(
            "metadata.name",
            "metadata.namespace",
            "metadata.generateName",
            "metadata.selfLink",
            "metadata.uid",
            "metadata.resourceVersion",
            "metadata.creationTimestamp",
            "metadata.deletionTimestamp",
            "metadata.deletionGracePeriodSeconds",
            "metadata.managedFields",
            // Admission requires that these match objects of other kinds.
            "spec.priority",
            "spec.priorityClassName",
            "spec.preemptionPolicy",
            "spec.runtimeClassName",
            "spec.overhead");

    private static final List<String> STRINGS = List.of(
            "",
            " ",
            "null",
            "0",
            "-1",
            "1e400",
            "A_",
            "\u00e9\u2028\ud83d\ude00",
            "a\nb\u001b[31m\u0007",
            "{\"a\": [1}",
            "%s{}\\",
            "../..",
            "x".repeat(63),
            "x".repeat(253),
            "x".repeat(20_000));
    private static final List<String> TAME = List.of(
            "a",
            "x1",
            "example.com/a",
            "/a",
            "10.0.0.1",
            "1",
            "a.example.com",
            "In",
            "kubernetes.io/hostname",
            "aaa=",
            "x".repeat(63));
    private static final List<String> KEYS = List.of(
            "app",
            "x1",
            "example.com/a",
            "kubernetes.io/hostname",
            "topology.kubernetes.io/zone",
            "x".repeat(63),
            "A.b_c");
    private static final List<String> RESOURCES = List.of(
            "cpu", "memory", "ephemeral-storage", "pods", "storage", "example.com/gpu", "hugepages-2Mi", "cpu.x");
    private static final List<String> QUANTITIES = List.of(
            "0",
            "1",
            "100m",
            "1Gi",
            "1.5Ei",
            "10E",
            "1e3",
            "+1",
            ".5",
            "1.",
            "000001",
            "1n",
            "0.0000000001",
            "1e-100000",
            "1e100000",
            "9223372036854775807",
            "9223372036854775808",
            "123456789012345678901234567890.123",
            "-1",
            "-1e100000");
    private static final List<Long> INTS =
            List.of(0L, 1L, 2L, 3L, 7L, 80L, 1000L, 65535L, -1L, (long) Integer.MAX_VALUE, (long) Integer.MIN_VALUE);
    private static final List<Long> LONGS = List.of(1L << 53, (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE);
    private static final List<String> TIMES = List.of(
            "0001-01-01T00:00:00Z",
            "0000-01-02T00:00:00Z",
            "1970-01-01T00:00:00Z",
            "1969-12-31T23:59:59.999999999Z",
            "2026-02-28T23:59:59+14:00",
            "9999-12-31T23:59:59Z");
    private static final Pattern EXAMPLE = Pattern.compile("(?:e\\.g\\. |or )'?([^' ,)]+)");
    private static final Pattern SUPPORTED = Pattern.compile("supported values: (.*)");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
    private static final Pattern TOKEN = Pattern.compile("\\[([^\\]]*)\\]|([^.\\[]+)");

    private final ApiAccess api;
    private final Random random;
    private final Map<String, JsonNode> schemas = new HashMap<>();
    private final Map<ObjectKind<?>, JsonNode> schemaByKind = new HashMap<>();
    private final Map<ObjectKind<?>, Integer> made = new HashMap<>();
    private final Map<String, Integer> refusals = new HashMap<>();
    private final double density;
    private boolean isTame;

    /**
     * Creates a generator for some kinds, all of which the server must serve.
     *
     * @param density the probability of an optional field; with 0, objects are as small as the server accepts
     */
    SchemaObjects(ApiAccess api, List<ObjectKind<?>> kinds, Random random, double density) {
        this.api = api;
        this.random = random;
        this.density = density;
        isTame = density == 0;
        for (ObjectKind<?> kind : kinds) {
            String document = "/openapi/v3" + groupPath(kind);
            api.get(document).at("/components/schemas").properties().forEach(schema -> {
                schemas.put("#/components/schemas/" + schema.getKey(), schema.getValue());
                if (isOf(kind, schema.getValue())) {
                    schemaByKind.put(kind, schema.getValue());
                }
            });
        }
        api.create("/api/v1/namespaces", "{\"metadata\": {\"name\": \"" + NAMESPACE + "\"}}");
    }

    private static boolean isOf(ObjectKind<?> kind, JsonNode schema) {
        for (JsonNode of : schema.path("x-kubernetes-group-version-kind")) {
            String group = of.path("group").asText();
            String version =
                    (group.isEmpty() ? "" : group + "/") + of.path("version").asText();
            if (version.equals(kind.apiVersion()) && of.path("kind").asText().equals(kind.kind())) {
                return true;
            }
        }
        return false;
    }

    private static String groupPath(ObjectKind<?> kind) {
        return (kind.group().isEmpty() ? "/api/" : "/apis/") + kind.apiVersion();
    }

    /** Returns the path of all generated objects of a kind. */
    static String path(ObjectKind<?> kind) {
        return groupPath(kind) + (kind.namespaced() ? "/namespaces/" + NAMESPACE : "") + "/" + kind.plural();
    }

    /** Returns the number of abandoned objects by reason. */
    Map<String, Integer> refusals() {
        return Map.copyOf(refusals);
    }

    /** Creates an object with a status; empty if the server rejects it after all corrections. */
    Optional<String> create(ObjectKind<?> kind) {
        Optional<String> created = create(kind, generate(kind));
        created.ifPresent(path -> {
            JsonNode status = schemaByKind.get(kind).at("/properties/status");
            if (!status.isMissingNode() && random.nextDouble() < density) {
                ObjectNode patch = NODES.objectNode();
                patch.set("status", value(status, "status", 0));
                send(kind, "PATCH", path + "/status", patch);
            }
        });
        return created;
    }

    /** Like {@link #create(ObjectKind)}, from an object that {@link #generate} returned. */
    Optional<String> create(ObjectKind<?> kind, ObjectNode object) {
        String name = object.at("/metadata/name").asText();
        return send(kind, "POST", path(kind), object) ? Optional.of(path(kind) + "/" + name) : Optional.empty();
    }

    /** Returns an object that the server may reject. */
    ObjectNode generate(ObjectKind<?> kind) {
        // All kinds have the same names, so that many references find an object.
        String name = "x" + made.merge(kind, 1, Integer::sum);
        ObjectNode object =
                NODES.objectNode().put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
        ObjectNode metadata = object.putObject("metadata");
        JsonNode schema = schemaByKind.get(kind);
        for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
            if (field.getKey().equals("metadata")) {
                metadata.setAll((ObjectNode) value(field.getValue(), "metadata", 1));
            } else if (!object.has(field.getKey()) && (density > 0 || isRequired(schema, field.getKey()))) {
                object.set(field.getKey(), value(field.getValue(), field.getKey(), 0));
            }
        }
        metadata.put("name", name);
        if (!inner(inner(schema, "spec"), "template").isMissingNode()) {
            // Correcting only one of the two fields cannot make them match.
            object.withObject("/spec/template/metadata/labels").removeAll().put("app", "x1");
            boolean isPlain = kind.equals(ObjectKind.REPLICATION_CONTROLLER);
            object.withObject("/spec/selector")
                    .removeAll()
                    .withObject(isPlain ? "" : "/matchLabels")
                    .put("app", "x1");
        }
        if (kind.namespaced()) {
            metadata.put("namespace", NAMESPACE);
        }
        if (random.nextDouble() < density) {
            metadata.set("managedFields", managedFields(kind.apiVersion(), strangeFields()));
        }
        return object;
    }

    /** Returns an object's only entry of managed fields. */
    static ArrayNode managedFields(String apiVersion, String fields) {
        ArrayNode entries = NODES.arrayNode();
        entries.addObject()
                .put("manager", "m")
                .put("operation", "Update")
                .put("apiVersion", apiVersion)
                .put("time", "2026-01-01T00:00:00Z")
                .put("fieldsType", "FieldsV1")
                .putRawValue("fieldsV1", new RawValue(fields));
        return entries;
    }

    /** Returns nested fields. */
    static String nested(int levels, String open, String innermost, String close) {
        return open.repeat(levels) + innermost + close.repeat(levels);
    }

    private String strangeFields() {
        return switch (random.nextInt(4)) {
            case 0 -> nested(500 + random.nextInt(2000), "{\"f:a\":", "{}", "}");
            case 1 -> "{\"f:" + "x".repeat(60_000) + "\": {}}";
            case 2 ->
                "{\"f:spec\": {\"v:" + "9".repeat(1500) + "\": {}, \"k:{\\\"a\\\":1e-999999}\": {}, \"i:0\": {}}}";
            default -> "{\"f:metadata\": {\".\": {}, \"f:\u2028\": {}}}";
        };
    }

    // Sends an object, and again with its corrections after each rejection.
    private boolean send(ObjectKind<?> kind, String method, String path, ObjectNode object) {
        String type = method.equals("POST") ? "application/json" : "application/merge-patch+json";
        Map<String, Integer> complaints = new HashMap<>();
        String message = "";
        for (int i = 0; i < MOST_MENDS; i++) {
            Optional<HttpResponse<String>> answer = api.answer(method, path, type, object.toString());
            if (answer.isEmpty()) {
                message = "the server's handler has failed";
                break;
            }
            if (answer.get().statusCode() < 300) {
                return true;
            }
            JsonNode refusal = ApiAccess.parse(answer.get().body());
            message = answer.get().statusCode() + " " + refusal.path("message").asText();
            JsonNode causes = refusal.at("/details/causes");
            if (causes.isEmpty()) {
                break;
            }
            for (JsonNode cause : causes) {
                mend(schemaByKind.get(kind), object, cause, complaints);
            }
            prune(object);
        }
        String reason = kind.kind() + ": " + message.replaceAll("x\\d+|x{20,}|\\d+", "_");
        refusals.merge(reason.substring(0, Math.min(300, reason.length())), 1, Integer::sum);
        return false;
    }

    // Removes a field that the server rejects repeatedly, and after that the field's parents.
    private void mend(JsonNode root, ObjectNode object, JsonNode cause, Map<String, Integer> complaints) {
        String field = cause.path("field").asText();
        List<JsonNode> parents = new ArrayList<>();
        List<String> names = new ArrayList<>();
        String path = "";
        JsonNode at = object;
        JsonNode schema = root;
        Matcher token = TOKEN.matcher(field);
        while (at.isContainerNode() && token.find()) {
            String name = token.group(1) == null ? token.group(2) : token.group(1);
            boolean isIndex = at.isArray() && name.matches("\\d+");
            JsonNode inner = inner(schema, name);
            if (inner.isMissingNode()) {
                // Some of the server's paths omit a part.
                break;
            }
            parents.add(at);
            names.add(name);
            path = isIndex ? path : path + (path.isEmpty() ? "" : ".") + name;
            schema = inner;
            at = isIndex ? at.path(Integer.parseInt(name)) : at.path(name);
        }
        String reason = cause.path("reason").asText();
        int times = complaints.merge(field, 1, Integer::sum);
        int patience = reason.equals("FieldValueRequired") ? 5 : reason.equals("FieldValueForbidden") ? 0 : 2;
        int last = names.size() - 1 - Math.max(0, times - patience - 1);
        if (last < 0
                || names.get(0).equals("metadata") && (last == 0 || names.get(1).equals("name"))) {
            return;
        }
        JsonNode better = NullNode.instance;
        if (times <= patience) {
            better = reason.equals("FieldValueRequired") && at instanceof ObjectNode present
                    ? present
                    : better(
                            schema,
                            path,
                            token.find() ? "" : cause.path("message").asText());
            if (better instanceof ObjectNode incomplete) {
                addField(incomplete, schema, path);
            }
        }
        put(parents.get(last), names.get(last), better);
    }

    private JsonNode better(JsonNode schema, String path, String message) {
        boolean isText = resolved(schema).path("type").asText().equals("string") && !isQuantity(schema);
        Matcher supported = SUPPORTED.matcher(message);
        if (isText && supported.find()) {
            return NODES.textNode(oneOf(matches(QUOTED, supported.group(1))));
        }
        List<String> examples = matches(EXAMPLE, message);
        if (isText && !examples.isEmpty()) {
            return NODES.textNode(oneOf(examples));
        }
        return tame(schema, path);
    }

    private JsonNode tame(JsonNode schema, String path) {
        boolean wasTame = isTame;
        isTame = true;
        JsonNode value = value(schema, path, 2);
        isTame = wasTame;
        return value;
    }

    private void addField(ObjectNode object, JsonNode schema, String path) {
        List<String> absent = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field :
                resolved(schema).path("properties").properties()) {
            if (!object.has(field.getKey()) && !NOT_SENT.contains(path + "." + field.getKey())) {
                absent.add(field.getKey());
            }
        }
        if (!absent.isEmpty()) {
            String name = oneOf(absent);
            object.set(name, tame(resolved(schema).path("properties").path(name), path + "." + name));
        }
    }

    private static List<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1)).toList();
    }

    private static void put(JsonNode parent, String name, JsonNode value) {
        if (parent instanceof ObjectNode object) {
            object.set(name, value);
        } else if (parent instanceof ArrayNode array && name.matches("\\d+")) {
            int index = Integer.parseInt(name);
            if (index < array.size()) {
                array.set(index, value);
            }
        }
    }

    private static void prune(JsonNode node) {
        for (Iterator<JsonNode> children = node.iterator(); children.hasNext(); ) {
            JsonNode child = children.next();
            if (child.isNull()) {
                children.remove();
            } else {
                prune(child);
            }
        }
    }

    private JsonNode resolved(JsonNode schema) {
        JsonNode all = schema.path("allOf").path(0);
        JsonNode named = all.isMissingNode() ? schema : all;
        return named.has("$ref") ? schemas.get(named.path("$ref").asText()) : named;
    }

    // Returns the last part of the name of the referenced schema.
    private static String reference(JsonNode schema) {
        String reference = schema.path("allOf")
                .path(0)
                .path("$ref")
                .asText(schema.path("$ref").asText());
        return reference.substring(reference.lastIndexOf('.') + 1);
    }

    private static boolean isQuantity(JsonNode schema) {
        return reference(schema).equals("Quantity");
    }

    private JsonNode inner(JsonNode schema, String name) {
        JsonNode of = resolved(schema);
        JsonNode property = of.path("properties").path(name);
        return !property.isMissingNode()
                ? property
                : of.has("items") ? of.path("items") : of.path("additionalProperties");
    }

    private static boolean isRequired(JsonNode schema, String field) {
        for (JsonNode required : schema.path("required")) {
            if (required.asText().equals(field)) {
                return true;
            }
        }
        return false;
    }

    private JsonNode value(JsonNode unresolved, String path, int depth) {
        String reference = unresolved
                .path("allOf")
                .path(0)
                .path("$ref")
                .asText(unresolved.path("$ref").asText());
        JsonNode schema = resolved(unresolved);
        switch (reference.substring(reference.lastIndexOf('.') + 1)) {
            case "Quantity" -> {
                return NODES.textNode(isTame ? "1" : oneOf(QUANTITIES));
            }
            case "IntOrString" -> {
                return random.nextBoolean() ? number("int32") : NODES.textNode(random.nextInt(100) + "%");
            }
            case "RawExtension" -> {
                return NODES.rawValueNode(new RawValue(isTame ? "{}" : strangeParameters()));
            }
            default -> {}
        }
        if (schema.has("enum")) {
            return schema.path("enum").get(random.nextInt(schema.path("enum").size()));
        }
        return switch (schema.path("type").asText()) {
            case "object" ->
                schema.has("additionalProperties") ? map(schema, path, depth) : object(schema, path, depth);
            case "array" -> list(schema, path, depth);
            case "integer" -> number(schema.path("format").asText());
            case "number" -> NODES.numberNode(random.nextDouble());
            case "boolean" -> NODES.booleanNode(random.nextBoolean());
            default -> text(schema, path);
        };
    }

    private String strangeParameters() {
        return switch (random.nextInt(4)) {
            case 0 -> "{\"n\": " + "9".repeat(1500) + "}";
            case 1 -> "{\"n\": 1e-99999999999}";
            case 2 -> "{\"n\": " + nested(2000, "[", "", "]") + "}";
            default -> "{\"\\ud800\": \"\\u0000\", \"\": {\"\": null}}";
        };
    }

    private ObjectNode object(JsonNode schema, String path, int depth) {
        ObjectNode object = NODES.objectNode();
        double chance = isTame ? 0 : density / (1 + depth / 2.0);
        for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
            String inner = path + "." + field.getKey();
            if (!NOT_SENT.contains(inner) && (isRequired(schema, field.getKey()) || random.nextDouble() < chance)) {
                object.set(field.getKey(), value(field.getValue(), inner, depth + 1));
            }
        }
        // With an empty key, the pod would tolerate the taint that reserves a node for plain pods.
        if (path.endsWith(".tolerations") || path.endsWith(".taints")) {
            object.put("key", oneOf(KEYS));
        }
        return object;
    }

    private ObjectNode map(JsonNode schema, String path, int depth) {
        ObjectNode map = NODES.objectNode();
        boolean isOfQuantities = isQuantity(schema.path("additionalProperties"));
        if (isOfQuantities && isTame) {
            // Volumes and claims require it.
            return map.put("storage", "1");
        }
        for (int i = size(); i > 0; i--) {
            String key = oneOf(isOfQuantities ? RESOURCES : KEYS);
            map.set(key, value(schema.path("additionalProperties"), path, depth + 1));
        }
        return map;
    }

    private ArrayNode list(JsonNode schema, String path, int depth) {
        ArrayNode list = NODES.arrayNode();
        for (int i = size(); i > 0; i--) {
            list.add(value(schema.path("items"), path, depth + 1));
        }
        return list;
    }

    private int size() {
        return isTame ? 1 : random.nextInt(20) == 0 ? 20 : random.nextInt(4);
    }

    private JsonNode number(String format) {
        List<Long> values = isTame ? INTS.subList(0, 6) : format.equals("int64") && random.nextBoolean() ? LONGS : INTS;
        return NODES.numberNode(oneOf(values));
    }

    private JsonNode text(JsonNode schema, String path) {
        String format = schema.path("format").asText();
        if (format.equals("date-time")) {
            return NODES.textNode(oneOf(TIMES));
        }
        if (format.equals("byte")) {
            return NODES.textNode(Base64.getEncoder().encodeToString(new byte[random.nextInt(40)]));
        }
        if (path.endsWith(".schedulerName")) {
            return NODES.textNode("default-scheduler");
        }
        if (!isTame && random.nextInt(3) == 0) {
            return NODES.textNode(oneOf(STRINGS));
        }
        return NODES.textNode(random.nextBoolean() ? "x" + (1 + random.nextInt(NAMES)) : oneOf(TAME));
    }

    private <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
