// SPDX-License-Identifier: Apache-2.0
package org.moorage.api;

import org.moorage.api.annotation.Experimental;

/** The progress of scheduling a group in the placement that is tried. */
@Experimental
public final class PlacementProgress {
    private final int remaining;
    private final int scheduled;

    private PlacementProgress(int remaining, int scheduled) {
        this.remaining = remaining;
        this.scheduled = scheduled;
    }

    /** Returns the progress with that many {@link #remaining} and {@link #scheduled} pods or child groups. */
    public static PlacementProgress of(int remaining, int scheduled) {
        return new PlacementProgress(remaining, scheduled);
    }

    /** Returns the number of pods, or child groups of a composite group, that have not been tried yet. */
    public int remaining() {
        return remaining;
    }

    /** Returns the number of pods, or child groups, that have a node, including those scheduled earlier. */
    public int scheduled() {
        return scheduled;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PlacementProgress that && remaining == that.remaining && scheduled == that.scheduled;
    }

    @Override
    public int hashCode() {
        return 31 * remaining + scheduled;
    }

    @Override
    public String toString() {
        return "PlacementProgress[remaining=" + remaining + ", scheduled=" + scheduled + "]";
    }
}
