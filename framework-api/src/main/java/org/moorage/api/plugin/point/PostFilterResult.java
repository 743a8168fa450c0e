// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.List;
import java.util.Objects;
import org.moorage.api.Code;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.Nomination;

/** The result of {@link PostFilterPlugin#postFilter}. */
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

    /** Returns the result that the pod fits on this node, now or later. */
    public static PostFilterResult nominated(String nodeName) {
        return nominated(nodeName, List.of());
    }

    /** Returns the result that the pod fits on this node after these pods are evicted; duplicates count once. */
    public static PostFilterResult nominated(String nodeName, List<Pod> victims) {
        return nominated(Status.success(), nodeName, victims);
    }

    /**
     * Returns the result that the pod fits on this node after these pods are evicted.
     *
     * @param message the message of the pod's condition
     */
    public static PostFilterResult nominated(String nodeName, List<Pod> victims, String message) {
        return nominated(Status.of(Code.SUCCESS, List.of(message)), nodeName, victims);
    }

    private static PostFilterResult nominated(Status status, String nodeName, List<Pod> victims) {
        return new PostFilterResult(status, Nomination.to(nodeName), Pod.distinct(victims), 0);
    }

    /** Returns this result with the number of victims whose eviction violates a pod disruption budget. */
    public PostFilterResult withPdbViolations(long count) {
        return new PostFilterResult(status, nomination, victims, count);
    }

    /**
     * Returns the result that no room can be made; the nominated node is kept.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PostFilterResult rejected(Status status) {
        return rejected(status, Nomination.keep());
    }

    /**
     * Returns the result that no room can be made.
     *
     * @param nomination the change of the pod's nominated node
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PostFilterResult rejected(Status status, Nomination nomination) {
        return new PostFilterResult(
                status.requireRejection(), Objects.requireNonNull(nomination, "nomination"), List.of(), 0);
    }

    /** Returns success, or the rejection. */
    public Status status() {
        return status;
    }

    /** Returns the change of the pod's nominated node. */
    public Nomination nomination() {
        return nomination;
    }

    /** Returns the pods to evict from the nominated node. */
    public List<Pod> victims() {
        return victims;
    }

    /** Returns the number of victims whose eviction violates a pod disruption budget. */
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
