// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.moorage.config.ClientConnection;

/** Which file tells how to reach the cluster. */
public final class KubeconfigFile {
    private static final ClientConnection UNCONFIGURED = new ClientConnection("", "", "", 0, 0);

    private KubeconfigFile() {}

    /** As {@link #find(Optional, Optional, ClientConnection)}, where no configuration says anything. */
    public static Optional<Path> find(Optional<Path> flag, Optional<String> master) {
        return find(flag, master, UNCONFIGURED);
    }

    /**
     * The file of the configuration, of the flag, or of the environment, in this order; empty in a pod, which is in its cluster, and where an address
     * is given.
     *
     * @param flag the file that a flag names
     * @param master the address of the API server that a flag names
     * @param connection what the configuration says
     */
    public static Optional<Path> find(Optional<Path> flag, Optional<String> master, ClientConnection connection) {
        if (!connection.kubeconfig().isEmpty()) {
            return Optional.of(Path.of(connection.kubeconfig()));
        }
        if (flag.isPresent()) {
            return flag;
        }
        if (master.isPresent() || System.getenv("KUBERNETES_SERVICE_HOST") != null) {
            return Optional.empty();
        }
        String fromEnvironment = System.getenv("KUBECONFIG");
        if (fromEnvironment != null && !fromEnvironment.isEmpty()) {
            return Optional.of(Path.of(fromEnvironment));
        }
        return Optional.of(Path.of(System.getProperty("user.home"), ".kube", "config"))
                .filter(Files::isRegularFile);
    }
}
