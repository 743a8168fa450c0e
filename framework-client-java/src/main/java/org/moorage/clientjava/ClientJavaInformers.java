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
 * The informers of a {@link SharedInformerFactory}, for an {@link InformerCluster}. Those that are registered when the scheduler starts
 * count; the program starts them.
 *
 * <pre>{@code
 * InformerCluster cluster = InformerCluster.of(ClientJavaRequests.through(client), new ClientJavaInformers(factory));
 * }</pre>
 *
 * <p>An informer must have all objects of its kind, in all namespaces, and no transformation that removes fields which scheduling reads.
 * What client-java's models cannot say, the scheduler does not see in them; what is watched is read without them, see {@link #without}. So
 * {@code ResourceSlice}s and {@code ResourceClaim}s are watched in any case, unless their informers are added by {@link #with}.
 */
public final class ClientJavaInformers implements InformerCluster.Informers {
    private final SharedInformerFactory factory;
    private final Map<ObjectKind<?>, SharedIndexInformer<? extends KubernetesObject>> added = new ConcurrentHashMap<>();
    private final Set<ObjectKind<?>> left = ConcurrentHashMap.newKeySet();

    /** The informers of a factory. */
    public ClientJavaInformers(SharedInformerFactory factory) {
        this.factory = Objects.requireNonNull(factory, "factory");
    }

    /** Adds an informer of a kind that a plugin asks for, such as a custom resource, or one of another factory. */
    public ClientJavaInformers with(ObjectKind<?> kind, SharedIndexInformer<? extends KubernetesObject> informer) {
        added.put(kind, Objects.requireNonNull(informer, "informer"));
        return this;
    }

    /**
     * Has a kind watched although there is an informer of it: one of a single namespace, say, or one whose models lack fields that a newer
     * API server has.
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

    // Null if there is none, which client-java's Javadoc says and its code does.
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

    // An informer keeps its handlers for ever; this one then holds nothing.
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

        // Of an object that went unseen while the informer was not watching, it has the last known state, or none if it
        // had told of it before.
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

        // A resync, which tells of all objects again and again.
        private static boolean isSameVersion(KubernetesObject before, KubernetesObject after) {
            V1ObjectMeta first = before.getMetadata();
            V1ObjectMeta second = after.getMetadata();
            return first.getResourceVersion() != null
                    && first.getResourceVersion().equals(second.getResourceVersion())
                    && Objects.equals(first.getUid(), second.getUid());
        }
    }
}
