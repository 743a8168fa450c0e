// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.clients;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.moorage.clientjava.ClientJavaInformers;
import org.moorage.clientjava.ClientJavaRequests;
import org.moorage.clientjava.LenientListerWatcher;
import org.moorage.fabric8.Fabric8Informers;
import org.moorage.fabric8.Fabric8Requests;
import org.moorage.kubernetes.InformerCluster;

/** The clients, each with a program's informers of pods and nodes, and a cluster over them. */
public enum ClientInformers {
    CLIENT_JAVA {
        @Override
        public Open open(Path kubeconfig) throws IOException {
            ApiClient client;
            try (Reader file = Files.newBufferedReader(kubeconfig)) {
                client = ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(file))
                        .setReadTimeout(Duration.ZERO)
                        .build();
            }
            SharedInformerFactory factory = new SharedInformerFactory(client);
            factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
            factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
            factory.startAllRegisteredInformers();
            return new Open(
                    InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(factory)), () -> {
                        factory.stopAllRegisteredInformers();
                        client.getHttpClient().dispatcher().executorService().shutdown();
                    });
        }
    },
    FABRIC8 {
        @Override
        public Open open(Path kubeconfig) {
            KubernetesClient client = new KubernetesClientBuilder()
                    .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                    .build();
            SharedIndexInformer<io.fabric8.kubernetes.api.model.Pod> pods =
                    client.pods().inAnyNamespace().runnableInformer(0);
            SharedIndexInformer<io.fabric8.kubernetes.api.model.Node> nodes =
                    client.nodes().runnableInformer(0);
            pods.exceptionHandler((isStarted, thrown) -> true).start();
            nodes.exceptionHandler((isStarted, thrown) -> true).start();
            return new Open(
                    InformerCluster.of(
                            Fabric8Requests.through(client),
                            new Fabric8Informers(client).with(pods).with(nodes)),
                    () -> {
                        pods.close();
                        nodes.close();
                        client.close();
                    });
        }
    };

    /**
     * An open client.
     *
     * @param cluster is closed with the scheduler
     * @param end closes the informers and the client
     */
    public record Open(InformerCluster cluster, Runnable end) implements AutoCloseable {
        @Override
        public void close() {
            cluster.close();
            end.run();
        }
    }

    /** Starts the informers of the cluster of a kubeconfig. */
    public abstract Open open(Path kubeconfig) throws IOException;
}
