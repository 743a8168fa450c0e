// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.IOException;
import java.nio.file.Path;
import org.moorage.tls.Pem;

/** Where a certificate or key comes from: a file, which may change, or the kubeconfig itself. */
@FunctionalInterface
interface PemSource {
    /** No certificate or key. */
    PemSource NONE = () -> Pem.NONE;

    /** The certificate or key as it is now. */
    Pem read() throws IOException;

    /** Always the same. */
    static PemSource of(Pem pem) {
        return () -> pem;
    }

    /** What the file has. */
    static PemSource ofFile(String setting, Path file) {
        return () -> Pem.ofFile(setting, file);
    }
}
