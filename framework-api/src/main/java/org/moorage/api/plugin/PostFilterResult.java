// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import java.util.Objects;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;

/**
 * The answer of {@link PostFilterPlugin#postFilter}.
 *
 * @param status success, or a rejection
 * @param nomination what becomes of the pod's nominated node
 * @param victims the pods that have to leave that node for it
 */
public record PostFilterResult(Status status, Nomination nomination, List<Pod> victims) {
    public PostFilterResult {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(nomination, "nomination");
        victims = List.copyOf(victims);
    }

    /** An answer for which nobody has to leave. */
    public PostFilterResult(Status status, Nomination nomination) {
        this(status, nomination, List.of());
    }

    /** There is room on this node, or will be. */
    public static PostFilterResult nominated(String nodeName) {
        return nominated(nodeName, List.of());
    }

    /** There is room on this node once these pods have left it. */
    public static PostFilterResult nominated(String nodeName, List<Pod> victims) {
        return new PostFilterResult(Status.success(), new Nomination.To(nodeName), victims);
    }

    /** Nothing was done; the nominated node stays as it is. */
    public static PostFilterResult rejected(Status status) {
        return new PostFilterResult(status, Nomination.KEEP);
    }
}
