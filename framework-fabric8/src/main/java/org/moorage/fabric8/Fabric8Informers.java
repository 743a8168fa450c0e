// SPDX-License-Identifier: Apache-2.0
package org.moorage.fabric8;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.moorage.api.model.ObjectKind;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.kubernetes.ObjectInformer;

/**
 * The informers of a program that uses fabric8's client, for an {@link InformerCluster}. The program starts and closes
 * them.
 *
 * <pre>{@code
 * InformerCluster cluster = InformerCluster.of(
 *         Fabric8Requests.through(client), new Fabric8Informers(client).with(pods).with(nodes));
 * }</pre>
 *
 * <p>An informer must have all objects of its kind, in all namespaces, with all fields that scheduling reads. Fields
 * that fabric8's models do not know are kept, so objects of a newer API server lose nothing. If an informer stops, the
 * scheduler keeps its last known objects: make informers continue after errors ({@code
 * SharedIndexInformer.exceptionHandler}), or exit when one stops ({@code stopped}).
 */
public final class Fabric8Informers implements InformerCluster.Informers {
    private final KubernetesSerialization json;
    private final Map<String, SharedIndexInformer<? extends HasMetadata>> informers = new ConcurrentHashMap<>();

    /** Creates an empty set of informers of a client. */
    public Fabric8Informers(KubernetesClient client) {
        json = client.getKubernetesSerialization();
    }

    /** Adds an informer of a kind that has its own model class. */
    public Fabric8Informers with(SharedIndexInformer<? extends HasMetadata> informer) {
        Class<? extends HasMetadata> model = informer.getApiTypeClass();
        return with(HasMetadata.getApiVersion(model), HasMetadata.getKind(model), informer);
    }

    /** Adds an informer of any kind, such as one of {@code GenericKubernetesResource}. */
    public Fabric8Informers with(String apiVersion, String kind, SharedIndexInformer<? extends HasMetadata> informer) {
        informers.put(apiVersion + " " + kind, Objects.requireNonNull(informer, "informer"));
        return this;
    }

    @Override
    public Optional<ObjectInformer<?>> find(ObjectKind<?> kind) {
        SharedIndexInformer<? extends HasMetadata> informer = informers.get(kind.toString());
        return informer == null ? Optional.empty() : Optional.of(new Informer<>(informer, json));
    }

    private record Informer<M extends HasMetadata>(SharedIndexInformer<M> informer, KubernetesSerialization json)
            implements ObjectInformer<M> {
        @Override
        public Runnable onChange(Consumer<M> changed) {
            Handler<M> handler = new Handler<>(changed);
            informer.addEventHandler(handler);
            return () -> informer.removeEventHandler(handler);
        }

        @Override
        public boolean hasSynced() {
            return informer.hasSynced();
        }

        @Override
        public Collection<M> objects() {
            return informer.getStore().list();
        }

        @Override
        public Optional<M> current(M object) {
            return Optional.ofNullable(informer.getStore().get(object));
        }

        @Override
        public Map<String, ?> fields(M object) {
            return Fabric8Models.fields(json, object);
        }
    }

    private record Handler<M extends HasMetadata>(Consumer<M> changed) implements ResourceEventHandler<M> {
        @Override
        public void onAdd(M object) {
            changed.accept(object);
        }

        @Override
        public void onUpdate(M before, M object) {
            if (!isSameVersion(before.getMetadata(), object.getMetadata())) {
                changed.accept(object);
            }
        }

        @Override
        public void onDelete(M object, boolean isFinalStateUnknown) {
            changed.accept(object);
        }

        // True for a resync, which repeatedly delivers all objects.
        private static boolean isSameVersion(ObjectMeta before, ObjectMeta after) {
            return before.getResourceVersion() != null
                    && before.getResourceVersion().equals(after.getResourceVersion())
                    && Objects.equals(before.getUid(), after.getUid());
        }
    }
}
