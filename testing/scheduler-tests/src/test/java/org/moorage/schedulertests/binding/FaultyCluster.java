// SPDX-License-Identifier: Apache-2.0
package org.moorage.schedulertests.binding;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.objects.KeptJson;
import org.moorage.runtime.cluster.Cluster;
import org.moorage.runtime.cluster.ClusterListener;
import org.moorage.simulation.cluster.InMemoryCluster;

/** An in-memory cluster whose API server and watch fail as configured by a test. */
final class FaultyCluster {
    /** The handler of a request. */
    interface Request {
        /** Returns the response or throws an exception. {@code real} executes the request in the cluster. */
        @Nullable
        Object answer(Object[] arguments, Callable<@Nullable Object> real) throws Exception;
    }

    private final InMemoryCluster cluster;
    private final Map<String, Request> requests = new ConcurrentHashMap<>();
    private volatile boolean isWatchFrozen;
    private Optional<ClusterListener> listener = Optional.empty();

    FaultyCluster(InMemoryCluster cluster) {
        this.cluster = cluster;
    }

    /** Sets the handler of requests with that name. */
    void on(String method, Request request) {
        requests.put(method, request);
    }

    /** Stops the events of the watch. */
    void freezeWatch() {
        isWatchFrozen = true;
    }

    /** Resumes the watch and lists the pods. */
    void relist() {
        isWatchFrozen = false;
        listener.orElseThrow().replaced(ObjectKind.POD, cluster.all(ObjectKind.POD));
    }

    Cluster asCluster() {
        return (Cluster) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Cluster.class},
                (proxy, method, arguments) -> answer(method, arguments == null ? new Object[0] : arguments));
    }

    private @Nullable Object answer(Method method, Object[] arguments) throws Exception {
        if (method.getName().equals("watch")) {
            ClusterListener target = (ClusterListener) arguments[2];
            listener = Optional.of(target);
            cluster.watch(kinds(arguments[0]), KeptJson.NONE, new Watch(target));
            return null;
        }
        Request request = requests.get(method.getName());
        return request == null ? real(method, arguments) : request.answer(arguments, () -> real(method, arguments));
    }

    private @Nullable Object real(Method method, Object[] arguments) throws Exception {
        try {
            return method.invoke(cluster, arguments);
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failed;
        }
    }

    @SuppressWarnings("unchecked") // the type of the parameter
    private static Set<ObjectKind<?>> kinds(Object argument) {
        return (Set<ObjectKind<?>>) argument;
    }

    private final class Watch implements ClusterListener {
        private final ClusterListener target;

        Watch(ClusterListener target) {
            this.target = target;
        }

        @Override
        public <T extends ClusterObject> void replaced(ObjectKind<T> kind, Collection<T> objects) {
            target.replaced(kind, objects);
        }

        @Override
        public <T extends ClusterObject> void applied(ObjectKind<T> kind, T object) {
            if (!isWatchFrozen) {
                target.applied(kind, object);
            }
        }

        @Override
        public <T extends ClusterObject> void deleted(ObjectKind<T> kind, T object) {
            if (!isWatchFrozen) {
                target.deleted(kind, object);
            }
        }
    }
}
