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

    /**
     * Returns the same as {@link #find(Optional, Optional, ClientConnection)} without a configuration that names a
     * file.
     */
    public static List<Path> find(Optional<Path> flag, Optional<String> master) {
        return find(flag, master, UNCONFIGURED);
    }

    /**
     * Returns the first of these: the file of the configuration, the file of the flag, or the files of the environment.
     * Returns no files of the environment in a pod, which uses its own cluster, or if an address is given.
     *
     * @param flag the file that a flag names
     * @param master the API server's address from a flag
     * @param connection the connection from the configuration
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

    /** Returns whether the environment describes a cluster: the cluster of this pod, or that of a user's kubeconfig. */
    public static boolean isConfigured() {
        return isInCluster(System.getenv()) || !ofUser(System.getenv()).isEmpty();
    }

    private static boolean isInCluster(Map<String, String> environment) {
        return environment.containsKey("KUBERNETES_SERVICE_HOST");
    }

    /** Returns the files of KUBECONFIG; otherwise {@code ~/.kube/config}, if it exists. */
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
