// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.cluster;

import java.util.Objects;

/** A change of a pod's nominated node, {@code status.nominatedNodeName}. */
public final class Nomination {
    private static final Nomination KEEP = new Nomination(false, "");
    private static final Nomination CLEAR = new Nomination(true, "");

    private final boolean overrides;
    private final String nodeName;

    private Nomination(boolean overrides, String nodeName) {
        this.overrides = overrides;
        this.nodeName = nodeName;
    }

    /** Returns the change that keeps the nominated node in the pod's status. */
    public static Nomination keep() {
        return KEEP;
    }

    /** Returns the change that removes the nominated node. */
    public static Nomination clear() {
        return CLEAR;
    }

    /**
     * Returns the change that nominates the pod to this node.
     *
     * @throws IllegalArgumentException if the name is empty
     */
    public static Nomination to(String nodeName) {
        if (nodeName.isEmpty()) {
            throw new IllegalArgumentException("nodeName: \"\" (expected: the name of a node)");
        }
        return new Nomination(true, nodeName);
    }

    /** Returns whether {@link #nodeName} replaces the nominated node in the pod's status. */
    public boolean overrides() {
        return overrides;
    }

    /** Returns the nominated node; empty if it is removed or kept. */
    public String nodeName() {
        return nodeName;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Nomination that && overrides == that.overrides && nodeName.equals(that.nodeName);
    }

    @Override
    public int hashCode() {
        return Objects.hash(overrides, nodeName);
    }

    @Override
    public String toString() {
        if (!overrides) {
            return "Keep";
        }
        return nodeName.isEmpty() ? "Clear" : "To[" + nodeName + "]";
    }
}
