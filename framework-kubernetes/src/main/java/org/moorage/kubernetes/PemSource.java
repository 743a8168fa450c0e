// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import java.nio.file.Path;
import org.moorage.tls.Pem;

/** The source of a certificate or key: a file, which may change, or the kubeconfig itself. */
@FunctionalInterface
interface PemSource {
    /** No certificate or key. */
    PemSource NONE = () -> Pem.NONE;

    /** Returns the current certificate or key. */
    Pem read() throws IOException;

    /** Returns a source with a fixed value. */
    static PemSource of(Pem pem) {
        return () -> pem;
    }

    /** Returns a source that reads a file. */
    static PemSource ofFile(String setting, Path file) {
        return () -> Pem.ofFile(setting, file);
    }
}
