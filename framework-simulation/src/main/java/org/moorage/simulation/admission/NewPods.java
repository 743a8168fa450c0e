// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.simulation.internal.admission.CreatedPods;

/**
 * An admission of pod manifests: it returns the pod that kube-apiserver v1.37 would store if the manifest were created
 * now, so that a program can evaluate where the pod would be scheduled. The caller passes the objects of the cluster
 * that admission reads, as a watch reports them:
 *
 * <pre>{@code
 * NewPods newPods = new NewPods();
 * newPods.seen(priorityClass);
 * newPods.seen(limitRange);
 * Pod pod = newPods.admit(manifest).pod();
 * Evaluation evaluation = scheduler.evaluate(pod);
 * }</pre>
 *
 * <p>Omitted fields get their defaults. The admission plugins run that are on by default and change fields that
 * scheduling reads: LimitRanger, Priority, DefaultTolerationSeconds and RuntimeClass, and for claims
 * DefaultStorageClass. Webhooks, policies, quotas and PodSecurity are not evaluated. The fields that scheduling reads
 * are validated, and so are names; fields that only a kubelet reads, such as probes, are not.
 *
 * <p>Safe for use by several threads.
 */
public final class NewPods {
    private final CreatedPods created;

    /** Creates the admission of an API server with the default feature gates. */
    public NewPods() {
        this(FeatureGates.DEFAULTS);
    }

    /** Pods of an API server with these features. */
    public NewPods(FeatureGates features) {
        Objects.requireNonNull(features, "features");
        created = new CreatedPods(features);
    }

    /**
     * Adds or replaces an object: a PriorityClass, LimitRange, RuntimeClass, StorageClass, Namespace (nothing is
     * created in one that is being terminated), ResourceClaimTemplate, ResourceClaim, PersistentVolumeClaim or
     * PodGroup. Other objects are ignored.
     *
     * @param json the object in JSON, as the API server returns it
     * @throws ObjectDecodeException if it is not that, or has a shape that the API server would refuse
     */
    public void seen(String json) {
        Objects.requireNonNull(json, "json");
        created.seen(ObjectTrees.of(json));
    }

    /**
     * As {@link #seen(String)}, for an object as a map of its fields, see {@link
     * org.moorage.objects.decode.ObjectDecoder#decode(Map)}.
     */
    public void seen(Map<String, ?> fields) {
        Objects.requireNonNull(fields, "fields");
        created.seen(ObjectTrees.of(fields));
    }

    /**
     * Removes an object.
     *
     * @param json the last JSON of the object, or only the fields that identify it
     * @throws ObjectDecodeException if it is not that
     */
    public void gone(String json) {
        Objects.requireNonNull(json, "json");
        created.gone(ObjectTrees.of(json));
    }

    /** As {@link #gone(String)}, for an object as a map of its fields. */
    public void gone(Map<String, ?> fields) {
        Objects.requireNonNull(fields, "fields");
        created.gone(ObjectTrees.of(fields));
    }

    /**
     * Watches a source for the objects that admission reads, instead of calls of {@link #seen(String)} and {@link
     * #gone(String)}. Returns when all existing objects have been read. An invalid object keeps its last known state; a
     * kind that cannot be listed counts as empty.
     *
     * @param source a source without another watch; the caller closes it after the last request
     * @throws org.moorage.api.plugin.cluster.ClusterException if the objects cannot be read
     */
    public void watch(ClusterSource source) {
        Objects.requireNonNull(source, "source");
        source.watch(AdmissionObjects.KINDS, KeptJson.NONE, new AdmissionObjects(this));
    }

    /**
     * Makes of a manifest the pod that the API server would store, and its claims. Nothing is remembered of it.
     *
     * @param json the pod in JSON; of a template, which has no kind and no name, a pod is made whose name is made up
     * @throws ObjectRefusedException if the API server would refuse the pod
     * @throws ObjectDecodeException if it is no pod, or has a shape that the API server would refuse
     */
    public AdmittedPod admit(String json) {
        Objects.requireNonNull(json, "json");
        return admit(ObjectTrees.of(json));
    }

    /** As {@link #admit(String)}, for a pod as a map of its fields. */
    public AdmittedPod admit(Map<String, ?> fields) {
        Objects.requireNonNull(fields, "fields");
        return admit(ObjectTrees.of(fields));
    }

    private AdmittedPod admit(ObjectNode tree) {
        CreatedPods.CreatedPod pod = created.admit(tree);
        return new AdmittedPod(pod.pod(), pod.claims(), pod.refusedClaims());
    }

    /**
     * Makes of the manifest of a PersistentVolumeClaim what the API server would store. Nothing is remembered of it.
     *
     * @param json the claim in JSON
     * @throws ObjectRefusedException if the API server would refuse it
     * @throws ObjectDecodeException if it is no claim, or has a shape that the API server would refuse
     */
    public PersistentVolumeClaim admitClaim(String json) {
        Objects.requireNonNull(json, "json");
        return created.admitClaim(ObjectTrees.of(json));
    }
}
