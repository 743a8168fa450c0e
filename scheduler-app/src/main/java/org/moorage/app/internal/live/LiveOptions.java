// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.nio.file.Path;
import java.util.Optional;
import org.moorage.app.internal.process.KubeconfigFile;
import org.moorage.kubernetes.ApiConnection;
import picocli.CommandLine.Option;

/** How a command reaches a cluster that runs. */
public final class LiveOptions {
    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "How to reach the API server, and as whom; else the files of KUBECONFIG, ~/.kube/config, or the cluster that"
                            + " this runs in.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "The API server's address, in place of the kubeconfig's.")
    private Optional<String> master = Optional.empty();

    /** Whether a flag names a cluster. */
    public boolean areGiven() {
        return kubeconfig.isPresent() || master.isPresent();
    }

    /** Whether a flag names a cluster, or the environment describes one. */
    public boolean findCluster() {
        return areGiven() || KubeconfigFile.isConfigured();
    }

    /** How to reach the API server; nothing is read yet. */
    public ApiConnection connection() {
        return new ApiConnection(KubeconfigFile.find(kubeconfig, master), master);
    }
}
