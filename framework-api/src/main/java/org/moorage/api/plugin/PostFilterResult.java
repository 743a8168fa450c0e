// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.Objects;
import org.moorage.api.Status;

/**
 * The answer of {@link PostFilterPlugin#postFilter}.
 *
 * @param status success, or a rejection
 * @param nomination what becomes of the pod's nominated node
 */
public record PostFilterResult(Status status, Nomination nomination) {
    public PostFilterResult {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(nomination, "nomination");
    }

    /** Room was made, or is being made, on this node. */
    public static PostFilterResult nominated(String nodeName) {
        return new PostFilterResult(Status.success(), new Nomination.To(nodeName));
    }

    /** Nothing was done; the nominated node stays as it is. */
    public static PostFilterResult rejected(Status status) {
        return new PostFilterResult(status, Nomination.KEEP);
    }
}
