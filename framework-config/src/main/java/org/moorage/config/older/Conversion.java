// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.older;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.List;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.Scalars;
import org.moorage.config.internal.Section;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;

/**
 * A configuration while it is turned into one of {@code v1}: its tree, what was found wrong with it, and what people should
 * know of the result.
 */
final class Conversion {
    private final SourceTree tree;
    private final ConfigVersion version;
    private final PluginRegistry registry;
    private final UnknownPlugins unknown;
    private final Problems problems;
    private final List<String> warnings = new ArrayList<>();

    Conversion(
            SourceTree tree,
            ConfigVersion version,
            PluginRegistry registry,
            UnknownPlugins unknown,
            Problems problems) {
        this.tree = tree;
        this.version = version;
        this.registry = registry;
        this.unknown = unknown;
        this.problems = problems;
    }

    SourceTree tree() {
        return tree;
    }

    ConfigVersion version() {
        return version;
    }

    PluginRegistry registry() {
        return registry;
    }

    /** Whether plugins that are not registered are no reason to refuse the configuration. */
    boolean takesUnknownPlugins() {
        return unknown != UnknownPlugins.REFUSED;
    }

    List<String> warnings() {
        return warnings;
    }

    /** Where to report what is wrong with the value at a path. */
    Problems at(String path) {
        return problems.at(path);
    }

    /** The fields of the value at a path. */
    Section section(String path) {
        return Section.of(tree, path, problems);
    }

    /** Tells of a value that reads otherwise in v1, with where it stands. */
    void warn(String path, String message) {
        warnings.add(tree.located(new Problems.Problem(path, message)));
    }

    /** Takes out a field that only later versions have, if it is there, and reports it. */
    void refuseLater(String path) {
        if (!tree.at(path).isMissingNode()) {
            at(path).report("unknown field (expected: a field of " + version + ", or apiVersion: "
                    + ConfigFormat.API_VERSION + ", which has it)");
            tree.remove(path);
        }
    }

    /** The texts of a list. */
    List<String> texts(Section section, String field) {
        JsonNode value = section.given(field);
        List<String> texts = new ArrayList<>();
        if (value instanceof ArrayNode list) {
            for (int i = 0; i < list.size(); i++) {
                texts.add(Scalars.text(list.path(i), section.at(field).at(i)));
            }
        } else if (!value.isMissingNode()) {
            Scalars.wrong(value, "a list", section.at(field));
        }
        return texts;
    }
}
