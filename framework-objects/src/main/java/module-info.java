// SPDX-License-Identifier: Apache-2.0
/** Reads Kubernetes objects into the model of the API. */
module org.moorage.objects {
    requires com.fasterxml.jackson.core;
    requires transitive com.fasterxml.jackson.databind;
    requires transitive com.fasterxml.jackson.dataformat.yaml;
    requires com.google.common;
    requires static org.jspecify;
    requires transitive org.moorage.api;
    requires transitive org.yaml.snakeyaml;

    exports org.moorage.objects;
    exports org.moorage.objects.decode;
    exports org.moorage.objects.tree;
}
