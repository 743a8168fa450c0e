// SPDX-License-Identifier: Apache-2.0
/** A cluster in memory, and the answers to questions about it. */
module org.moorage.simulation {
    requires com.fasterxml.jackson.databind;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;
    requires transitive org.moorage.api;
    requires transitive org.moorage.config;
    requires transitive org.moorage.objects;
    requires transitive org.moorage.runtime;

    exports org.moorage.simulation;
    exports org.moorage.simulation.admission;
    exports org.moorage.simulation.cluster;
    exports org.moorage.simulation.dump;
    exports org.moorage.simulation.whatif;
}
