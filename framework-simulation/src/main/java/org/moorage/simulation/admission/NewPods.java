// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Objects;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.tree.ObjectTrees;
import org.moorage.runtime.cluster.ClusterSource;
import org.moorage.simulation.internal.admission.CreatedPods;

/**
 * Makes of the manifest of a pod what kube-apiserver v1.37 would store if the pod were created now, so that a program can ask where it would go.
 * It is told of the objects of the cluster that admission reads, as a watch tells of them:
 *
 * <pre>{@code
 * NewPods newPods = new NewPods();
 * newPods.seen(priorityClass);
 * newPods.seen(limitRange);
 * Pod pod = newPods.admit(manifest).pod();
 * Evaluation evaluation = scheduler.evaluate(pod);
 * }</pre>
 *
 * <p>What the manifest leaves out gets its defaults, and those admission plugins take part that are on by default and change what scheduling reads:
 * LimitRanger, Priority, DefaultTolerationSeconds and RuntimeClass, and of claims DefaultStorageClass. Webhooks, policies, quotas and PodSecurity are
 * not asked. A pod is validated in all that scheduling reads, and in its names; fields that only a kubelet reads, such as probes, are not validated.
 *
 * <p>Safe for use by several threads.
 */
public final class NewPods {
    private final CreatedPods created;

    /** Pods of an API server with the features that are on by default. */
    public NewPods() {
        this(FeatureGates.DEFAULTS);
    }

    /** Pods of an API server with these features. */
    public NewPods(FeatureGates features) {
        Objects.requireNonNull(features, "features");
        created = new CreatedPods(features);
    }

    /**
     * Takes note of an object that is there, or has changed: a PriorityClass, LimitRange, RuntimeClass, StorageClass, Namespace (nothing is created in
     * one that is being terminated), ResourceClaimTemplate, ResourceClaim, PersistentVolumeClaim or PodGroup. Other objects are passed over.
     *
     * @param json the object in JSON, as the API server gives it
     * @throws ObjectDecodeException if it is not that, or has a shape that the API server would refuse
     */
    public void seen(String json) {
        Objects.requireNonNull(json, "json");
        created.seen(ObjectTrees.of(json));
    }

    /** As {@link #seen(String)}, for an object as other clients have it, see {@link org.moorage.objects.decode.ObjectDecoder#decode(Map)}. */
    public void seen(Map<String, ?> fields) {
        Objects.requireNonNull(fields, "fields");
        created.seen(ObjectTrees.of(fields));
    }

    /**
     * Takes note that an object is no longer there.
     *
     * @param json the object in JSON as it was, or as much of it as names it
     * @throws ObjectDecodeException if it is not that
     */
    public void gone(String json) {
        Objects.requireNonNull(json, "json");
        created.gone(ObjectTrees.of(json));
    }

    /** As {@link #gone(String)}, for an object as other clients have it. */
    public void gone(Map<String, ?> fields) {
        Objects.requireNonNull(fields, "fields");
        created.gone(ObjectTrees.of(fields));
    }

    /**
     * Has a source tell of the objects that admission reads, now and when they change, so that nothing is left to {@link #seen(String)} and {@link
     * #gone(String)}. Returns when it has told of all that there are. An object that cannot be read stays as it was known; of a kind that cannot be
     * listed there are none.
     *
     * @param source one that nobody else watches, to be closed by who has it when no more questions are asked
     * @throws org.moorage.api.plugin.ClusterException if the objects cannot be had
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

    /** As {@link #admit(String)}, for a pod as other clients have it. */
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
