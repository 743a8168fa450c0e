// SPDX-License-Identifier: Apache-2.0
/** The extension points of the scheduling framework, and the model that plugins read. */
module org.moorage.api {
    requires static transitive org.jspecify;

    exports org.moorage.api;
    exports org.moorage.api.annotation;
    exports org.moorage.api.event;
    exports org.moorage.api.model;
    exports org.moorage.api.plugin;
    exports org.moorage.api.plugin.point;
    exports org.moorage.api.plugin.group;
    exports org.moorage.api.plugin.cluster;
    exports org.moorage.api.plugin.builtin;
    exports org.moorage.api.feature;
    exports org.moorage.api.preemption;
}
