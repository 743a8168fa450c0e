// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.report;

import picocli.CommandLine.Option;

/** The option that selects which nodes that can go have a row. */
public final class ScaleDownRows {
    @Option(names = "--all-nodes", description = "A row for every node that can go, however many there are.")
    private boolean allNodes;

    boolean allNodes() {
        return allNodes;
    }
}
