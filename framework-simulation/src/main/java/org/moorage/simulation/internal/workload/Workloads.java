// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.ObjectKey;

/**
 * The objects that controllers create for workloads: the pods of deployments, replica sets, replication controllers,
 * stateful sets, daemon sets and jobs, the replica sets of deployments, the claims of stateful sets and, with {@code
 * WorkloadWithJob}, the groups of jobs; optionally a job of each cron job. Existing pods count, so that only missing
 * pods are created; surplus pods and pods from a former template are deleted.
 *
 * <p>Names are those that controllers use. Random names have the same form, and are the same in each run.
 */
public final class Workloads {
    /** The maximum number of pods to create, since each needs memory. Kubernetes supports clusters of 150,000 pods. */
    public static final int MOST_PODS = 500_000;

    static final String NO_REPLICAS = "replicas: 0";
    static final String NOT_SELECTED =
            "refused by the API server: spec.selector does not select the pods of the template";

    private final OwnedPods pods = new OwnedPods();
    private final ReplicaSets replicaSets = new ReplicaSets(pods);
    private final StatefulSets statefulSets = new StatefulSets(pods);
    private final JobGroups groups;
    private final Jobs jobs;
    private final DaemonSets daemonSets;
    private final boolean startsCronJobs;
    /** The workloads whose pods are from a former template. */
    private final Set<ObjectKey> changedTemplates = new HashSet<>();

    /**
     * Creates the workloads of a cluster without objects; {@link #seen} adds them.
     *
     * @param features which features are on
     * @param startsCronJobs whether cron jobs start a job
     */
    public Workloads(FeatureGates features, boolean startsCronJobs) {
        daemonSets = new DaemonSets(pods, features.tolerationOperators());
        groups = new JobGroups(pods, features.isEnabled(FeatureGates.WORKLOAD_WITH_JOB));
        jobs = new Jobs(pods, groups);
        this.startsCronJobs = startsCronJobs;
    }

    /** Returns whether a controller creates pods for an object. */
    public static boolean isWorkload(ObjectNode object) {
        return switch (kindOf(object)) {
            case "apps/Deployment",
                    "apps/ReplicaSet",
                    "/ReplicationController",
                    "apps/StatefulSet",
                    "apps/DaemonSet",
                    "batch/Job",
                    "batch/CronJob" -> Fields.isAbsent(object.path("metadata").path("deletionTimestamp"));
            default -> false;
        };
    }

    private static String kindOf(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        return key.group() + "/" + key.kind();
    }

    /**
     * Records that a workload replaces the one with its name; the existing pods are from the template of the former
     * one.
     */
    public void replaced(ObjectNode former, ObjectNode workload) {
        if (isWorkload(workload) && former.path("spec").path("template") instanceof ObjectNode) {
            PodTemplate template = PodTemplate.of(workload);
            PodTemplate before = PodTemplate.of(former);
            if (!template.makesPodsOf(before, Deployments.HASH, before.isPruned())) {
                changedTemplates.add(ObjectKey.of(workload));
            }
        }
    }

    /** Adds an object of the cluster, with its uid. */
    public void seen(ObjectNode object) {
        switch (kindOf(object)) {
            case "/Pod" -> pods.seen(object);
            case "/PersistentVolumeClaim" -> statefulSets.seenClaim(object);
            case "apps/Deployment" -> replicaSets.seenDeployment(object);
            case "apps/ReplicaSet" -> replicaSets.seen(object);
            case "scheduling.k8s.io/Workload", "scheduling.k8s.io/PodGroup" -> groups.seen(object);
            default -> {}
        }
    }

    private static void checkCount(ObjectNode workload) {
        String path = switch (kindOf(workload)) {
            case "batch/CronJob" -> "spec.jobTemplate.spec.parallelism";
            case "batch/Job" -> "spec.parallelism";
            default -> "spec.replicas";
        };
        JsonNode spec =
                workload.at("/" + path.substring(0, path.lastIndexOf('.')).replace('.', '/'));
        long count = spec.path(path.substring(path.lastIndexOf('.') + 1)).asLong();
        // A job never has more pods at the same time than completions.
        long most = path.endsWith("parallelism") ? spec.path("completions").asLong(count) : count;
        if (Math.min(count, most) > MOST_PODS) {
            throw new ClusterFileException(
                    path + ": " + count + " (expected: at most " + MOST_PODS + ", since each pod is made)");
        }
    }

    /**
     * Returns the names of the pods of a workload that have been {@link #seen}, without pods that have ended or are
     * being deleted.
     */
    public List<String> activePods(ObjectNode workload) {
        List<String> names = new ArrayList<>();
        for (OwnedPods.OwnedPod pod : pods.of(ObjectKey.of(workload))) {
            if (pod.state() == OwnedPods.State.ACTIVE) {
                names.add(pod.name());
            }
        }
        return names;
    }

    /**
     * Returns what the controller of a workload creates and deletes. Called after all objects have been {@link #seen}.
     *
     * @param workload an object for which {@link #isWorkload} holds
     * @param nodes the nodes of the cluster
     * @throws org.moorage.objects.ClusterFileException if a field that matters has a shape that the API server would
     *     refuse
     * @throws org.moorage.objects.ObjectDecodeException if a value has the wrong type
     */
    public MadeObjects make(ObjectNode workload, List<Node> nodes) {
        checkCount(workload);
        boolean hasNewTemplate = changedTemplates.contains(ObjectKey.of(workload));
        return switch (kindOf(workload)) {
            case "apps/Deployment" -> replicaSets.ofDeployment(workload, hasNewTemplate);
            case "apps/ReplicaSet" -> replicaSets.ofReplicaSet(workload);
            case "/ReplicationController" -> replicaSets.ofReplicationController(workload);
            case "apps/StatefulSet" -> statefulSets.of(workload, hasNewTemplate);
            case "apps/DaemonSet" -> daemonSets.of(workload, hasNewTemplate, nodes);
            case "batch/Job" -> jobs.ofJob(workload);
            case "batch/CronJob" -> jobs.ofCronJob(workload, startsCronJobs);
            default -> throw new IllegalArgumentException("workload: " + kindOf(workload) + " (expected: a workload)");
        };
    }
}
