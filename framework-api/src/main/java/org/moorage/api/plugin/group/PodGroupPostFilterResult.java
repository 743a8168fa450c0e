// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.group;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;

/** The result of {@link PodGroupPostFilterPlugin#podGroupPostFilter}. */
@Experimental
public final class PodGroupPostFilterResult {
    private final Status status;
    private final Map<String, Nomination> nominations;
    private final List<Pod> victims;
    private final int groupDisruptions;
    private final int pdbViolations;

    private PodGroupPostFilterResult(
            Status status,
            Map<String, Nomination> nominations,
            List<Pod> victims,
            int groupDisruptions,
            int pdbViolations) {
        this.status = status;
        this.nominations = nominations;
        this.victims = victims;
        this.groupDisruptions = groupDisruptions;
        this.pdbViolations = pdbViolations;
    }

    /**
     * Returns the result that the group fits after these pods are evicted.
     *
     * @param nominations the changes of the nominated nodes of the group's pods, by pod uid; other pods keep theirs
     * @param victims the pods to evict; duplicates count once
     * @param message the message of the group's condition
     */
    public static PodGroupPostFilterResult nominated(
            Map<String, Nomination> nominations, List<Pod> victims, String message) {
        return new PodGroupPostFilterResult(
                Status.of(Code.SUCCESS, List.of(message)), Map.copyOf(nominations), Pod.distinct(victims), 0, 0);
    }

    /**
     * Returns this result with counts.
     *
     * @param groupDisruptions see {@link #groupDisruptions()}
     * @param pdbViolations see {@link #pdbViolations()}
     */
    public PodGroupPostFilterResult withCounts(int groupDisruptions, int pdbViolations) {
        return new PodGroupPostFilterResult(status, nominations, victims, groupDisruptions, pdbViolations);
    }

    /**
     * Returns the result that no room can be made.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PodGroupPostFilterResult rejected(Status status) {
        return new PodGroupPostFilterResult(status.requireRejection(), Map.of(), List.of(), 0, 0);
    }

    /** Returns success, or the rejection. */
    public Status status() {
        return status;
    }

    /** Returns the changes of the nominated nodes of the group's pods, by pod uid; other pods keep theirs. */
    public Map<String, Nomination> nominations() {
        return nominations;
    }

    /** Returns the pods to evict. */
    public List<Pod> victims() {
        return victims;
    }

    /** Returns the number of groups to evict; each victim of a group that is not evicted as a whole counts as one. */
    public int groupDisruptions() {
        return groupDisruptions;
    }

    /** Returns the number of victims whose eviction violates a pod disruption budget. */
    public int pdbViolations() {
        return pdbViolations;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PodGroupPostFilterResult that
                && status.equals(that.status)
                && nominations.equals(that.nominations)
                && victims.equals(that.victims)
                && groupDisruptions == that.groupDisruptions
                && pdbViolations == that.pdbViolations;
    }

    @Override
    public int hashCode() {
        return Objects.hash(status, nominations, victims, groupDisruptions, pdbViolations);
    }

    @Override
    public String toString() {
        return "PodGroupPostFilterResult[" + status + ", nominations=" + nominations + ", victims=" + victims + "]";
    }
}
