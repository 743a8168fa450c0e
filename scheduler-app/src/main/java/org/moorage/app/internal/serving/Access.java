// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import java.util.Optional;
import org.moorage.http.Request;

/** Who may read what is served. */
interface Access {
    /** Everybody who reaches the server. */
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
     * Learns who signs clients' certificates.
     *
     * @throws org.moorage.app.internal.process.CommandException if a file with such authorities cannot be read
     * @throws org.moorage.api.plugin.ClusterException if the API server does not tell them, and that is not tolerated
     */
    void load();

    /** What to answer to who may not read; empty if the client may. */
    Optional<Reply> refusal(Request request);

    /** Whether the request shows no credentials and needs none. */
    boolean isFree(Request request);
}
