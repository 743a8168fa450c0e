// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;

/** What becomes of the node that a pod is likely to get, {@code status.nominatedNodeName}. */
public final class Nomination {
    private static final Nomination KEEP = new Nomination(false, "");
    private static final Nomination CLEAR = new Nomination(true, "");

    private final boolean overrides;
    private final String nodeName;

    private Nomination(boolean overrides, String nodeName) {
        this.overrides = overrides;
        this.nodeName = nodeName;
    }

    /** The nominated node stays as the pod's status says. */
    public static Nomination keep() {
        return KEEP;
    }

    /** The pod has no nominated node any more. */
    public static Nomination clear() {
        return CLEAR;
    }

    /**
     * The pod is nominated to this node.
     *
     * @throws IllegalArgumentException if the name is empty
     */
    public static Nomination to(String nodeName) {
        if (nodeName.isEmpty()) {
            throw new IllegalArgumentException("nodeName: \"\" (expected: the name of a node)");
        }
        return new Nomination(true, nodeName);
    }

    /** Whether {@link #nodeName} takes the place of what the pod's status says. */
    public boolean overrides() {
        return overrides;
    }

    /** The nominated node; empty if the pod is to have none, or the one of its status. */
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
