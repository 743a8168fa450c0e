// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.kubernetes;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.moorage.api.plugin.ClusterException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * How to reach an API server. Without a kubeconfig and an address it is the one of the cluster that the program itself
 * runs in.
 *
 * @param kubeconfig a file with addresses and credentials, of which the current context counts
 * @param master the server's address, in place of the kubeconfig's
 */
public record ApiConnection(Optional<Path> kubeconfig, Optional<String> master) {
    /** How often credential commands are run and token files are read again. */
    private static final Duration TOKEN_REFRESH = Duration.ofMinutes(5);

    /**
     * A client for the server. Nothing is sent yet, but a credential command of the kubeconfig is run.
     *
     * @throws ClusterException if the kubeconfig cannot be used, or there is none and the program is in no cluster
     */
    public ApiClient open() {
        return kubeconfig
                .map(this::fromFile)
                .or(() -> master.map(ApiConnection::fromAddress))
                .orElseGet(ApiConnection::fromInside);
    }

    private ApiClient fromFile(Path file) {
        try (Reader reader = Files.newBufferedReader(file)) {
            KubeConfig config = KubeConfig.loadKubeConfig(reader);
            config.setFile(file.toFile());
            ClientBuilder builder = ClientBuilder.kubeconfig(config, TOKEN_REFRESH);
            master.ifPresent(builder::setBasePath);
            return builder.build();
        } catch (IOException
                | YAMLException
                | IllegalArgumentException
                | IllegalStateException
                | NullPointerException
                | ClassCastException e) {
            throw new ClusterException(
                    "kubeconfig " + file + ": " + ErrorText.of(e)
                            + " (expected: a kubeconfig whose current context names a server)",
                    0,
                    e);
        }
    }

    private static ApiClient fromAddress(String address) {
        return new ClientBuilder().setBasePath(address).build();
    }

    private static ApiClient fromInside() {
        try {
            return ClientBuilder.cluster().build();
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            throw new ClusterException(
                    "no kubeconfig and no address of the API server was given, and this is no pod of a cluster: "
                            + ErrorText.of(e),
                    0,
                    e);
        }
    }
}
