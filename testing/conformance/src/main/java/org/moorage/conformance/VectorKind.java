// SPDX-License-Identifier: Apache-2.0
package org.moorage.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** What a recorded answer is about. */
public enum VectorKind {
    /** A cluster, a waiting pod, and the whole decision. */
    DECISION("decisions"),
    /** A cluster, a group of pods in it that are scheduled as one, and what becomes of them in one cycle. */
    GROUP("groups"),
    /** A change of the cluster, and which plugins would have a rejected pod tried again. */
    HINT("hints"),
    /** A configuration, and its complete form or the recordedError. */
    CONFIGURATION("configurations"),
    /** An object as a person writes it, and as the API server completes it. */
    DEFAULTS("defaults"),
    /** A pod or claim that is created in a cluster, and as it is stored or how it is refused. */
    ADMISSION("admission");

    private final String title;

    VectorKind(String title) {
        this.title = title;
    }

    /** The kind of a line, by its fields; empty if it is no recorded answer. */
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
        if (!line.path("objects").isArray()) {
            return Optional.empty();
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
        boolean tellsChange = line.has("old") || line.has("new");
        return line.path("pod").isObject() && tellsChange ? Optional.of(HINT) : Optional.empty();
    }

    /** The plural, for tables. */
    @Override
    public String toString() {
        return title;
    }
}
