// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.internal.older;

import java.util.ArrayList;
import java.util.List;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.ConfigFormat;
import org.moorage.config.internal.RecordBinder;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.config.plugin.UnknownPlugins;

/**
 * A configuration during its conversion to {@code v1}: its tree, its problems, and warnings about the result.
 */
final class Conversion {
    private final SourceTree tree;
    private final ConfigVersion version;
    private final PluginRegistry registry;
    private final UnknownPlugins unknown;
    private final Problems problems;
    private final RecordBinder binder;
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
        this.binder = new RecordBinder(tree);
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

    /** Returns whether the configuration is accepted although it names plugins that are not registered. */
    boolean takesUnknownPlugins() {
        return unknown != UnknownPlugins.REFUSED;
    }

    List<String> warnings() {
        return warnings;
    }

    /** Returns the collector of problems of the value at a path. */
    Problems at(String path) {
        return problems.at(path);
    }

    /** Reads the value at a path into a record. */
    <R extends Record> R read(String path, Class<R> type) {
        return binder.read(tree.at(path), type, problems.at(path));
    }

    /** Warns about a value that has another meaning in v1. */
    void warn(String path, String message) {
        warnings.add(tree.located(new Problems.Problem(path, message)));
    }

    /** Removes a field that only later versions have, if it is present, and reports it. */
    void refuseLater(String path) {
        if (!tree.at(path).isMissingNode()) {
            at(path).report("unknown field (expected: a field of " + version + ", or apiVersion: "
                    + ConfigFormat.API_VERSION + ", which has it)");
            tree.remove(path);
        }
    }
}
