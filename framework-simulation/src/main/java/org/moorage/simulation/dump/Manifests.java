// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodDisruptionBudget;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.SourcePosition;
import org.moorage.objects.tree.ClusterFiles;
import org.moorage.objects.tree.Fields;
import org.moorage.objects.tree.InputNotes;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.TreeDecoder;
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
 * A reader of manifests that creates their pods as if the manifests were applied to a cluster: as
 * {@link ClusterDumpReader} creates the pods of the workloads in a dump, with the cluster's LimitRanges,
 * PriorityClasses and so on ({@link org.moorage.simulation.admission.NewPods}). The reader of a dump passes the
 * cluster's objects to it ({@link ClusterDumpReader#reportingTo}). No manifest affects a later reading. Safe for use by
 * several threads once the cluster is read.
 *
 * <pre>{@code
 * Manifests manifests = new Manifests(features);
 * ClusterDump dump = new ClusterDumpReader(config, registry).reportingTo(manifests).read(sources, stdin);
 * Manifests.Contents asked = manifests.read(List.of("web.yaml"), stdin, nodes);
 * }</pre>
 */
public final class Manifests {
    /** The maximum number of pods that are created from one manifest. */
    public static final int MOST_PODS = 10_000;

    private static final Set<String> READ_BY_ADMISSION = Set.of(
            "PriorityClass",
            "PodGroup",
            "RuntimeClass",
            "StorageClass",
            "ResourceClaimTemplate",
            "LimitRange",
            "Namespace");
    /** Kinds whose objects are known by name only, since there may be many. */
    private static final Set<String> KNOWN_BY_NAME = Set.of("PersistentVolumeClaim", "ResourceClaim");
    /** Kinds that a manifest does not replace, since a server, a controller or a kubelet writes most of an object. */
    private static final Set<String> KEPT = Set.of(
            "Node",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "ResourceClaim",
            "PodGroup",
            "CompositePodGroup",
            "CSINode",
            "VolumeAttachment");

    private static final int MOST_FIRST_NAMES = 16;

    private final FeatureGates features;
    private final CreatedPods created;
    private final Workloads onNodes;
    private final Workloads waiting;
    private final Set<ObjectKey> podsOnNodes = new HashSet<>();
    /** The objects of the cluster that a manifest may also contain. */
    private final Set<ObjectKey> there = new HashSet<>();

    private final List<ObjectNode> daemonSets = new ArrayList<>();
    private final List<ObjectNode> readByAdmission = new ArrayList<>();
    private final TreeDecoder decoder = new TreeDecoder();
    private final CustomResources customResources = new CustomResources(decoder);

    /**
     * The contents of manifests.
     *
     * @param objects the objects that come to the cluster apart from pods and their workloads, such as classes, claims
     *     and groups; or that replace those of their kind and name
     * @param pods the pods that each manifest with pods asks for, in order
     * @param notes what has no effect or may be a mistake, a sentence each
     */
    public record Contents(List<ClusterObject> objects, List<ManifestPods> pods, List<String> notes) {
        public Contents {
            objects = List.copyOf(objects);
            pods = List.copyOf(pods);
            notes = List.copyOf(notes);
        }

        /** Returns a sentence for each manifest that has fewer pods here than it asks for. */
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

        /** Returns the same manifests with other pods. */
        public Contents withPods(UnaryOperator<Pod> change) {
            List<ManifestPods> changed = new ArrayList<>();
            pods.forEach(manifest -> changed.add(manifest.withPods(change)));
            return new Contents(objects, changed, notes);
        }

        /**
         * The objects of a cluster with these pods and what they need, as they would be if the manifests were applied.
         *
         * @param cluster the objects as they are
         */
        public List<ClusterObject> appliedTo(List<ClusterObject> cluster) {
            Set<String> waiting = new HashSet<>();
            pods.forEach(manifest -> waiting.addAll(manifest.waiting()));
            Set<ObjectKey> replaced = new HashSet<>();
            objects.forEach(object -> replaced.add(keyOf(object)));
            pods.forEach(manifest -> manifest.objects().forEach(object -> replaced.add(keyOf(object))));
            List<ClusterObject> all = new ArrayList<>();
            for (ClusterObject object : cluster) {
                boolean isReplaced = object instanceof Pod pod
                        ? !pod.isBound() && waiting.contains(pod.key())
                        : !replaced.isEmpty() && replaced.contains(keyOf(object));
                if (!isReplaced) {
                    all.add(object);
                }
            }
            all.addAll(objects);
            for (ManifestPods manifest : pods) {
                all.addAll(manifest.objects());
                for (AdmittedPod pod : manifest.pods()) {
                    all.addAll(pod.claims());
                    all.add(pod.pod());
                }
            }
            return all;
        }

        private static ObjectKey keyOf(ClusterObject object) {
            ObjectKind<?> kind = ObjectKind.of(object);
            return new ObjectKey(kind.group(), kind.kind(), object.namespace(), object.name());
        }
    }

    /** Creates a reader for a cluster with these features and no objects yet. */
    public Manifests(FeatureGates features) {
        this.features = Objects.requireNonNull(features, "features");
        created = new CreatedPods(features);
        onNodes = new Workloads(features, true);
        waiting = new Workloads(features, true);
    }

    /** Adds an object of the cluster, with its uid. */
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
        if (!key.isPod() && Reading.matters(tree)) {
            there.add(key);
        }
        customResources.seen(tree);
    }

    /** Returns the objects of the cluster that affect the admission of others. */
    List<ObjectNode> readByAdmission() {
        return readByAdmission;
    }

    /** Returns the kinds of custom resources that the cluster defines. */
    CustomResources customResources() {
        return customResources.copy();
    }

    /**
     * Reads manifests and creates their pods. Other objects that pods need (classes, claims, templates of claims,
     * groups and so on) are added to the cluster in the order of the manifests, for this reading.
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
        Reading reading = new Reading(nodes);
        ClusterFiles.read(sources, stdin, reading.notes, reading::add);
        reading.notes.throwProblems();
        return reading.end();
    }

    /** One reading of manifests. Admission of an object uses the objects before it; controllers use all objects. */
    private final class Reading {
        private final InputNotes notes = new InputNotes();
        private final List<Node> nodes;
        private final Map<ObjectKey, ObjectNode> applied = new LinkedHashMap<>();
        private final List<Supplier<ManifestPods>> asked = new ArrayList<>();
        private final List<String> refused = new ArrayList<>();
        private final List<String> replaced = new ArrayList<>();
        private final List<String> kept = new ArrayList<>();
        private final List<String> skipped = new ArrayList<>();
        private final Map<String, List<String>> ignoredByGate = new TreeMap<>();
        private final CustomResources custom = customResources.copy();
        private CreatedPods pods = created;

        Reading(List<Node> nodes) {
            this.nodes = nodes;
        }

        private void add(ObjectNode tree, SourcePosition position) {
            notes.check(tree, position);
            Admission.addUid(tree);
            custom.seen(tree);
            if (ObjectKey.of(tree).isPod()) {
                asked.add(ofPod(tree));
            } else if (Workloads.isWorkload(tree)) {
                asked.add(() -> ofWorkload(tree));
            } else {
                apply(tree);
            }
        }

        private void apply(ObjectNode tree) {
            ObjectKey key = ObjectKey.of(tree);
            Optional<String> gate = gateOf(key).filter(feature -> !features.isEnabled(feature));
            if (gate.isPresent()) {
                ignoredByGate
                        .computeIfAbsent(gate.get(), any -> new ArrayList<>())
                        .add(key.title());
            } else if (CustomResources.isUnseenWorkload(tree)) {
                refused.add("no pods are made of " + key.title() + " (" + CustomResources.NO_CONTROLLER + ")");
            } else if (!matters(tree)) {
                skipped.add(key.title());
            } else if (there.contains(key) && KEPT.contains(key.kind())) {
                kept.add(key.title());
            } else {
                create(tree, key);
            }
        }

        private static Optional<String> gateOf(ObjectKey key) {
            return switch (key.group() + "/" + key.kind()) {
                case "scheduling.k8s.io/PodGroup", "scheduling.k8s.io/Workload" ->
                    Optional.of(FeatureGates.GENERIC_WORKLOAD);
                case "scheduling.k8s.io/CompositePodGroup" -> Optional.of(FeatureGates.COMPOSITE_POD_GROUP);
                default -> Optional.empty();
            };
        }

        /**
         * Returns whether scheduling or admission reads objects of a kind; of kinds that Kubernetes does not have, a
         * plugin may.
         */
        private static boolean matters(ObjectNode tree) {
            ObjectKind<?> kind = TreeDecoder.kindOf(tree);
            return kind.type() != PodDisruptionBudget.class
                    && (kind.type() != OtherObject.class
                            || READ_BY_ADMISSION.contains(kind.kind())
                            || !ObjectKey.of(tree).isBuiltIn());
        }

        private void create(ObjectNode tree, ObjectKey key) {
            try {
                knownHere().validate(tree);
                pods.create(tree);
                if (there.contains(key)) {
                    replaced.add(key.title());
                }
                applied.put(key, tree);
            } catch (ObjectRefusedException why) {
                refused.add(key.title() + " is not created (" + refusal(why) + ")");
            } catch (ClusterFileException | ObjectDecodeException wrong) {
                throw wrong(key.title(), wrong);
            }
        }

        private CreatedPods knownHere() {
            if (pods == created) {
                pods = new CreatedPods(features, created, readByAdmission);
            }
            return pods;
        }

        private Contents end() {
            List<ClusterObject> objects = new ArrayList<>();
            for (ObjectNode tree : applied.values()) {
                pods.withClaimsOfGroup(tree).forEach(object -> objects.add(available(custom.complete(object))));
            }
            List<ManifestPods> manifests = asked.stream().map(Supplier::get).toList();
            List<String> all = new ArrayList<>(notes.notes());
            all.addAll(notes.warnings());
            all.addAll(refused);
            tell(replaced, " replaces the object of its name in the cluster", " replace those of their names", all);
            tell(kept, " is in the cluster already and stays as it is there", " are in the cluster already", all);
            ignoredByGate.forEach((gate, ignored) -> tell(
                    ignored,
                    " is ignored: the feature gate " + gate + " is off, so its pods are created without a group",
                    " are ignored: the feature gate " + gate + " is off, so their pods are created without a group",
                    all));
            tell(skipped, " does not affect scheduling", " do not affect scheduling", all);
            return new Contents(objects, manifests, all);
        }

        private static void tell(List<String> titles, String one, String several, List<String> all) {
            if (!titles.isEmpty()) {
                all.add(InputNotes.names(titles) + (titles.size() == 1 ? one : several));
            }
        }

        // As the volume controller soon has it, if no claim is meant.
        private static ClusterObject available(ClusterObject object) {
            return object instanceof PersistentVolume volume
                            && volume.phase().equals("Pending")
                            && volume.claim().isEmpty()
                    ? volume.toBuilder().phase(PersistentVolume.AVAILABLE).build()
                    : object;
        }

        private Supplier<ManifestPods> ofPod(ObjectNode tree) {
            ObjectKey key = ObjectKey.of(tree);
            String title = key.title();
            // A pod is read as if it were new; if a pod on a node has its name, as one more such pod.
            boolean isThere = podsOnNodes.contains(key);
            try {
                Fields.of(tree).struct("spec").node().remove("nodeName");
                tree.remove("status");
                pods.admitAlone(tree);
            } catch (ObjectRefusedException why) {
                return () -> none(title, 0, 1, why);
            } catch (ObjectDecodeException wrong) {
                throw wrong(title, wrong);
            }
            return () -> {
                AdmittedPod admitted = admitted(pods.withClaims(tree));
                AdmittedPod pod = isThere ? admitted.copy(1) : admitted;
                Set<String> inPlaceOf = isThere ? Set.of() : Set.of(pod.pod().key());
                return new ManifestPods(
                        title,
                        isThere ? 1 : 0,
                        1,
                        List.of(pod),
                        Optional.of(FurtherPods.copiesOf(pod)),
                        List.of(),
                        inPlaceOf,
                        "");
            };
        }

        private ManifestPods ofWorkload(ObjectNode tree) {
            String title = ObjectKey.of(tree).title();
            int active = onNodes.activePods(tree).size();
            int asks = 0;
            try {
                pods.validate(tree);
                // The names of its pods depend on the hash of its template.
                Defaulting.applyToNew(tree, features);
                atOnce(tree);
                Limited limited = Limited.of(tree, active, MOST_PODS);
                MadeObjects made = onNodes.make(limited.workload, nodes);
                asks = made.pods() + (made.pods() < MOST_PODS ? 0 : limited.left);
                List<AdmittedPod> admitted = new ArrayList<>();
                List<ClusterObject> objects = new ArrayList<>();
                addOwner(tree, objects);
                admit(made, admitted, objects);
                return new ManifestPods(
                        title,
                        active,
                        asks,
                        admitted,
                        further(tree, active, admitted),
                        objects,
                        waitingKeys(tree),
                        made.whyNone());
            } catch (ObjectRefusedException why) {
                return none(title, active, asks, why);
            } catch (ClusterFileException | ObjectDecodeException wrong) {
                throw wrong(title, wrong);
            }
        }

        private Optional<FurtherPods> further(ObjectNode workload, int active, List<AdmittedPod> admitted) {
            if (StatefulSets.hasClaimTemplates(workload)) {
                ObjectNode set = workload.deepCopy();
                return FurtherPods.replicas(number -> replica(StatefulSets.onlyReplica(set, number)));
            }
            Optional<AdmittedPod> copied = admitted.stream().findFirst();
            if (copied.isEmpty()) {
                List<AdmittedPod> oneMore = new ArrayList<>();
                admit(onNodes.make(Limited.scaled(workload, active + 1), nodes), oneMore, new ArrayList<>());
                copied = oneMore.stream().findFirst();
            }
            NextNames names = new NextNames(workload.deepCopy(), active, admitted.size());
            return copied.map(pod -> !pod.claims().isEmpty() && Limited.isScalable(workload)
                    ? FurtherPods.copiesOf(pod, names::get)
                    : FurtherPods.copiesOf(pod));
        }

        // Default spreading reads the selector of the pod's controller.
        private void addOwner(ObjectNode workload, List<ClusterObject> objects) {
            ObjectKind<?> kind = TreeDecoder.kindOf(workload);
            if (kind.type() != OtherObject.class) {
                objects.add(decoder.decode(kind, workload, KeptJson.NONE));
            }
        }

        /** The names of the pods that a workload gets when it is scaled up; the topology of a volume may depend on its claim's name. */
        private final class NextNames {
            private final ObjectNode workload;
            private final int active;
            private final int asked;

            @GuardedBy("this")
            private List<String> names = List.of();

            NextNames(ObjectNode workload, int active, int asked) {
                this.workload = workload;
                this.active = active;
                this.asked = asked;
            }

            synchronized Optional<String> get(int number) {
                if (number >= names.size()) {
                    int replicas = active + asked + Math.max(MOST_FIRST_NAMES, 2 * number);
                    names = onNodes.make(Limited.scaled(workload, replicas), nodes).objects().stream()
                            .map(ObjectKey::of)
                            .filter(ObjectKey::isPod)
                            .map(ObjectKey::name)
                            .skip(asked)
                            .toList();
                }
                return number < names.size() ? Optional.of(names.get(number)) : Optional.empty();
            }
        }

        private Optional<AdmittedPod> replica(ObjectNode set) {
            List<AdmittedPod> replicas = new ArrayList<>();
            List<ClusterObject> claims = new ArrayList<>();
            admit(onNodes.make(set, nodes), replicas, claims);
            return replicas.stream().findFirst().map(pod -> {
                claims.addAll(pod.claims());
                return new AdmittedPod(pod.pod(), claims, pod.refusedClaims());
            });
        }

        private void admit(MadeObjects made, List<AdmittedPod> admitted, List<ClusterObject> objects) {
            JsonNode last = MissingNode.getInstance();
            for (ObjectNode object : made.objects()) {
                ObjectKey key = ObjectKey.of(object);
                if (key.isPod()) {
                    // Most objects differ only in their names, and there may be many.
                    JsonNode nameless = withoutName(object);
                    admitted.add(
                            nameless.equals(last)
                                    ? admitted.get(admitted.size() - 1).copy(key.name())
                                    : admitted(pods.admit(object.deepCopy())));
                    last = nameless;
                } else if (key.isPersistentVolumeClaim()) {
                    if (!applied.containsKey(key)) {
                        objects.add(pods.admitClaim(object.deepCopy()));
                    }
                } else if (gateOf(key).isPresent()) {
                    ObjectNode group = object.deepCopy();
                    knownHere().create(group);
                    objects.addAll(pods.withClaimsOfGroup(group));
                } else {
                    Admission.addUid(object);
                    objects.add(decoder.decode(TreeDecoder.kindOf(object), object, KeptJson.NONE));
                }
            }
        }
    }

    // A StatefulSet creates its pods one after the other as they become ready, but no time passes here.
    private static void atOnce(ObjectNode workload) {
        if (ObjectKey.of(workload).kind().equals("StatefulSet")) {
            Fields.of(workload).struct("spec").node().put("podManagementPolicy", "Parallel");
        }
    }

    private static ManifestPods none(String title, int onNodes, int asked, ObjectRefusedException refused) {
        return new ManifestPods(
                title, onNodes, asked, List.of(), Optional.empty(), List.of(), Set.of(), refusal(refused));
    }

    private static String refusal(ObjectRefusedException refused) {
        return "refused by the API server: " + Objects.requireNonNullElse(refused.getMessage(), "");
    }

    private static ClusterFileException wrong(String title, RuntimeException wrong) {
        String message = Objects.requireNonNullElse(wrong.getMessage(), "");
        return new ClusterFileException((message.startsWith(title) ? "" : title + ": ") + message, wrong);
    }

    private static AdmittedPod admitted(CreatedPods.CreatedPod pod) {
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

    /** Returns whether the cluster has DaemonSets. */
    public boolean hasDaemonSets() {
        return !daemonSets.isEmpty();
    }

    /**
     * Returns whether a DaemonSet controls a pod that is not among those of the cluster; never if no DaemonSet of the
     * cluster is known.
     */
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

    /**
     * Returns the pods that the cluster's DaemonSets would create for a new node, without those that the API server
     * would refuse.
     */
    public List<Pod> daemonPods(Node node) {
        Objects.requireNonNull(node, "node");
        List<Pod> pods = new ArrayList<>();
        for (ObjectNode set : daemonSets) {
            try {
                for (ObjectNode pod : onNodes.make(set, List.of(node)).objects()) {
                    pods.add(created.admitOfTemplate(pod.deepCopy()).pod());
                }
            } catch (ObjectRefusedException | ClusterFileException | ObjectDecodeException refused) {
                // Its controller cannot create it either; the reader of the dump has reported that.
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

        static boolean isScalable(ObjectNode workload) {
            return workload.at(COUNTS.get(0)).isInt();
        }

        static ObjectNode scaled(ObjectNode workload, int replicas) {
            return isScalable(workload) ? with(workload, COUNTS.get(0), replicas) : workload;
        }

        private static ObjectNode with(ObjectNode workload, String path, int count) {
            ObjectNode changed = workload.deepCopy();
            int end = path.lastIndexOf('/');
            ((ObjectNode) changed.at(path.substring(0, end))).put(path.substring(end + 1), count);
            return changed;
        }
    }
}
