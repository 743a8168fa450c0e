// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.TreeDecoder;

/**
 * Makes of the manifests of pods what kube-apiserver would store if they were created in a cluster that is known, and
 * the claims that controllers would create for them. Nothing is remembered of what is made.
 *
 * <p>Safe for use by several threads.
 */
public final class CreatedPods {
    private final Admission admission;
    private final TemplatedResourceClaims resourceClaims;
    private final Set<ObjectKey> volumeClaims = ConcurrentHashMap.newKeySet();
    private final TreeDecoder decoder = new TreeDecoder();

    /**
     * A pod as it is stored.
     *
     * @param claims the claims that would be created for it
     * @param refusedClaims why others would be refused
     */
    public record CreatedPod(Pod pod, List<ClusterObject> claims, List<String> refusedClaims) {
        public CreatedPod {
            claims = List.copyOf(claims);
            refusedClaims = List.copyOf(refusedClaims);
        }
    }

    /** Creates the pods of a cluster with these features and no objects yet. */
    public CreatedPods(FeatureGates features) {
        admission = new Admission(features);
        resourceClaims = new TemplatedResourceClaims(features);
    }

    /**
     * Creates the pods of a cluster with additional objects, which are not added to the cluster itself.
     *
     * @param cluster contains the existing claims
     * @param objects the other objects of the cluster that admission reads
     */
    public CreatedPods(FeatureGates features, CreatedPods cluster, Collection<ObjectNode> objects) {
        this(features);
        volumeClaims.addAll(cluster.volumeClaims);
        resourceClaims.takenAlso(cluster.resourceClaims);
        objects.forEach(this::seen);
    }

    /**
     * Takes note of an object that is there, or has changed.
     *
     * @param tree is kept, unless it is of a claim
     * @throws ObjectDecodeException if it has a shape that the API server would refuse
     */
    public void seen(ObjectNode tree) {
        try {
            ObjectKey key = inNamespace(tree);
            if (key.isPersistentVolumeClaim()) {
                volumeClaims.add(key);
            } else if (!key.isPod()) {
                admission.seen(tree);
                resourceClaims.seen(tree);
            }
        } catch (ClusterFileException e) {
            throw malformed(e);
        }
    }

    /**
     * Removes an object.
     *
     * @throws ObjectDecodeException if it has a shape that the API server would refuse
     */
    public void gone(ObjectNode tree) {
        try {
            volumeClaims.remove(inNamespace(tree));
        } catch (ClusterFileException e) {
            throw malformed(e);
        }
        admission.gone(tree);
        resourceClaims.gone(tree);
    }

    /**
     * Makes a pod.
     *
     * @param tree its manifest, which becomes what is stored
     * @throws ObjectRefusedException if the API server would refuse the pod
     * @throws ObjectDecodeException if it is no pod, or has a shape that the API server would refuse
     */
    public CreatedPod admit(ObjectNode tree) {
        admitAlone(tree);
        return withClaims(tree);
    }

    /** As {@link #admit}, without the claims, which controllers create later. */
    public void admitAlone(ObjectNode tree) {
        admit(tree, admission::admit);
    }

    /**
     * As {@link #admit}, for a pod that a controller creates from a template of the cluster, see {@link
     * Admission#admitOfTemplate}.
     */
    public CreatedPod admitOfTemplate(ObjectNode tree) {
        admit(tree, admission::admitOfTemplate);
        return withClaims(tree);
    }

    private static void admit(ObjectNode tree, Consumer<ObjectNode> admission) {
        try {
            Fields pod = Fields.of(tree);
            pod.whenAbsent("apiVersion", "v1");
            pod.whenAbsent("kind", "Pod");
            if (!inNamespace(tree).isPod()) {
                throw pod.wrong("kind", tree.path("kind"), "Pod");
            }
            if (pod.struct("metadata").isBlank("name")) {
                pod.struct("metadata").whenBlank("generateName", "pod-");
            }
            admission.accept(tree);
        } catch (ClusterFileException e) {
            throw malformed(e);
        }
    }

    /**
     * Makes the claims of a pod that has been admitted.
     *
     * @param tree the pod as it is stored
     */
    public CreatedPod withClaims(ObjectNode tree) {
        try {
            List<ClusterObject> claims = new ArrayList<>();
            List<String> refused = new ArrayList<>();
            for (ObjectNode claim : EphemeralClaims.of(tree)) {
                if (!volumeClaims.contains(ObjectKey.of(claim))) {
                    try {
                        admission.admit(claim);
                        claims.add(decoder.decode(claim));
                    } catch (ObjectRefusedException e) {
                        refused.add(Objects.requireNonNullElse(e.getMessage(), ""));
                    }
                }
            }
            claims.addAll(resourceClaims(tree));
            return new CreatedPod(decoder.pod(tree, KeptJson.NONE), claims, refused);
        } catch (ClusterFileException e) {
            throw malformed(e);
        }
    }

    private List<ClusterObject> resourceClaims(ObjectNode owner) {
        List<ClusterObject> claims = new ArrayList<>(0);
        for (ObjectNode claim : resourceClaims.createdFor(owner)) {
            admission.admit(claim);
            claims.add(decoder.decode(claim));
        }
        return claims;
    }

    /**
     * Validates a new object that is not a pod, such as a workload.
     *
     * @throws ObjectRefusedException if the API server would refuse it
     * @throws ObjectDecodeException if it has a shape that the API server would refuse
     */
    public void validate(ObjectNode tree) {
        try {
            admission.validate(tree);
        } catch (ClusterFileException e) {
            throw malformed(e);
        }
    }

    /**
     * Creates an object that pods may need, and takes note of it.
     *
     * @param tree its manifest, which becomes what is stored
     * @throws ObjectRefusedException if the API server would refuse it
     * @throws ObjectDecodeException if it has a shape that the API server would refuse
     */
    public void create(ObjectNode tree) {
        try {
            inNamespace(tree);
            admission.requirePriorityClass(tree);
            admission.admit(tree);
            seen(tree);
        } catch (ClusterFileException e) {
            throw malformed(e);
        }
    }

    /**
     * Returns a created object and, for a pod group, the claims from its templates.
     *
     * @throws ObjectDecodeException if it has a shape that the API server would refuse
     */
    public List<ClusterObject> withClaimsOfGroup(ObjectNode tree) {
        List<ClusterObject> claims = resourceClaims(tree);
        List<ClusterObject> objects = new ArrayList<>(claims);
        objects.add(decoder.decode(tree));
        return objects;
    }

    /**
     * Makes a claim to a volume.
     *
     * @param tree its manifest, which becomes what is stored
     * @throws ObjectRefusedException if the API server would refuse it
     * @throws ObjectDecodeException if it is no claim, or has a shape that the API server would refuse
     */
    public PersistentVolumeClaim admitClaim(ObjectNode tree) {
        try {
            ObjectKey key = inNamespace(tree);
            if (!key.isPersistentVolumeClaim()) {
                throw Fields.of(tree).wrong("kind", tree.path("kind"), "PersistentVolumeClaim");
            }
            admission.admit(tree);
            return decoder.decode(ObjectKind.PERSISTENT_VOLUME_CLAIM, tree, KeptJson.NONE);
        } catch (ClusterFileException e) {
            throw malformed(e);
        }
    }

    private static ObjectDecodeException malformed(ClusterFileException e) {
        return new ObjectDecodeException(Objects.requireNonNullElse(e.getMessage(), ""));
    }

    private static ObjectKey inNamespace(ObjectNode tree) {
        if (!ObjectKey.of(tree).isClusterScoped()) {
            Fields.of(tree).struct("metadata").whenBlank("namespace", "default");
        }
        return ObjectKey.of(tree);
    }
}
