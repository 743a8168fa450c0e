// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.clients;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.moorage.clientjava.ClientJavaInformers;
import org.moorage.clientjava.ClientJavaRequests;
import org.moorage.clientjava.LenientListerWatcher;
import org.moorage.fabric8.Fabric8Informers;
import org.moorage.fabric8.Fabric8Requests;
import org.moorage.kubernetes.InformerCluster;

/** The clients, each with informers of pods and nodes that a program has for itself, and a cluster over them. */
public enum ClientInformers {
    CLIENT_JAVA {
        @Override
        Open open(String address) {
            ApiClient client = new ApiClient().setBasePath(address);
            client.setReadTimeout(0);
            return open(client);
        }

        @Override
        public Open open(Path kubeconfig) {
            try (Reader file = Files.newBufferedReader(kubeconfig)) {
                ApiClient client = ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(file))
                        .setReadTimeout(Duration.ZERO)
                        .build();
                return open(client);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private Open open(ApiClient client) {
            // region client-java
            SharedInformerFactory factory = new SharedInformerFactory(client);
            factory.sharedIndexInformerFor(LenientListerWatcher.pods(client), V1Pod.class, 0);
            factory.sharedIndexInformerFor(LenientListerWatcher.nodes(client), V1Node.class, 0);
            factory.startAllRegisteredInformers();

            InformerCluster cluster =
                    InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(factory));
            // endregion
            return new Open(
                    cluster,
                    () -> {
                        factory.stopAllRegisteredInformers();
                        client.getHttpClient().dispatcher().executorService().shutdown();
                    },
                    kind -> kind.equals("pods")
                            ? factory.getExistingSharedIndexInformer(V1Pod.class)
                                    .getIndexer()
                                    .list()
                                    .size()
                            : factory.getExistingSharedIndexInformer(V1Node.class)
                                    .getIndexer()
                                    .list()
                                    .size());
        }
    },
    FABRIC8 {
        @Override
        Open open(String address) {
            return open(new ConfigBuilder(Config.empty())
                    .withMasterUrl(address)
                    .withOnlyHttpWatches(true)
                    .build());
        }

        @Override
        public Open open(Path kubeconfig) {
            return open(Config.fromKubeconfig(kubeconfig.toFile()));
        }

        private Open open(Config config) {
            KubernetesClient client =
                    new KubernetesClientBuilder().withConfig(config).build();
            // region fabric8
            SharedIndexInformer<io.fabric8.kubernetes.api.model.Pod> pods =
                    client.pods().inAnyNamespace().runnableInformer(0);
            SharedIndexInformer<io.fabric8.kubernetes.api.model.Node> nodes =
                    client.nodes().runnableInformer(0);
            pods.exceptionHandler((isStarted, thrown) -> true).start();
            nodes.exceptionHandler((isStarted, thrown) -> true).start();

            InformerCluster cluster = InformerCluster.of(
                    Fabric8Requests.through(client),
                    new Fabric8Informers(client).with(pods).with(nodes));
            // endregion
            return new Open(
                    cluster,
                    () -> {
                        pods.close();
                        nodes.close();
                        client.close();
                    },
                    kind -> (kind.equals("pods") ? pods : nodes)
                            .getStore()
                            .list()
                            .size());
        }
    };

    /** Tells how many objects an informer has. */
    @FunctionalInterface
    public interface Counts {
        /** Of {@code pods} or {@code nodes}. */
        int of(String kind);
    }

    /**
     * A client that is open.
     *
     * @param cluster is closed with the scheduler
     * @param end closes all else
     * @param counts what the informers have
     */
    public record Open(InformerCluster cluster, Runnable end, Counts counts) implements AutoCloseable {
        @Override
        public void close() {
            cluster.close();
            end.run();
        }
    }

    /** Informers of a server without credentials. */
    abstract Open open(String address);

    /** Informers of the server of a kubeconfig. */
    public abstract Open open(Path kubeconfig);
}
