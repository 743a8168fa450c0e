// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import java.util.Optional;

/** A source of credentials, which may change. Safe for use by several threads. */
interface CredentialSource {
    /** Returns the credential to send now. */
    Credential current() throws IOException;

    /**
     * Returns a credential other than the one that the server has rejected.
     *
     * @return the other credential; empty if there is none
     */
    Optional<Credential> other(Credential rejected) throws IOException;

    /** Returns a source of a credential that does not change. */
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
