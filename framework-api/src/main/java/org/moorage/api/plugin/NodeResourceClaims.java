// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.StateKey;
import org.moorage.api.model.PodStatus;

/**
 * What the claims of the pod of a cycle would take of nodes.
 *
 * <p>Whoever gives claims devices finds that out in Filter, and puts this under {@link #KEY} in PreFilter. Once a node is chosen,
 * the scheduler counts it there as a part of the pod, in {@link PodStatus#nodeResourceClaims}, from before Reserve on.
 */
@FunctionalInterface
public interface NodeResourceClaims {
    /** Under which it is put. */
    StateKey<NodeResourceClaims> KEY = StateKey.of("NodeResourceClaims");

    /** What the claims would take of the node of that name; empty for nothing. */
    List<PodStatus.NodeResourceClaim> on(String nodeName);
}
