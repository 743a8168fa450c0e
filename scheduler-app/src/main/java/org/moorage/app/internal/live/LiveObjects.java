// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.kubernetes.ApiRequests;
import org.moorage.kubernetes.ObjectLists;
import org.moorage.objects.KeptJson;

/**
 * The objects of a cluster that runs, as {@code kubectl get} has them: of all kinds that decide where pods go, and of
 * those that pods are made of. Secrets and ConfigMaps are not read; {@link KeptFields} excludes what other objects may
 * hold of secrets.
 */
public final class LiveObjects {
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    /** The timeout for the next part of a response. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);

    private static final ObjectKind<OtherObject> PODS = ObjectKind.other("v1", "Pod", "pods", true);
    private static final ObjectKind<OtherObject> NODES = ObjectKind.other("v1", "Node", "nodes", false);

    /**
     * The kinds that are read, those that others refer to first: what the scheduler watches, what admission reads of
     * new pods, and workloads.
     */
    public static final List<ObjectKind<OtherObject>> KINDS = kinds();

    private LiveObjects() {}

    private static List<ObjectKind<OtherObject>> kinds() {
        List<ObjectKind<OtherObject>> kinds = new ArrayList<>();
        kinds.add(ObjectKind.other("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", false));
        kinds.add(ObjectKind.other("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", false));
        kinds.add(ObjectKind.other("v1", "LimitRange", "limitranges", true));
        kinds.add(ObjectKind.other("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates", true));
        kinds.add(ObjectKind.other("scheduling.k8s.io/v1beta1", "Workload", "workloads", true));
        for (ObjectKind<?> typed : ObjectKind.TYPED) {
            if (!typed.equals(ObjectKind.POD)) {
                kinds.add(ObjectKind.other(typed.apiVersion(), typed.kind(), typed.plural(), typed.namespaced()));
            }
        }
        kinds.add(ObjectKind.other("apps/v1", "Deployment", "deployments", true));
        kinds.add(ObjectKind.other("apps/v1", "DaemonSet", "daemonsets", true));
        kinds.add(ObjectKind.other("batch/v1", "Job", "jobs", true));
        kinds.add(ObjectKind.other("batch/v1", "CronJob", "cronjobs", true));
        kinds.add(PODS);
        return List.copyOf(kinds);
    }

    /** Returns whether questions about a cluster require objects of this kind. */
    public static boolean isRequired(ObjectKind<?> kind) {
        return kind.equals(PODS) || kind.equals(NODES);
    }

    /**
     * Lists all objects, kind by kind, page by page: never more than one is in memory. Kinds are read one after the
     * other, and one with very many objects not at a single moment if the server forgets the version of its first page
     * meanwhile.
     *
     * @param requests the API server
     * @param consumer is given each object
     * @return what is missing, a line for each kind that this user may not list
     * @throws ClusterException if nodes or pods cannot be listed, or the server does not answer
     */
    public static List<String> list(ApiRequests requests, Consumer<OtherObject> consumer) {
        List<String> missing = new ArrayList<>();
        for (ObjectKind<OtherObject> kind : KINDS) {
            try {
                list(requests, kind, consumer);
            } catch (ClusterException e) {
                if (isRequired(kind) || e.httpStatus() != FORBIDDEN && e.httpStatus() != NOT_FOUND) {
                    throw e;
                }
                if (e.httpStatus() == FORBIDDEN) {
                    missing.add(kind.kind() + " objects are omitted: " + e.getMessage());
                }
            }
        }
        return missing;
    }

    private static void list(ApiRequests requests, ObjectKind<OtherObject> kind, Consumer<OtherObject> consumer) {
        // A list that restarts because its version has expired returns most objects a second time.
        Set<String> given = new HashSet<>();
        new ObjectLists<>(requests, kind, KeptJson.NONE, READ_TIMEOUT).read(new ObjectLists.Taker<>() {
            @Override
            public void begin() {}

            @Override
            public void add(OtherObject object) {
                if (given.add(object.key())) {
                    consumer.accept(object);
                }
            }
        });
    }
}
