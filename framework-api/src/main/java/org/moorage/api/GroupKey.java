// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Objects;

/**
 * Names a group of pods in a cluster.
 *
 * @param type which kind of group
 * @param namespace the group's namespace, which is that of its pods
 * @param name its name
 */
public record GroupKey(Type type, String namespace, String name) {
    /** The kinds of groups. */
    public enum Type {
        /** A {@code PodGroup}: its members are pods. */
        POD_GROUP("podgroup"),
        /** A {@code CompositePodGroup}: its members are groups. */
        COMPOSITE_POD_GROUP("compositepodgroup");

        private final String text;

        Type(String text) {
            this.text = text;
        }

        /** The name in kube-scheduler's messages and metrics. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** A key, of which no part is null. */
    public GroupKey {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
    }

    /** The key of a pod group. */
    public static GroupKey podGroup(String namespace, String name) {
        return new GroupKey(Type.POD_GROUP, namespace, name);
    }

    /** The key of a composite pod group. */
    public static GroupKey compositePodGroup(String namespace, String name) {
        return new GroupKey(Type.COMPOSITE_POD_GROUP, namespace, name);
    }

    /** Type, namespace and name, with a slash between them. */
    @Override
    public String toString() {
        return type + "/" + namespace + "/" + name;
    }
}
