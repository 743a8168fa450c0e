// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import java.util.List;
import org.moorage.api.Placement;
import org.moorage.api.Status;
import org.moorage.api.annotation.Experimental;

/** The result of {@link PlacementGeneratePlugin#generatePlacements}. */
@Experimental
public final class PlacementGenerateResult {
    private final Status status;
    private final List<Placement> placements;

    private PlacementGenerateResult(Status status, List<Placement> placements) {
        this.status = status;
        this.placements = placements;
    }

    /** Returns the placements to try, in their order. */
    public static PlacementGenerateResult of(List<Placement> placements) {
        return new PlacementGenerateResult(Status.success(), List.copyOf(placements));
    }

    /**
     * Returns a result that rejects the group.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PlacementGenerateResult rejected(Status status) {
        return new PlacementGenerateResult(status.requireRejection(), List.of());
    }

    /** Returns success, or the rejection. */
    public Status status() {
        return status;
    }

    /** Returns the placements to try, in their order. */
    public List<Placement> placements() {
        return placements;
    }

    @Override
    public String toString() {
        return status.isSuccess() ? placements.toString() : status.toString();
    }
}
