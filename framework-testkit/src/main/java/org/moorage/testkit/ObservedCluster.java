// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.builtin.ResourceClaimWriter;
import org.moorage.api.plugin.builtin.VolumeWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterWriter;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.simulation.cluster.InMemoryCluster;

/** A cluster that records each requested change, and can be configured to reject changes. */
final class ObservedCluster {
    private static final Set<Class<?>> WRITERS =
            Set.of(ClusterWriter.class, VolumeWriter.class, ResourceClaimWriter.class);

    private final InMemoryCluster cluster;
    private final List<Write> writes = new CopyOnWriteArrayList<>();
    private volatile @Nullable ClusterException failure;
    private volatile boolean showsDeletions = true;
    private volatile boolean showsEndedPods = true;
    private volatile boolean hasVolumeController = true;

    ObservedCluster(InMemoryCluster cluster) {
        this.cluster = cluster;
    }

    Cluster asCluster() {
        return (Cluster) observed(cluster, Cluster.class);
    }

    List<Write> writes() {
        return List.copyOf(writes);
    }

    void fail(ClusterException with) {
        failure = with;
    }

    void delayDeletions() {
        showsDeletions = false;
    }

    void hideEndedPods() {
        showsEndedPods = false;
    }

    void stopVolumeController() {
        hasVolumeController = false;
    }

    private Object observed(Object target, Class<?> type) {
        InvocationHandler handler =
                (proxy, method, arguments) -> call(target, method, arguments == null ? new Object[0] : arguments);
        return Proxy.newProxyInstance(ObservedCluster.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private @Nullable Object call(Object target, Method method, Object[] arguments) throws Throwable {
        if (WRITERS.contains(method.getReturnType())) {
            return observed(invoke(target, method, arguments), method.getReturnType());
        }
        if (method.getName().equals("watch")) {
            return invoke(
                    target, method, new Object[] {arguments[0], arguments[1], new Watch((ClusterListener) arguments[2])
                    });
        }
        if (!WRITERS.contains(method.getDeclaringClass())) {
            return invoke(target, method, arguments);
        }
        ClusterException with = failure;
        // Reports never fail.
        if (with != null && !method.getName().equals("report")) {
            throw with;
        }
        writes.add(new Write(method.getName(), Arrays.asList(arguments)));
        if (!showsDeletions && method.getName().equals("delete") && arguments[0] instanceof Pod) {
            return null;
        }
        if (!hasVolumeController && arguments[0] instanceof PersistentVolume volume) {
            return written(volume.boundTo((PersistentVolumeClaim) arguments[1]));
        }
        if (!hasVolumeController && arguments[0] instanceof PersistentVolumeClaim claim) {
            return written(claim.withSelectedNode((String) arguments[1]));
        }
        return invoke(target, method, arguments);
    }

    private ClusterObject written(ClusterObject object) {
        cluster.apply(object);
        return object;
    }

    /**
     * Forwards changes to the scheduler. If terminated pods are hidden, as by the API server's watch, a pod that
     * terminates is reported as deleted.
     */
    private final class Watch implements ClusterListener {
        private final ClusterListener listener;

        Watch(ClusterListener listener) {
            this.listener = listener;
        }

        private boolean isHidden(ClusterObject object) {
            return !showsEndedPods && object instanceof Pod pod && pod.status().isTerminal();
        }

        @Override
        public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
            listener.replaced(
                    kind, objects.stream().filter(object -> !isHidden(object)).toList());
        }

        @Override
        public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
            if (isHidden(object)) {
                listener.known(kind, object.namespace(), object.name())
                        .ifPresent(known -> listener.deleted(kind, known));
            } else {
                listener.applied(kind, object);
            }
        }

        @Override
        public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
            if (!isHidden(object)) {
                listener.deleted(kind, object);
            }
        }

        @Override
        public <T extends ClusterObject> void unavailable(ObjectKind<T> kind, String reason) {
            listener.unavailable(kind, reason);
        }

        @Override
        public <T extends ClusterObject> Optional<T> known(ObjectKind<T> kind, String namespace, String name) {
            return listener.known(kind, namespace, name);
        }
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getCause() == null ? failed : failed.getCause();
        }
    }
}
