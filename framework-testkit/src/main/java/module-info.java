// SPDX-License-Identifier: Apache-2.0
/** Tests of plugins on the real scheduler. */
module org.moorage.testkit {
    requires com.fasterxml.jackson.databind;
    requires static com.google.errorprone.annotations;
    requires jdk.httpserver;
    requires static org.jspecify;
    requires transitive org.moorage.api;
    requires transitive org.moorage.config;
    requires org.moorage.objects;
    requires transitive org.moorage.runtime;
    requires transitive org.moorage.simulation;

    exports org.moorage.testkit;
    exports org.moorage.testkit.apiserver;
}
