// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import java.util.Objects;
import org.moorage.api.annotation.Experimental;

/**
 * The key of a pod group in a cluster.
 *
 * @param type the kind of group
 * @param namespace the group's namespace, which is that of its pods
 * @param name the group's name
 */
@Experimental
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

        /** Returns the name in kube-scheduler's messages and metrics. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** Checks that no component is null. */
    public GroupKey {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
    }

    /** Returns the key of a pod group. */
    public static GroupKey podGroup(String namespace, String name) {
        return new GroupKey(Type.POD_GROUP, namespace, name);
    }

    /** Returns the key of a composite pod group. */
    public static GroupKey compositePodGroup(String namespace, String name) {
        return new GroupKey(Type.COMPOSITE_POD_GROUP, namespace, name);
    }

    /** Returns type, namespace and name, separated by slashes. */
    @Override
    public String toString() {
        return type + "/" + namespace + "/" + name;
    }
}
