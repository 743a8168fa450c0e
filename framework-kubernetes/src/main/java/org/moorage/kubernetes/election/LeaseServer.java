// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes.election;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;

/**
 * A server with one Lease. All methods throw a {@link org.moorage.api.plugin.cluster.ClusterException} if a request
 * fails or times out.
 */
interface LeaseServer {
    /** Returns the Lease; empty if there is none. */
    Optional<ObjectNode> get(Duration atMost);

    /** Creates the Lease, and returns it as created. */
    ObjectNode create(ObjectNode lease, Duration atMost);

    /** Replaces the Lease if the server still has the given resource version, and returns the new Lease. */
    ObjectNode replace(ObjectNode lease, Duration atMost);

    /** Reports an event about the Lease. */
    void event(ObjectNode lease, String message, Duration atMost);
}
