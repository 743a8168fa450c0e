// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.cloud;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.moorage.api.plugin.Problems;
import org.moorage.config.cloud.ConfigShape;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.Scalars;
import org.moorage.config.internal.SourceTree;

/**
 * The custom resource SchedulerConfiguration of AKS: a KubeSchedulerConfiguration as a text in {@code spec.rawConfig}.
 *
 * <p>The documentation of AKS has these restrictions (the pages "Configure advanced scheduler profiles" and "Scheduler
 * configuration concepts", 2026): the resource must be named upstream; a configuration of the scheduler aks-system is
 * rejected; users set four fields; 18 plugins can be configured; clusters run Kubernetes 1.33 or later. A rejected
 * setting is an error here; an undocumented one is a warning, since a later version may accept it.
 */
final class AksConfig {
    private static final String API_VERSION = "aks.azure.com/v1alpha1";
    private static final String KIND = "SchedulerConfiguration";
    private static final String NAME = "upstream";
    private static final String OWN_SCHEDULER = "aks-system";
    private static final String RAW = "spec.rawConfig";
    private static final String EXPECTED = "a KubeSchedulerConfiguration as a text, such as a block after |";
    private static final List<String> FIELDS = List.of("apiVersion", "kind", "metadata", "spec", "status");
    private static final List<String> USER_FIELDS =
            List.of("percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds", "profiles");
    private static final Set<String> PLUGINS = Set.of(
            "*",
            "DefaultBinder",
            "DefaultPreemption",
            "ImageLocality",
            "InterPodAffinity",
            "NodeAffinity",
            "NodeName",
            "NodePorts",
            "NodeResourcesBalancedAllocation",
            "NodeResourcesFit",
            "NodeUnschedulable",
            "NodeVolumeLimits",
            "PodTopologySpread",
            "PrioritySort",
            "SchedulingGates",
            "TaintToleration",
            "VolumeBinding",
            "VolumeRestrictions",
            "VolumeZone");

    private final SourceTree tree;
    private final List<String> warnings;

    private AksConfig(SourceTree tree, List<String> warnings) {
        this.tree = tree;
        this.warnings = warnings;
    }

    static boolean isShapeOf(SourceTree tree) {
        return tree.at("apiVersion").asText().equals(API_VERSION)
                && tree.at("kind").asText().equals(KIND);
    }

    static CloudConfig read(SourceTree tree, Problems problems) {
        int before = problems.all().size();
        List<String> warnings = new ArrayList<>();
        // A manifest may have other objects.
        tree.uncounted().forEach(document -> warnings.add(tree.located(document)));
        new AksConfig(tree, warnings).checkObject(problems);
        if (problems.all().size() > before) {
            tree.root().removeAll();
            return new CloudConfig(tree, ConfigShape.AKS, warnings);
        }
        SourceTree raw = tree.embedded(RAW, problems);
        new AksConfig(raw, warnings).check(problems);
        return new CloudConfig(raw, ConfigShape.AKS, warnings);
    }

    static ObjectNode write(ObjectNode source, String text, String name, List<String> warnings, Problems problems) {
        SourceTree tree = SourceTree.empty(name);
        tree.root().setAll(source.deepCopy());
        new AksConfig(tree, warnings).check(problems);
        ObjectNode written = JsonNodeFactory.instance.objectNode();
        written.put("apiVersion", API_VERSION).put("kind", KIND);
        written.putObject("metadata").put("name", NAME);
        written.putObject("spec").put("rawConfig", text);
        return written;
    }

    private void checkObject(Problems problems) {
        tree.root().fieldNames().forEachRemaining(field -> {
            if (!FIELDS.contains(field)) {
                warn(field, "ignored: " + KIND + " is not known to have it (expected: metadata and spec)");
            }
        });
        JsonNode name = tree.at("metadata.name");
        if (isGiven(name) && !name.asText().equals(NAME)) {
            Scalars.wrong(name, NAME + ", as AKS demands", problems.at("metadata.name"));
        } else if (!isGiven(name)) {
            problems.at("metadata").at("name").missing(NAME + ", as AKS demands");
        }
        JsonNode spec = tree.at("spec");
        if (isGiven(spec) && !spec.isObject()) {
            Scalars.wrong(spec, "an object", problems.at("spec"));
            return;
        }
        spec.fieldNames().forEachRemaining(field -> {
            if (!field.equals("rawConfig")) {
                warn("spec." + field, "ignored: " + KIND + " is not known to have it (expected: rawConfig)");
            }
        });
        JsonNode raw = tree.at(RAW);
        if (!isGiven(raw)) {
            problems.at("spec").at("rawConfig").missing(EXPECTED);
        } else if (!raw.isTextual()) {
            Scalars.wrong(raw, EXPECTED, problems.at("spec").at("rawConfig"));
        }
    }

    // Reports settings that AKS users cannot configure.
    private void check(Problems problems) {
        String apiVersion = tree.at("apiVersion").asText();
        if (apiVersion.startsWith(ConfigFormat.GROUP + "/") && !apiVersion.equals(ConfigFormat.API_VERSION)) {
            warn("apiVersion", "AKS runs Kubernetes 1.33 or later, which reads " + ConfigFormat.API_VERSION + " alone");
        }
        for (String field : ConfigFormat.FIELDS) {
            boolean isFormat = field.equals("apiVersion") || field.equals("kind");
            if (tree.root().has(field) && !isFormat && !USER_FIELDS.contains(field)) {
                warn(field, "AKS documents no such setting (expected: one of " + String.join(", ", USER_FIELDS) + ")");
            }
        }
        for (int i = 0; i < tree.at("profiles").size(); i++) {
            JsonNode profile = tree.at("profiles").path(i);
            String at = "profiles[" + i + "]";
            if (profile.path("schedulerName").asText().equals(OWN_SCHEDULER)) {
                problems.at("profiles")
                        .at(i)
                        .at("schedulerName")
                        .invalid(OWN_SCHEDULER, "another name: AKS rejects profiles for its own scheduler");
            }
            checkPlugins(profile.path("pluginConfig"), at + ".pluginConfig");
            for (Map.Entry<String, JsonNode> point : profile.path("plugins").properties()) {
                String set = at + ".plugins." + point.getKey();
                checkPlugins(point.getValue().path("enabled"), set + ".enabled");
                checkPlugins(point.getValue().path("disabled"), set + ".disabled");
            }
        }
    }

    private void checkPlugins(JsonNode entries, String path) {
        for (int i = 0; i < entries.size(); i++) {
            JsonNode name = entries.path(i).path("name");
            if (name.isTextual() && !PLUGINS.contains(name.textValue())) {
                warn(
                        path + "[" + i + "].name",
                        "\"" + name.textValue() + "\" is not among the 18 plugins that AKS documents as configurable");
            }
        }
    }

    private void warn(String path, String message) {
        warnings.add(tree.located(new Problems.Problem(path, message)));
    }

    private static boolean isGiven(JsonNode value) {
        return !value.isMissingNode() && !value.isNull();
    }
}
