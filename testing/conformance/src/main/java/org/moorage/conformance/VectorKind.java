// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** The subject of a recorded case. */
public enum VectorKind {
    /** A cluster, a pending pod, and the whole decision. */
    DECISION("decisions"),
    /** A cluster, a group of its pods that are scheduled together, and the result of one cycle. */
    GROUP("groups"),
    /** A cluster with plugins that keep a state, steps that change both, and the result of each step. */
    SEQUENCE("sequences"),
    /** A change of the cluster, and the plugins that requeue a rejected pod for it. */
    HINT("hints"),
    /** A configuration, and its complete form or the error. */
    CONFIGURATION("configurations"),
    /** A configuration of plugins of scheduler-plugins, and their arguments and events, or the error. */
    PLUGIN_CONFIGURATION("plugin configurations"),
    /** A custom resource with its cluster, and its status after one run of its controller. */
    RECONCILIATION("reconciliations"),
    /** An object as a user writes it, and as the API server completes it. */
    DEFAULTS("defaults"),
    /** A pod or claim to create in a cluster, and its stored form or the error that rejects it. */
    ADMISSION("admission");

    private final String title;

    VectorKind(String title) {
        this.title = title;
    }

    /** Returns the kind of a line by its fields; empty if the line is not a recorded case. */
    static Optional<VectorKind> of(ObjectNode line) {
        if (line.has("in") && line.has("out")) {
            return Optional.of(DEFAULTS);
        }
        if (!line.has("expect")) {
            return Optional.empty();
        }
        if (line.has("yaml")) {
            return Optional.of(CONFIGURATION);
        }
        if (line.path("reconcile").isObject()) {
            return Optional.of(RECONCILIATION);
        }
        if (!line.path("objects").isArray()) {
            return Optional.empty();
        }
        if (line.path("steps").isArray()) {
            return Optional.of(SEQUENCE);
        }
        if (line.path("create").isObject()) {
            return Optional.of(ADMISSION);
        }
        if (line.path("pod").isTextual()) {
            return Optional.of(DECISION);
        }
        if (line.path("group").isTextual()) {
            return Optional.of(GROUP);
        }
        if (line.path("config").isObject()
                && (line.path("expect").has("config") || line.path("expect").has("refused"))) {
            return Optional.of(PLUGIN_CONFIGURATION);
        }
        boolean tellsChange = line.has("old") || line.has("new");
        return line.path("pod").isObject() && tellsChange ? Optional.of(HINT) : Optional.empty();
    }

    /** Returns the plural, for tables. */
    @Override
    public String toString() {
        return title;
    }
}
