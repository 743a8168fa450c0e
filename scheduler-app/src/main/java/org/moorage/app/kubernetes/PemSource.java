// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a certificate or key comes from: a file, which may change, or the kubeconfig itself. */
@FunctionalInterface
interface PemSource {
    /** No certificate or key. */
    PemSource NONE = () -> new byte[0];

    /** The text in PEM as it is now; empty if there is none. */
    byte[] read() throws IOException;

    static PemSource of(byte[] text) {
        return () -> text;
    }

    static PemSource of(Path file) {
        return () -> Files.readAllBytes(file);
    }
}
