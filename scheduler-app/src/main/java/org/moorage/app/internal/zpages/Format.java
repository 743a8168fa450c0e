// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.zpages;

/** The formats of the pages, in the order in which kube-scheduler names them. */
enum Format {
    JSON("application", "json", true),
    YAML("application", "yaml", false),
    TEXT("text", "plain", false),
    CBOR("application", "cbor", true);

    private final String type;
    private final String subtype;
    private final boolean hasStream;

    Format(String type, String subtype, boolean hasStream) {
        this.type = type;
        this.subtype = subtype;
        this.hasStream = hasStream;
    }

    String type() {
        return type;
    }

    String subtype() {
        return subtype;
    }

    String mediaType() {
        return type + "/" + subtype;
    }

    /** Returns whether Kubernetes uses the format for watches. */
    boolean hasStream() {
        return hasStream;
    }
}
