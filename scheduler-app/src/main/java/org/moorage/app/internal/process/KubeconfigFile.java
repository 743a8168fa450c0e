// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.config.ClientConnection;

/** Finds the files that describe how to reach the cluster. */
public final class KubeconfigFile {
    private static final ClientConnection UNCONFIGURED = new ClientConnection("", "", "", 0, 0);

    private KubeconfigFile() {}

    /** As {@link #find(Optional, Optional, ClientConnection)}, where no configuration names a file. */
    public static List<Path> find(Optional<Path> flag, Optional<String> master) {
        return find(flag, master, UNCONFIGURED);
    }

    /**
     * The file of the configuration, of the flag, or the files of the environment, in this order; none in a pod, which is in its cluster, and where
     * an address is given.
     *
     * @param flag the file that a flag names
     * @param master the address of the API server that a flag names
     * @param connection what the configuration names
     */
    public static List<Path> find(Optional<Path> flag, Optional<String> master, ClientConnection connection) {
        if (!connection.kubeconfig().isEmpty()) {
            return List.of(Path.of(connection.kubeconfig()));
        }
        if (flag.isPresent()) {
            return List.of(flag.get());
        }
        return master.isPresent() || isInCluster(System.getenv()) ? List.of() : ofUser(System.getenv());
    }

    /** Whether the environment describes a cluster: the one that this process is a pod of, or that of a user's kubeconfig. */
    public static boolean isConfigured() {
        return isInCluster(System.getenv()) || !ofUser(System.getenv()).isEmpty();
    }

    private static boolean isInCluster(Map<String, String> environment) {
        return environment.containsKey("KUBERNETES_SERVICE_HOST");
    }

    /** The files of KUBECONFIG; else {@code ~/.kube/config}, if there is one. */
    static List<Path> ofUser(Map<String, String> environment) {
        List<Path> named = new ArrayList<>();
        for (String file : environment.getOrDefault("KUBECONFIG", "").split(File.pathSeparator)) {
            if (!file.isEmpty()) {
                named.add(Path.of(file));
            }
        }
        if (!named.isEmpty()) {
            return named;
        }
        Path ofHome = Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".kube", "config");
        return Files.isRegularFile(ofHome) ? List.of(ofHome) : List.of();
    }
}
