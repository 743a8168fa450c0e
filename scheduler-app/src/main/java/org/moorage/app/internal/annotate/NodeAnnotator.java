// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

/** Writes annotations of all nodes. */
public interface NodeAnnotator {
    /**
     * Annotates all nodes once. A node that cannot be annotated is reported, and the other nodes are still annotated.
     *
     * @param out receives a line for each node
     * @return how many nodes could not be annotated
     * @throws org.moorage.api.plugin.cluster.ClusterException if the nodes or pods cannot be read from the API server
     */
    int annotate(Lines out);

    /** Receives the annotator's output, line by line. */
    interface Lines {
        /** Something that was done. */
        void done(String line);

        /** Something that could not be done. */
        void failed(String line);
    }
}
