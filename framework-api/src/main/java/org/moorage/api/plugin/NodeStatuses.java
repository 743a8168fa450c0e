// SPDX-License-Identifier: Apache-2.0
package org.moorage.api.plugin;

import java.util.List;
import org.moorage.api.Code;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;

/** Why each node was no choice. */
public interface NodeStatuses {
    /** The node's status. A node that was not looked at has the one that says why. */
    Status status(NodeInfo node);

    /** The nodes whose status has this code, in the order of the snapshot. */
    List<NodeInfo> nodesWithCode(Code code);
}
