// SPDX-License-Identifier: Apache-2.0
/** kube-scheduler's plugins. */
module org.moorage.builtin {
    requires static org.jspecify;
    requires transitive org.moorage.api;

    exports org.moorage.builtin;
    exports org.moorage.builtin.affinity;
    exports org.moorage.builtin.binding;
    exports org.moorage.builtin.group;
    exports org.moorage.builtin.labels;
    exports org.moorage.builtin.node;
    exports org.moorage.builtin.preemption;
    exports org.moorage.builtin.queue;
    exports org.moorage.builtin.resources;
    exports org.moorage.builtin.spread;
    exports org.moorage.builtin.volume;
    exports org.moorage.builtin.volume.binding;
    exports org.moorage.builtin.volume.limits;
}
