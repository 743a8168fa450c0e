// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** The answer of {@link PodGroupPostFilterPlugin#podGroupPostFilter}. */
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
     * There is room for the group once these pods have left it.
     *
     * @param nominations what becomes of the nominated nodes of the group's pods, by the uid of the pod; those of others stay
     * @param victims the pods; one that is given several times counts once
     * @param message what the group's condition says of it
     */
    public static PodGroupPostFilterResult nominated(
            Map<String, Nomination> nominations, List<Pod> victims, String message) {
        return new PodGroupPostFilterResult(
                new Status(Code.SUCCESS, List.of(message)), Map.copyOf(nominations), Pod.distinct(victims), 0, 0);
    }

    /**
     * This answer with what is counted of it.
     *
     * @param groupDisruptions see {@link #groupDisruptions()}
     * @param pdbViolations see {@link #pdbViolations()}
     */
    public PodGroupPostFilterResult withCounts(int groupDisruptions, int pdbViolations) {
        return new PodGroupPostFilterResult(status, nominations, victims, groupDisruptions, pdbViolations);
    }

    /**
     * No room can be made.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PodGroupPostFilterResult rejected(Status status) {
        return new PodGroupPostFilterResult(Rejected.checked(status), Map.of(), List.of(), 0, 0);
    }

    /** Success, or the rejection. */
    public Status status() {
        return status;
    }

    /** What becomes of the nominated nodes of the group's pods, by the uid of the pod; those of others stay. */
    public Map<String, Nomination> nominations() {
        return nominations;
    }

    /** The pods that have to leave. */
    public List<Pod> victims() {
        return victims;
    }

    /** How many groups have to leave; of a group that does not leave as one, each of its pods counts. */
    public int groupDisruptions() {
        return groupDisruptions;
    }

    /** How many of the victims violate a pod disruption budget by leaving. */
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
