// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import java.util.Optional;

/** Where credentials come from, which may change. Safe for use by several threads. */
interface CredentialSource {
    /** The credential to send now. */
    Credential current() throws IOException;

    /**
     * Another credential than the one that the server has rejected.
     *
     * @return empty if there is no other
     */
    Optional<Credential> other(Credential rejected) throws IOException;

    /** One that does not change. */
    static CredentialSource fixed(Credential credential) {
        return new CredentialSource() {
            @Override
            public Credential current() {
                return credential;
            }

            @Override
            public Optional<Credential> other(Credential rejected) {
                return Optional.empty();
            }
        };
    }
}
