// SPDX-License-Identifier: Apache-2.0
package org.moorage.benchmarks;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.moorage.api.Snapshot;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.ObjectLister;

/** The handle of plugins that run without a scheduler around them: it shows the nodes, one namespace and the objects of a workload. */
final class IdleHandle {
    private static final Namespace DEFAULT =
            new Namespace(ObjectMeta.named("default").build());

    private IdleHandle() {}

    static Handle of(Snapshot snapshot, List<ClusterObject> objects) {
        RandomGenerator random = new Random(0);
        InvocationHandler answers = (proxy, method, arguments) -> switch (method.getName()) {
            case "profileName" -> "default-scheduler";
            case "clock" -> InstantSource.system();
            case "random" -> random;
            case "snapshot" -> snapshot;
            case "lister" -> lister((ObjectKind<?>) arguments[0], objects);
            case "featureGates" -> FeatureGates.DEFAULTS;
            case "shared" -> ((Supplier<?>) arguments[1]).get();
            case "nominatedPods" -> List.of();
            case "onChange" -> null; // Nothing changes.
            default -> idle(proxy, method, arguments);
        };
        return proxy(Handle.class, answers);
    }

    // Plugins may keep writers, but nothing is written here.
    private static Object idle(Object proxy, Method method, Object[] arguments) {
        if (method.getReturnType().isInterface()) {
            return proxy(method.getReturnType(), IdleHandle::idle);
        }
        throw new UnsupportedOperationException(method.getName());
    }

    private static <T> T proxy(Class<T> type, InvocationHandler answers) {
        return type.cast(Proxy.newProxyInstance(IdleHandle.class.getClassLoader(), new Class<?>[] {type}, answers));
    }

    private static <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind, List<ClusterObject> objects) {
        List<T> all = kind.equals(ObjectKind.NAMESPACE)
                ? List.of(kind.type().cast(DEFAULT))
                : objects.stream()
                        .filter(kind.type()::isInstance)
                        .map(kind.type()::cast)
                        .toList();
        Map<String, T> byName = new HashMap<>();
        all.forEach(object -> byName.put(object.namespace() + "/" + object.name(), object));
        return new ObjectLister<>() {
            @Override
            public Optional<T> get(String namespace, String name) {
                return Optional.ofNullable(byName.get(namespace + "/" + name));
            }

            @Override
            public Collection<T> all() {
                return all;
            }

            @Override
            public Collection<T> in(String namespace) {
                return List.of();
            }
        };
    }
}
