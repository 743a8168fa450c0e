// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import java.util.Objects;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/** The answer of {@link PostFilterPlugin#postFilter}. */
public final class PostFilterResult {
    private final Status status;
    private final Nomination nomination;
    private final List<Pod> victims;
    private final long pdbViolations;

    private PostFilterResult(Status status, Nomination nomination, List<Pod> victims, long pdbViolations) {
        this.status = status;
        this.nomination = nomination;
        this.victims = victims;
        this.pdbViolations = pdbViolations;
    }

    /** There is room on this node, or will be. */
    public static PostFilterResult nominated(String nodeName) {
        return nominated(nodeName, List.of());
    }

    /** There is room on this node once these pods have left it; a pod that is given several times counts once. */
    public static PostFilterResult nominated(String nodeName, List<Pod> victims) {
        return nominated(Status.success(), nodeName, victims);
    }

    /**
     * There is room on this node once these pods have left it.
     *
     * @param message what the pod's condition says of it
     */
    public static PostFilterResult nominated(String nodeName, List<Pod> victims, String message) {
        return nominated(new Status(Code.SUCCESS, List.of(message)), nodeName, victims);
    }

    private static PostFilterResult nominated(Status status, String nodeName, List<Pod> victims) {
        return new PostFilterResult(status, Nomination.to(nodeName), Pod.distinct(victims), 0);
    }

    /** This answer, of whose victims so many violate a pod disruption budget by leaving. */
    public PostFilterResult withPdbViolations(long count) {
        return new PostFilterResult(status, nomination, victims, count);
    }

    /**
     * No room can be made; the nominated node stays as it is.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PostFilterResult rejected(Status status) {
        return rejected(status, Nomination.keep());
    }

    /**
     * No room can be made.
     *
     * @param nomination what becomes of the pod's nominated node
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PostFilterResult rejected(Status status, Nomination nomination) {
        return new PostFilterResult(
                Rejected.checked(status), Objects.requireNonNull(nomination, "nomination"), List.of(), 0);
    }

    /** Success, or the rejection. */
    public Status status() {
        return status;
    }

    /** What becomes of the pod's nominated node. */
    public Nomination nomination() {
        return nomination;
    }

    /** The pods that have to leave the nominated node. */
    public List<Pod> victims() {
        return victims;
    }

    /** How many of the victims violate a pod disruption budget by leaving. */
    public long pdbViolations() {
        return pdbViolations;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PostFilterResult that
                && status.equals(that.status)
                && nomination.equals(that.nomination)
                && victims.equals(that.victims)
                && pdbViolations == that.pdbViolations;
    }

    @Override
    public int hashCode() {
        return Objects.hash(status, nomination, victims, pdbViolations);
    }

    @Override
    public String toString() {
        return "PostFilterResult[" + status + ", " + nomination + ", victims=" + victims + "]";
    }
}
