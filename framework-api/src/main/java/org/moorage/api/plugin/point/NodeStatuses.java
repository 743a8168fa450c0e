// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin.point;

import java.util.List;
import org.moorage.api.Code;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;

/** The reasons why nodes are infeasible. */
public interface NodeStatuses {
    /** Returns the node's status. For a node that was not examined, the status explains why. */
    Status status(NodeInfo node);

    /** Returns the nodes whose status has this code, in the order of the snapshot. */
    List<NodeInfo> nodesWithCode(Code code);
}
