// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.nio.file.Path;
import java.util.Optional;
import org.moorage.app.internal.help.OptionGroup;
import org.moorage.app.internal.help.OptionGroup.Heading;
import org.moorage.app.internal.process.KubeconfigFile;
import org.moorage.kubernetes.ApiConnection;
import picocli.CommandLine.Option;

/** Options for the connection to the API server of a live cluster. */
@OptionGroup(Heading.CLUSTER)
public final class LiveOptions {
    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "Path to the kubeconfig file of a live cluster (default: $KUBECONFIG, then ~/.kube/config, then"
                            + " the cluster of this pod).")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "Context of the kubeconfig (default: the current one).")
    private Optional<String> context = Optional.empty();

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "Address of the API server (default: the kubeconfig's).")
    private Optional<String> master = Optional.empty();

    /** Returns whether a flag names a cluster. */
    public boolean areGiven() {
        return kubeconfig.isPresent() || master.isPresent() || context.isPresent();
    }

    /** Returns whether a flag names a cluster, or the environment describes one. */
    public boolean findCluster() {
        return areGiven() || KubeconfigFile.isConfigured();
    }

    /** Returns the connection to the API server; nothing is read yet. */
    public ApiConnection connection() {
        return new ApiConnection(KubeconfigFile.find(kubeconfig, master), master, context);
    }
}
