// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.annotate;

/** Writes annotations of all nodes. */
public interface NodeAnnotator {
    /**
     * Writes them once. A node that cannot be annotated is told of, and the others are annotated all the same.
     *
     * @param out is told of each node in a line
     * @return how many nodes could not be annotated
     * @throws org.moorage.api.plugin.ClusterException if the API server does not tell of nodes or pods
     */
    int annotate(Lines out);

    /** Takes what there is to say, line by line. */
    interface Lines {
        /** Something that was done. */
        void done(String line);

        /** Something that could not be done. */
        void failed(String line);
    }
}
