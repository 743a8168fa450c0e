// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.internal.ClusterFiles;
import org.moorage.objects.internal.Fields;
import org.moorage.objects.internal.InputNotes;
import org.moorage.objects.internal.ObjectKey;
import org.moorage.objects.internal.TreeDecoder;
import org.moorage.simulation.admission.AdmittedPod;
import org.moorage.simulation.admission.RecreatedPod;
import org.moorage.simulation.internal.admission.Admission;
import org.moorage.simulation.internal.admission.CreatedPods;
import org.moorage.simulation.internal.admission.Defaulting;
import org.moorage.simulation.internal.cluster.CustomResources;
import org.moorage.simulation.internal.workload.MadeObjects;
import org.moorage.simulation.internal.workload.StatefulSets;
import org.moorage.simulation.internal.workload.Workloads;

/**
 * Makes of manifests the pods that there would be if they were applied to a cluster: as {@link ClusterDumpReader} makes those of the workloads
 * in a dump, with the cluster's LimitRanges, PriorityClasses and so on ({@link org.moorage.simulation.admission.NewPods}). Which cluster it is, the reader of a dump {@linkplain
 * ClusterDumpReader#telling tells}. Nothing is remembered of a manifest. Safe for use by several threads once the cluster is read.
 *
 * <pre>{@code
 * Manifests manifests = new Manifests(features);
 * ClusterDump dump = new ClusterDumpReader(config, registry).telling(manifests).read(sources, stdin);
 * Manifests.Contents asked = manifests.read(List.of("web.yaml"), stdin, nodes);
 * }</pre>
 */
public final class Manifests {
    /** So many pods of one manifest are made at most. */
    public static final int MOST_PODS = 10_000;

    private static final Set<String> READ_BY_ADMISSION = Set.of(
            "PriorityClass",
            "PodGroup",
            "RuntimeClass",
            "StorageClass",
            "ResourceClaimTemplate",
            "LimitRange",
            "Namespace");
    /** Of these only the names count, and there may be many. */
    private static final Set<String> KNOWN_BY_NAME = Set.of("PersistentVolumeClaim", "ResourceClaim");

    private final FeatureGates features;
    private final CreatedPods created;
    private final Workloads onNodes;
    private final Workloads waiting;
    private final Set<ObjectKey> podsOnNodes = new HashSet<>();
    private final List<ObjectNode> daemonSets = new ArrayList<>();
    private final List<ObjectNode> readByAdmission = new ArrayList<>();
    private final TreeDecoder decoder = new TreeDecoder();
    private final CustomResources customResources = new CustomResources(decoder);

    /**
     * What is in manifests.
     *
     * @param pods what each manifest with pods asks for, in order
     * @param notes what was passed over or may be a mistake, a sentence each
     */
    public record Contents(List<ManifestPods> pods, List<String> notes) {
        public Contents {
            pods = List.copyOf(pods);
            notes = List.copyOf(notes);
        }

        /** Which manifests have fewer pods here than they ask for, a sentence each. */
        public List<String> missing() {
            List<String> missing = new ArrayList<>();
            for (ManifestPods manifest : pods) {
                if (!manifest.whyNone().isEmpty()) {
                    missing.add("no pods are made of " + manifest.title() + " (" + manifest.whyNone() + ")");
                } else if (manifest.pods().size() < manifest.asked()) {
                    missing.add(manifest.title() + " asks for " + manifest.asked() + " pods; only "
                            + manifest.pods().size() + " are made");
                }
            }
            return missing;
        }

        /** The same manifests with other pods. */
        public Contents withPods(UnaryOperator<Pod> change) {
            List<ManifestPods> changed = new ArrayList<>();
            pods.forEach(manifest -> changed.add(manifest.withPods(change)));
            return new Contents(changed, notes);
        }

        /**
         * The objects of a cluster with these pods and what they need, as they would be if the manifests were applied.
         *
         * @param cluster the objects as they are
         */
        public List<ClusterObject> appliedTo(List<ClusterObject> cluster) {
            Set<String> replaced = new HashSet<>();
            pods.forEach(manifest -> replaced.addAll(manifest.waiting()));
            List<ClusterObject> objects = new ArrayList<>();
            for (ClusterObject object : cluster) {
                boolean isReplaced = object instanceof Pod pod && !pod.isBound() && replaced.contains(pod.key());
                if (!isReplaced) {
                    objects.add(object);
                }
            }
            for (ManifestPods manifest : pods) {
                objects.addAll(manifest.objects());
                for (AdmittedPod pod : manifest.pods()) {
                    objects.addAll(pod.claims());
                    objects.add(pod.pod());
                }
            }
            return objects;
        }
    }

    /** Manifests for a cluster with these features, of which nothing is known yet. */
    public Manifests(FeatureGates features) {
        this.features = Objects.requireNonNull(features, "features");
        created = new CreatedPods(features);
        onNodes = new Workloads(features, true);
        waiting = new Workloads(features, true);
    }

    /** Takes note of an object of the cluster, with its uid. */
    void seen(ObjectNode tree) {
        ObjectKey key = ObjectKey.of(tree);
        if (key.isPod()) {
            boolean hasNode = !tree.path("spec").path("nodeName").asText("").isEmpty();
            (hasNode ? onNodes : waiting).seen(tree);
            if (hasNode) {
                podsOnNodes.add(key);
            }
        } else if (!key.kind().equals("ReplicaSet")) {
            // With its replica sets, a deployment would make no pods itself.
            onNodes.seen(tree);
        }
        if (key.group().equals("apps") && key.kind().equals("DaemonSet")) {
            daemonSets.add(tree);
        } else if (READ_BY_ADMISSION.contains(key.kind())) {
            // The reader completes what it has read.
            ObjectNode copy = tree.deepCopy();
            readByAdmission.add(copy);
            created.seen(copy);
        } else if (KNOWN_BY_NAME.contains(key.kind())) {
            created.seen(tree);
        }
        customResources.seen(tree);
    }

    /** The objects of the cluster that decide how others are admitted. */
    List<ObjectNode> readByAdmission() {
        return readByAdmission;
    }

    /** The kinds of custom resources that the cluster defines. */
    CustomResources customResources() {
        return customResources.copy();
    }

    /**
     * Reads manifests and makes their pods. Objects that have no pods are passed over: what pods need beside them belongs to the cluster.
     *
     * @param sources files, folders, or {@code -} for stdin
     * @param stdin is read for {@code -}
     * @param nodes the nodes of the cluster, on which DaemonSets have their pods
     * @throws ClusterFileException with all that is wrong: if a source cannot be read, or an object is malformed
     */
    public Contents read(List<String> sources, InputStream stdin, List<Node> nodes) {
        Objects.requireNonNull(sources, "sources");
        Objects.requireNonNull(stdin, "stdin");
        Objects.requireNonNull(nodes, "nodes");
        InputNotes notes = new InputNotes();
        List<ManifestPods> pods = new ArrayList<>();
        List<String> passedOver = new ArrayList<>();
        ClusterFiles.read(sources, stdin, notes, (tree, position) -> {
            notes.check(tree, position);
            Admission.addUid(tree);
            if (ObjectKey.of(tree).isPod()) {
                pods.add(ofPod(tree));
            } else if (Workloads.isWorkload(tree)) {
                pods.add(ofWorkload(tree, nodes));
            } else {
                passedOver.add(ObjectKey.of(tree).title());
            }
        });
        notes.throwProblems();
        List<String> all = new ArrayList<>(notes.notes());
        all.addAll(notes.warnings());
        if (!passedOver.isEmpty()) {
            all.add(InputNotes.names(passedOver)
                    + (passedOver.size() == 1 ? " has no pods and is" : " have no pods and are")
                    + " passed over; what pods need belongs to the cluster");
        }
        return new Contents(pods, all);
    }

    private ManifestPods ofPod(ObjectNode tree) {
        ObjectKey key = ObjectKey.of(tree);
        String title = key.title();
        try {
            // It is asked about as if it were new, whatever became of it; where its name is taken, as one more such
            // pod.
            Fields.of(tree).struct("spec").node().remove("nodeName");
            tree.remove("status");
            boolean isThere = podsOnNodes.contains(key);
            AdmittedPod pod = admitted(tree);
            pod = isThere ? pod.copy(1) : pod;
            Set<String> replaced = isThere ? Set.of() : Set.of(pod.pod().key());
            return new ManifestPods(
                    title,
                    isThere ? 1 : 0,
                    1,
                    List.of(pod),
                    Optional.of(FurtherPods.copiesOf(pod)),
                    List.of(),
                    replaced,
                    "");
        } catch (ObjectRefusedException refused) {
            return none(title, 0, 1, refused);
        } catch (ObjectDecodeException wrong) {
            throw wrong(title, wrong);
        }
    }

    private ManifestPods ofWorkload(ObjectNode tree, List<Node> nodes) {
        String title = ObjectKey.of(tree).title();
        int active = onNodes.activePods(tree).size();
        int asked = 0;
        try {
            // The names of its pods depend on the hash of its template.
            Defaulting.applyToNew(tree, features);
            atOnce(tree);
            Limited limited = Limited.of(tree, active, MOST_PODS);
            MadeObjects made = onNodes.make(limited.workload, nodes);
            asked = made.pods() + (made.pods() < MOST_PODS ? 0 : limited.left);
            List<AdmittedPod> pods = new ArrayList<>();
            List<ClusterObject> objects = new ArrayList<>();
            admit(made, pods, objects);
            return new ManifestPods(
                    title,
                    active,
                    asked,
                    pods,
                    further(tree, active, pods, nodes),
                    objects,
                    waitingKeys(tree),
                    made.whyNone());
        } catch (ObjectRefusedException refused) {
            return none(title, active, asked, refused);
        } catch (ClusterFileException | ObjectDecodeException wrong) {
            throw wrong(title, wrong);
        }
    }

    private Optional<FurtherPods> further(ObjectNode workload, int active, List<AdmittedPod> pods, List<Node> nodes) {
        if (StatefulSets.hasClaimTemplates(workload)) {
            ObjectNode set = workload.deepCopy();
            return FurtherPods.replicas(number -> replica(StatefulSets.onlyReplica(set, number), nodes));
        }
        Optional<AdmittedPod> copied = pods.stream().findFirst();
        if (copied.isEmpty()) {
            List<AdmittedPod> oneMore = new ArrayList<>();
            admit(onNodes.make(Limited.oneMore(workload, active), nodes), oneMore, new ArrayList<>());
            copied = oneMore.stream().findFirst();
        }
        return copied.map(FurtherPods::copiesOf);
    }

    private Optional<AdmittedPod> replica(ObjectNode set, List<Node> nodes) {
        List<AdmittedPod> pods = new ArrayList<>();
        List<ClusterObject> claims = new ArrayList<>();
        admit(onNodes.make(set, nodes), pods, claims);
        return pods.stream().findFirst().map(pod -> {
            claims.addAll(pod.claims());
            return new AdmittedPod(pod.pod(), claims, pod.refusedClaims());
        });
    }

    // The pods of a StatefulSet come one after the other as they get ready; here is no time in which they could.
    private static void atOnce(ObjectNode workload) {
        if (ObjectKey.of(workload).kind().equals("StatefulSet")) {
            Fields.of(workload).struct("spec").node().put("podManagementPolicy", "Parallel");
        }
    }

    private static ManifestPods none(String title, int onNodes, int asked, ObjectRefusedException refused) {
        String why = "refused by the API server: " + Objects.requireNonNullElse(refused.getMessage(), "");
        return new ManifestPods(title, onNodes, asked, List.of(), Optional.empty(), List.of(), Set.of(), why);
    }

    private static ClusterFileException wrong(String title, RuntimeException wrong) {
        String message = Objects.requireNonNullElse(wrong.getMessage(), "");
        return new ClusterFileException((message.startsWith(title) ? "" : title + ": ") + message, wrong);
    }

    private void admit(MadeObjects made, List<AdmittedPod> pods, List<ClusterObject> objects) {
        JsonNode admitted = MissingNode.getInstance();
        for (ObjectNode object : made.objects()) {
            ObjectKey key = ObjectKey.of(object);
            if (key.isPod()) {
                // Most differ in their names alone, and there may be many.
                JsonNode nameless = withoutName(object);
                boolean isLikeLast = nameless.equals(admitted);
                pods.add(isLikeLast ? pods.get(pods.size() - 1).copy(key.name()) : admitted(object.deepCopy()));
                admitted = nameless;
            } else if (key.isPersistentVolumeClaim()) {
                objects.add(created.admitClaim(object.deepCopy()));
            } else {
                Admission.addUid(object);
                objects.add(decoder.decode(TreeDecoder.kindOf(object), object, KeptJson.NONE));
            }
        }
    }

    private AdmittedPod admitted(ObjectNode tree) {
        CreatedPods.CreatedPod pod = created.admit(tree);
        return new AdmittedPod(pod.pod(), pod.claims(), pod.refusedClaims());
    }

    private static JsonNode withoutName(ObjectNode pod) {
        ObjectNode copy = pod.objectNode();
        copy.setAll(pod);
        ObjectNode metadata = pod.objectNode();
        metadata.setAll((ObjectNode) pod.path("metadata"));
        metadata.remove("name");
        copy.set("metadata", metadata);
        return copy;
    }

    private Set<String> waitingKeys(ObjectNode workload) {
        String namespace = ObjectKey.of(workload).namespace();
        Set<String> keys = new LinkedHashSet<>();
        waiting.activePods(workload).forEach(name -> keys.add(namespace + "/" + name));
        return keys;
    }

    /** Whether the cluster has DaemonSets. */
    public boolean hasDaemonSets() {
        return !daemonSets.isEmpty();
    }

    /** Whether a DaemonSet controls a pod that is not among those of the cluster; never if no DaemonSet of the cluster is known. */
    public boolean isOrphaned(Pod pod) {
        String name = RecreatedPod.isOfDaemonSet(pod)
                ? pod.metadata().controller().orElseThrow().name()
                : "";
        return !name.isEmpty()
                && hasDaemonSets()
                && daemonSets.stream()
                        .map(ObjectKey::of)
                        .noneMatch(key ->
                                key.name().equals(name) && key.namespace().equals(pod.namespace()));
    }

    /** The pods that the cluster's DaemonSets would have on a node that is new. Those that the API server would refuse are left out. */
    public List<Pod> daemonPods(Node node) {
        Objects.requireNonNull(node, "node");
        List<Pod> pods = new ArrayList<>();
        for (ObjectNode set : daemonSets) {
            try {
                for (ObjectNode pod : onNodes.make(set, List.of(node)).objects()) {
                    pods.add(created.admit(pod.deepCopy()).pod());
                }
            } catch (ObjectRefusedException | ClusterFileException | ObjectDecodeException refused) {
                // Its controller has no pods there either; the reader of the dump has told of it.
            }
        }
        return pods;
    }

    /** A workload that asks for no more pods than are made at once, and how many are left of what it asks for. */
    private record Limited(ObjectNode workload, int left) {
        private static final List<String> COUNTS =
                List.of("/spec/replicas", "/spec/parallelism", "/spec/jobTemplate/spec/parallelism");

        static Limited of(ObjectNode workload, int active, int most) {
            for (String path : COUNTS) {
                JsonNode count = workload.at(path);
                if (count.isInt() && count.asInt() - active > most) {
                    return new Limited(with(workload, path, active + most), count.asInt() - active - most);
                }
            }
            return new Limited(workload, 0);
        }

        static ObjectNode oneMore(ObjectNode workload, int active) {
            return workload.at(COUNTS.get(0)).isInt() ? with(workload, COUNTS.get(0), active + 1) : workload;
        }

        private static ObjectNode with(ObjectNode workload, String path, int count) {
            ObjectNode changed = workload.deepCopy();
            int end = path.lastIndexOf('/');
            ((ObjectNode) changed.at(path.substring(0, end))).put(path.substring(end + 1), count);
            return changed;
        }
    }
}
