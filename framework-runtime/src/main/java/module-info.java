// SPDX-License-Identifier: Apache-2.0
/** The scheduler as a library: the queue, the cache, cycles and what-if questions. */
module org.moorage.runtime {
    requires com.fasterxml.jackson.databind;
    requires com.google.common;
    requires static com.google.errorprone.annotations;
    requires java.net.http;
    requires static org.jspecify;
    requires transitive org.moorage.api;
    requires transitive org.moorage.config;
    requires transitive org.moorage.objects;
    requires org.moorage.tls;
    requires org.slf4j;

    exports org.moorage.runtime;
    exports org.moorage.runtime.cluster;
    exports org.moorage.runtime.controllers;
    exports org.moorage.runtime.debug;
    exports org.moorage.runtime.decision;
    exports org.moorage.runtime.metrics;
    exports org.moorage.runtime.whatif;
}
