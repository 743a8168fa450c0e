// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.util.Optional;
import org.moorage.http.Request;

/** A rule that decides which clients may read what is served. */
interface Access {
    /** Access for every client that reaches the server. */
    Access OPEN = new Access() {
        @Override
        public void load() {}

        @Override
        public Optional<Reply> refusal(Request request) {
            return Optional.empty();
        }

        @Override
        public boolean isFree(Request request) {
            return true;
        }
    };

    /**
     * Loads the authorities of clients' certificates.
     *
     * @throws org.moorage.app.internal.process.CommandException if a file with such authorities cannot be read
     * @throws org.moorage.api.plugin.cluster.ClusterException if the API server does not return them, and
     *     that is not tolerated
     */
    void load();

    /** Returns the reply for a client that may not read; empty if the client may. */
    Optional<Reply> refusal(Request request);

    /** Returns whether the request has no credentials and needs none. */
    boolean isFree(Request request);
}
