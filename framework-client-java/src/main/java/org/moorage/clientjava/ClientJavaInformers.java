// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ObjectKind;
import org.moorage.kubernetes.InformerCluster;
import org.moorage.kubernetes.ObjectInformer;

/**
 * The informers of a {@link SharedInformerFactory}, for an {@link InformerCluster}. Only informers that are registered
 * before the scheduler starts are used; the program starts them.
 *
 * <pre>{@code
 * InformerCluster cluster = InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(factory));
 * }</pre>
 *
 * <p>An informer must have all objects of its kind, in all namespaces, and no transformation that removes fields which
 * scheduling reads. Fields that client-java's models lack are invisible to the scheduler; watched kinds are read
 * without the models, see {@link #without}. {@code ResourceSlice}s and {@code ResourceClaim}s are therefore always
 * watched, unless their informers are added by {@link #with}.
 */
public final class ClientJavaInformers implements InformerCluster.Informers {
    private final SharedInformerFactory factory;
    private final Map<ObjectKind<?>, SharedIndexInformer<? extends KubernetesObject>> added = new ConcurrentHashMap<>();
    private final Set<ObjectKind<?>> left = ConcurrentHashMap.newKeySet();

    /** Creates an adapter of a factory's informers. */
    public ClientJavaInformers(SharedInformerFactory factory) {
        this.factory = Objects.requireNonNull(factory, "factory");
    }

    /**
     * Adds an informer of a kind that a plugin requests, such as a custom resource, or an informer of another factory.
     */
    public ClientJavaInformers with(ObjectKind<?> kind, SharedIndexInformer<? extends KubernetesObject> informer) {
        added.put(kind, Objects.requireNonNull(informer, "informer"));
        return this;
    }

    /**
     * Excludes the informer of a kind, which is then watched: for example if the informer covers a single namespace, or
     * its model lacks fields of a newer API server.
     */
    public ClientJavaInformers without(ObjectKind<?> kind) {
        left.add(kind);
        return this;
    }

    @Override
    public Optional<ObjectInformer<?>> find(ObjectKind<?> kind) {
        if (left.contains(kind)) {
            return Optional.empty();
        }
        SharedIndexInformer<? extends KubernetesObject> own = added.get(kind);
        return own == null
                ? ModelKinds.completeModel(kind).flatMap(model -> registered(kind, model))
                : Optional.of(new Informer<>(kind, own));
    }

    // Null if there is no informer, in client-java's Javadoc and code.
    private Optional<ObjectInformer<?>> registered(ObjectKind<?> kind, Class<? extends KubernetesObject> model) {
        SharedIndexInformer<? extends KubernetesObject> informer = factory.getExistingSharedIndexInformer(model);
        return informer == null ? Optional.empty() : Optional.of(new Informer<>(kind, informer));
    }

    private record Informer<M extends KubernetesObject>(ObjectKind<?> kind, SharedIndexInformer<M> informer)
            implements ObjectInformer<M> {
        @Override
        public Runnable onChange(Consumer<M> changed) {
            Handler<M> handler = new Handler<>(changed);
            informer.addEventHandler(handler);
            return handler::close;
        }

        @Override
        public boolean hasSynced() {
            return informer.hasSynced();
        }

        @Override
        public Collection<M> objects() {
            return informer.getIndexer().list();
        }

        @Override
        @SuppressWarnings("unchecked") // the store says only that it is an object
        public Optional<M> current(M object) {
            return Optional.ofNullable((M) informer.getIndexer().get(object));
        }

        @Override
        public Map<String, ?> fields(M object) {
            return ModelJson.fields(kind, object);
        }
    }

    // An informer never removes its handlers; once ended, this one holds no references.
    private static final class Handler<M extends KubernetesObject> implements ResourceEventHandler<M> {
        private volatile @Nullable Consumer<M> changed;

        Handler(Consumer<M> changed) {
            this.changed = changed;
        }

        void close() {
            changed = null;
        }

        @Override
        public void onAdd(M object) {
            tell(object);
        }

        @Override
        public void onUpdate(M before, M object) {
            if (!isSameVersion(before, object)) {
                tell(object);
            }
        }

        // If the object was deleted while the informer was not watching, the argument is its last known state, or null
        // if the informer had already reported the deletion.
        @Override
        public void onDelete(@Nullable M object, boolean isFinalStateUnknown) {
            if (object != null) {
                tell(object);
            }
        }

        private void tell(M object) {
            Consumer<M> told = changed;
            if (told != null) {
                told.accept(object);
            }
        }

        // True for a resync, which repeatedly delivers all objects.
        private static boolean isSameVersion(KubernetesObject before, KubernetesObject after) {
            V1ObjectMeta first = before.getMetadata();
            V1ObjectMeta second = after.getMetadata();
            return first.getResourceVersion() != null
                    && first.getResourceVersion().equals(second.getResourceVersion())
                    && Objects.equals(first.getUid(), second.getUid());
        }
    }
}
