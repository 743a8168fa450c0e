// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.cloud;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import org.moorage.api.plugin.Problems;
import org.moorage.config.cloud.ConfigShape;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.FieldNames;
import org.moorage.config.internal.Scalars;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.internal.Suggestion;

/**
 * The scheduler's settings of an EKS cluster: the object {@code kubeSchedulerConfig}, or what is in it, as the AWS CLI
 * takes it. They are the scoring strategy of the default profile's NodeResourcesFit.
 *
 * <p>The API refuses other types than LeastAllocated and MostAllocated, weights outside of 1 to 100 and more than 100
 * resources (ScoringStrategy and ResourceWeight in the EKS API reference, August 2026). A cluster has LeastAllocated
 * where no type is given.
 */
final class EksConfig {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String WRAPPER = "kubeSchedulerConfig";
    private static final String FIT = "nodeResourcesFit";
    private static final String STRATEGY = "scoringStrategy";
    private static final String TYPE = "type";
    private static final String RESOURCES = "resources";
    private static final String NAME = "name";
    private static final String WEIGHT = "weight";
    private static final String DEFAULT_TYPE = "LeastAllocated";
    private static final List<String> TYPES = List.of(DEFAULT_TYPE, "MostAllocated");
    private static final int MOST_RESOURCES = 100;
    private static final int MOST_WEIGHT = 100;
    // The user guide has them for the versions of Kubernetes at hand: later ones may have more, so that others are a
    // warning.
    private static final List<String> KNOWN_RESOURCES =
            List.of("cpu", "memory", "nvidia.com/gpu", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore");

    private static final String PLUGIN = "NodeResourcesFit";
    private static final String PROFILE = "profiles[0]";
    private static final String PLUGIN_CONFIG = "pluginConfig";
    private static final String DEFAULT_PROFILE = "default-scheduler";

    private EksConfig() {}

    static boolean isShapeOf(SourceTree tree) {
        ObjectNode root = tree.root();
        return !root.has("apiVersion") && !root.has("kind") && (root.has(WRAPPER) || root.has(FIT));
    }

    static CloudConfig read(SourceTree tree, Problems problems) {
        int before = problems.all().size();
        boolean isWrapped = tree.root().has(WRAPPER);
        Problems at = isWrapped ? problems.at(WRAPPER) : problems;
        JsonNode setting =
                isWrapped ? fields(tree.root(), List.of(WRAPPER), problems).path(WRAPPER) : tree.root();
        JsonNode strategy = fields(fields(setting, List.of(FIT), at).path(FIT), List.of(STRATEGY), at.at(FIT))
                .path(STRATEGY);
        check(strategy, at.at(FIT).at(STRATEGY));
        boolean isSound = problems.all().size() == before;
        List<String> warnings = isSound ? warnings(tree, strategy, at.at(FIT).at(STRATEGY)) : List.of();
        tree.root().removeAll();
        if (isSound) {
            write(tree, strategy, at.at(FIT).path());
        }
        return new CloudConfig(tree, ConfigShape.EKS, warnings);
    }

    private static void write(SourceTree tree, JsonNode strategy, String fit) {
        String from = tree.origin(fit).isPresent() ? fit : WRAPPER;
        tree.put("apiVersion", TextNode.valueOf(ConfigFormat.API_VERSION), from);
        tree.put("kind", TextNode.valueOf(ConfigFormat.KIND), from);
        tree.put(PROFILE + ".schedulerName", TextNode.valueOf(DEFAULT_PROFILE), fit);
        if (!isGiven(strategy)) {
            return;
        }
        String entry = PROFILE + "." + PLUGIN_CONFIG + "[0]";
        ObjectNode given = NODES.objectNode();
        given.set(TYPE, isGiven(strategy.path(TYPE)) ? strategy.path(TYPE) : TextNode.valueOf(DEFAULT_TYPE));
        if (isGiven(strategy.path(RESOURCES))) {
            given.set(RESOURCES, strategy.path(RESOURCES));
        }
        tree.put(entry + "." + NAME, TextNode.valueOf(PLUGIN), fit);
        tree.put(entry + ".args", NODES.objectNode().set(STRATEGY, given), fit);
        tree.nameFields(new FieldNames(entry + ".args", fit));
    }

    // Reports settings that the API of EKS refuses.
    private static void check(JsonNode given, Problems at) {
        JsonNode strategy = fields(given, List.of(TYPE, RESOURCES), at);
        JsonNode type = strategy.path(TYPE);
        if (isGiven(type) && !(type.isTextual() && TYPES.contains(type.textValue()))) {
            Scalars.wrong(type, String.join(" or ", TYPES) + ", the strategies of EKS", at.at(TYPE));
        }
        JsonNode resources = strategy.path(RESOURCES);
        Problems list = at.at(RESOURCES);
        if (isGiven(resources) && !resources.isArray()) {
            Scalars.wrong(resources, "a list", list);
        } else if (resources.size() > MOST_RESOURCES) {
            list.report(resources.size() + " resources (expected: at most " + MOST_RESOURCES + ", as EKS accepts)");
        } else if (resources instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                checkResource(array.path(i), list.at(i));
            }
        }
    }

    private static void checkResource(JsonNode given, Problems at) {
        if (!given.isObject()) {
            Scalars.wrong(given, "an object", at);
            return;
        }
        JsonNode resource = fields(given, List.of(NAME, WEIGHT), at);
        JsonNode name = resource.path(NAME);
        if (!isGiven(name) || name.isTextual() && name.textValue().isEmpty()) {
            at.at(NAME).missing("the name of a resource");
        } else {
            Scalars.text(name, at.at(NAME));
        }
        if (isGiven(resource.path(WEIGHT))) {
            Scalars.whole(resource.path(WEIGHT), 1, MOST_WEIGHT, at.at(WEIGHT));
        }
    }

    private static List<String> warnings(SourceTree tree, JsonNode strategy, Problems at) {
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < strategy.path(RESOURCES).size(); i++) {
            String name = strategy.path(RESOURCES).path(i).path(NAME).asText();
            if (!KNOWN_RESOURCES.contains(name)) {
                String path = at.at(RESOURCES).at(i).at(NAME).path();
                warnings.add(tree.located(new Problems.Problem(
                        path,
                        "\"" + name + "\" is not among the resources that EKS documents (expected: one of "
                                + String.join(", ", KNOWN_RESOURCES)
                                + "; aws eks describe-cluster-versions lists those of a version)")));
            }
        }
        return warnings;
    }

    /** Returns the object with these fields, and reports others; a missing one if there is none. */
    private static JsonNode fields(JsonNode value, List<String> known, Problems at) {
        if (!isGiven(value)) {
            return MissingNode.getInstance();
        }
        if (!value.isObject()) {
            Scalars.wrong(value, "an object", at);
            return MissingNode.getInstance();
        }
        value.fieldNames().forEachRemaining(field -> {
            if (!known.contains(field)) {
                at.at(field)
                        .report(Suggestion.closest(field, known)
                                .map(meant -> "unknown field. " + Suggestion.question(meant))
                                .orElseGet(() -> noSuchSetting(String.join(" or ", known))));
            }
        });
        return value;
    }

    private static String noSuchSetting(String expected) {
        return "EKS has no such setting (expected: " + expected + ")";
    }

    private static boolean isGiven(JsonNode value) {
        return !value.isMissingNode() && !value.isNull();
    }

    /** Returns the settings for a configuration, whole: an update of a cluster keeps what it does not name. */
    static ObjectNode write(ObjectNode changed, ObjectNode effective, Problems problems) {
        refuseOthers(changed, List.of("apiVersion", "kind", "profiles"), problems);
        JsonNode profiles = changed.path("profiles");
        if (profiles.size() > 1) {
            problems.at("profiles")
                    .report(profiles.size() + " profiles (expected: one, since EKS configures " + DEFAULT_PROFILE
                            + " alone)");
            return NODES.objectNode();
        }
        JsonNode profile = profiles.path(0);
        Problems atProfile = problems.at("profiles").at(0);
        if (profile.has("schedulerName")) {
            atProfile
                    .at("schedulerName")
                    .invalid(profile.path("schedulerName").asText(), DEFAULT_PROFILE + ", which EKS configures");
        }
        refuseOthers(profile, List.of("schedulerName", PLUGIN_CONFIG), atProfile);
        JsonNode entries = effective.path("profiles").path(0).path(PLUGIN_CONFIG);
        for (JsonNode entry : profile.path(PLUGIN_CONFIG)) {
            String plugin = entry.path(NAME).asText();
            Problems at = atProfile.at(PLUGIN_CONFIG).at(indexOf(plugin, entries));
            if (plugin.equals(PLUGIN)) {
                refuseOthers(entry.path("args"), List.of(STRATEGY), at.at("args"));
            } else {
                at.report("EKS has no setting for " + plugin + " (expected: " + PLUGIN + " alone)");
            }
        }
        int index = indexOf(PLUGIN, entries);
        JsonNode strategy = entries.path(index).path("args").path(STRATEGY);
        check(strategy, atProfile.at(PLUGIN_CONFIG).at(index).at("args").at(STRATEGY));
        ObjectNode written = NODES.objectNode();
        written.putObject(FIT).set(STRATEGY, strategy);
        return written;
    }

    private static void refuseOthers(JsonNode object, List<String> known, Problems at) {
        object.fieldNames().forEachRemaining(field -> {
            if (!known.contains(field)) {
                Problems setting = at.at(field);
                (object.path(field).isArray() ? setting.at(0) : setting)
                        .report(noSuchSetting(FIT + "." + STRATEGY + " alone"));
            }
        });
    }

    private static int indexOf(String plugin, JsonNode entries) {
        int index = 0;
        while (index < entries.size()
                && !entries.path(index).path(NAME).asText().equals(plugin)) {
            index++;
        }
        return index;
    }
}
