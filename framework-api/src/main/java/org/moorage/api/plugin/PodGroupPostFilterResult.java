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

    private PodGroupPostFilterResult(Status status, Map<String, Nomination> nominations, List<Pod> victims) {
        this.status = status;
        this.nominations = nominations;
        this.victims = victims;
    }

    /**
     * There is room for the group once these pods have left it.
     *
     * @param nominations what becomes of the nominated nodes of the group's pods, by the uid of the pod; those of others stay
     * @param message what the group's condition says of it
     */
    public static PodGroupPostFilterResult nominated(
            Map<String, Nomination> nominations, List<Pod> victims, String message) {
        return new PodGroupPostFilterResult(
                new Status(Code.SUCCESS, List.of(message)), Map.copyOf(nominations), List.copyOf(victims));
    }

    /**
     * No room can be made.
     *
     * @throws IllegalArgumentException if the status is not a rejection
     */
    public static PodGroupPostFilterResult rejected(Status status) {
        return new PodGroupPostFilterResult(Rejected.checked(status), Map.of(), List.of());
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

    @Override
    public boolean equals(Object other) {
        return other instanceof PodGroupPostFilterResult that
                && status.equals(that.status)
                && nominations.equals(that.nominations)
                && victims.equals(that.victims);
    }

    @Override
    public int hashCode() {
        return Objects.hash(status, nominations, victims);
    }

    @Override
    public String toString() {
        return "PodGroupPostFilterResult[" + status + ", nominations=" + nominations + ", victims=" + victims + "]";
    }
}
