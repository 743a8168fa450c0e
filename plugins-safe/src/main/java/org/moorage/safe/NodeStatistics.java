// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import org.moorage.api.model.Node;

/** Where the figures of a node's use come from: {@link AnnotationStatistics} or {@link PrometheusStatistics}. */
interface NodeStatistics {
    /**
     * What is free on a node, {@link FreeResources#UNKNOWN} if nothing is known of it. Called for many nodes at once by several
     * threads; it does not ask anybody and does not fail.
     */
    FreeResources free(Node node);
}
