// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import org.moorage.api.model.Node;

/** A source of node usage statistics: {@link AnnotationStatistics} or {@link PrometheusStatistics}. */
interface NodeStatistics {
    /**
     * Returns the free resources of a node, or {@link FreeResources#UNKNOWN} if the node has no statistics. Several
     * threads call it for many nodes at the same time. It does not fail, and sends no request on the calling thread.
     */
    FreeResources free(Node node);
}
