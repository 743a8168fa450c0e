// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;

/** Keeps one Lease. All methods throw a {@link org.moorage.api.plugin.ClusterException} if the server does not do it in time. */
interface LeaseServer {
    /** The Lease; empty if there is none. */
    Optional<ObjectNode> get(Duration atMost);

    /** Makes it; returns it as it is now. */
    ObjectNode create(ObjectNode lease, Duration atMost);

    /** Replaces it, if it still has the version that this one carries; returns it as it is now. */
    ObjectNode replace(ObjectNode lease, Duration atMost);

    /** Reports an event about the Lease. */
    void event(ObjectNode lease, String message, Duration atMost);
}
