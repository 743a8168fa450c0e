// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.Namespace;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.config.LoadedConfig;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.EventType;
import org.moorage.objects.KeptJson;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.ObjectRefusedException;
import org.moorage.objects.SourcePosition;
import org.moorage.objects.tree.ClusterFiles;
import org.moorage.objects.tree.InputNotes;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.TreeDecoder;
import org.moorage.objects.tree.WatchEvents;
import org.moorage.simulation.internal.admission.Admission;
import org.moorage.simulation.internal.admission.Defaulting;
import org.moorage.simulation.internal.admission.EphemeralClaims;
import org.moorage.simulation.internal.admission.TemplatedResourceClaims;
import org.moorage.simulation.internal.cluster.CustomResources;
import org.moorage.simulation.internal.workload.BudgetStatuses;
import org.moorage.simulation.internal.workload.MadeObjects;
import org.moorage.simulation.internal.workload.Workloads;

/**
 * A reader of a {@link ClusterDump} that works object by object. It drops the tree of an object once the object is
 * decoded, unless the trees are requested. It keeps trees until the end only of objects that depend on later ones: pods
 * to create, pods without a priority, claims, workloads, and disruption budgets without a status, which get the status
 * that the disruption controller would write.
 */
public final class ClusterDumpReader {
    /** A placeholder for an object that is decoded at the end. */
    private static final ClusterObject PENDING =
            new Namespace(ObjectMeta.named("pending").build());

    /** A placeholder for the tree of a pod that a controller deletes; no other tree is empty. */
    private static final ObjectNode DELETED = JsonNodeFactory.instance.objectNode();

    /** A placeholder for the position of a claim that is created here. */
    private static final SourcePosition NO_POSITION = new SourcePosition("(created)", 1, 1);

    private static final String REFUSED = "refused by the API server: ";

    private final Set<KeptJson> json;
    private final FeatureGates features;
    private final TreeDecoder decoder = new TreeDecoder();
    private boolean makesPods;
    private boolean startsCronJobs;
    private boolean createsClaims;
    private boolean keepsTrees;
    private Optional<String> changes = Optional.empty();
    private List<String> changed = List.of();
    private boolean createsLostPodsAgain;
    private Optional<InputStream> changesInput = Optional.empty();
    private Optional<Manifests> manifests = Optional.empty();
    private Optional<Executor> parsers = Optional.empty();

    /** A reader for the features that are on by default, that keeps no JSON text of objects. */
    public ClusterDumpReader() {
        json = EnumSet.noneOf(KeptJson.class);
        features = FeatureGates.DEFAULTS;
    }

    /**
     * A reader.
     *
     * @param config which features are on, and which objects keep their JSON text
     * @param registry the plugins, which decide about that, too
     */
    public ClusterDumpReader(LoadedConfig config, PluginRegistry registry) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(registry, "registry");
        json = EnumSet.noneOf(KeptJson.class);
        json.addAll(config.config().keptJson(registry));
        features = config.featureGates();
    }

    /**
     * Also creates the claims that controllers create, see {@link EphemeralClaims} and {@link TemplatedResourceClaims}.
     */
    public ClusterDumpReader withClaims() {
        createsClaims = true;
        return this;
    }

    /**
     * Also creates the objects that controllers create for workloads, see {@link Workloads}: pods, and objects that
     * these need.
     */
    public ClusterDumpReader withWorkloads() {
        makesPods = true;
        if (json.contains(KeptJson.PENDING_PODS)) {
            // Pods that replace bound pods get their JSON from these.
            json.add(KeptJson.BOUND_PODS);
        }
        return this;
    }

    /** With {@link #withWorkloads}, also starts a job of each cron job. */
    public ClusterDumpReader withCronJobs() {
        startsCronJobs = true;
        return this;
    }

    /** Also gives the objects as JSON texts, which need several times the memory of the objects. */
    public ClusterDumpReader withJson() {
        keepsTrees = true;
        return this;
    }

    /**
     * Parses long inputs on another thread, and completes and decodes the running pods on a third one. The result is the
     * same.
     *
     * @param executor runs the parser of one input at a time, at the same time as the caller; if it has another thread,
     *     also the completion of pods
     */
    public ClusterDumpReader parsingOn(Executor executor) {
        Objects.requireNonNull(executor, "executor");
        parsers = Optional.of(executor);
        return this;
    }

    /** Also passes the cluster's objects to an instance that creates pods of manifests in this cluster. */
    public ClusterDumpReader reportingTo(Manifests receiver) {
        Objects.requireNonNull(receiver, "receiver");
        manifests = Optional.of(receiver);
        return this;
    }

    /**
     * Replaces objects by manifests of the same kind, namespace and name, and adds the manifests that replace nothing.
     * The identity, the owners, the status and what a scheduler has written stay, unless the manifest has them. If a
     * manifest changes the template of a workload, the existing pods are those of the former template.
     *
     * @param sources files, folders, or {@code -} for stdin
     */
    public ClusterDumpReader withChanged(List<String> sources) {
        Objects.requireNonNull(sources, "sources");
        changed = List.copyOf(sources);
        return this;
    }

    /**
     * Recreates the pods whose nodes are not among the objects, as their controllers would; the new pods are pending.
     * See {@link org.moorage.simulation.admission.RecreatedPod}. The objects created this way have no JSON in the dump.
     */
    public ClusterDumpReader withLostPodsCreatedAgain() {
        createsLostPodsAgain = true;
        return this;
    }

    /**
     * Also reads recorded changes, see {@link WatchEvents}; their objects are completed as those of the cluster.
     *
     * @param source a file, or {@code -} for stdin
     */
    public ClusterDumpReader withChanges(String source) {
        Objects.requireNonNull(source, "source");
        changes = Optional.of(source);
        return this;
    }

    /**
     * As {@link #withChanges(String)}, from an open stream.
     *
     * @param name the input's name in messages
     * @param input is read to its end, and not closed
     */
    public ClusterDumpReader withChanges(String name, InputStream input) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(input, "input");
        changes = Optional.of(name);
        changesInput = Optional.of(input);
        return this;
    }

    /**
     * Reads a cluster as it is from an input that is open.
     *
     * @param name the input's name in messages
     * @param input is read to its end, and not closed
     * @throws org.moorage.objects.ClusterFileException with all that is wrong
     */
    public ClusterDump read(String name, InputStream input) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(input, "input");
        Reading reading = new Reading(InputStream.nullInputStream());
        ClusterFiles.read(name, input, reading.notes, reading::add);
        return reading.end(InputStream.nullInputStream());
    }

    /**
     * Reads a cluster as it is.
     *
     * @param sources files, folders, or {@code -} for stdin, see {@link ClusterFiles#read}
     * @param stdin is read for {@code -}
     * @throws org.moorage.objects.ClusterFileException with all that is wrong: if a source cannot be read, or an object
     *     is malformed
     */
    public ClusterDump read(List<String> sources, InputStream stdin) {
        Objects.requireNonNull(sources, "sources");
        Objects.requireNonNull(stdin, "stdin");
        Reading reading = new Reading(stdin);
        try (CompletedPods<Pending> running = new CompletedPods<>(parsers, reading::completedByTemplate)) {
            reading.running = Optional.of(running);
            ClusterFiles.read(sources, stdin, reading.notes, reading::add, parsers);
            reading.running = Optional.empty();
            running.finish();
            reading.take(running);
        }
        return reading.end(stdin);
    }

    /**
     * Reads recorded changes of a cluster that has been read before, and completes their objects like those of the
     * cluster.
     *
     * @param source a file, or {@code -} for stdin, as for {@link #withChanges(String)}
     * @param stdin is read for {@code -}
     * @param cluster the instance that received the objects of the cluster
     * @return the changes and the notes on them; without objects
     * @throws org.moorage.objects.ClusterFileException with all that is wrong
     */
    public ClusterDump readChanges(String source, InputStream stdin, Manifests cluster) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(stdin, "stdin");
        Objects.requireNonNull(cluster, "cluster");
        Reading reading = new Reading(stdin, cluster.customResources());
        cluster.readByAdmission().forEach(reading.admission::seen);
        WatchEvents.read(source, stdin, reading.notes, reading::add);
        reading.notes.throwProblems();
        return reading.dump();
    }

    /** A tree that may have to wait for others before it is decoded. */
    private record Pending(ObjectNode tree, SourcePosition position, Optional<Origin> origin, Stage stage) {}

    /** The state of an object in creation. */
    private enum Stage {
        /** It has not been created yet. */
        NEW,
        /** It has not been created yet; an API server has accepted its template. */
        OF_TEMPLATE,
        /** It is in the cluster, and may lack what the API server adds to what a person writes. */
        THERE,
        /** It has been created here. */
        CREATED
    }

    /** The workload that an object is made of, and where that has the template of its pods. */
    private record Origin(String title, String templatePath) {
        /** Returns a problem of an object created from the workload as a problem of the workload. */
        String problem(String kind, String problemOfObject) {
            return title + ": " + (kind.equals("Pod") ? templatePath + "." : "") + problemOfObject;
        }
    }

    /** One reading of a dump. */
    private final class Reading {
        private final InputNotes notes = new InputNotes();
        private final ChangedObjects replacements;
        private final Admission admission = new Admission(features, false);
        private final EphemeralClaims claims = new EphemeralClaims();
        private final TemplatedResourceClaims resourceClaims = new TemplatedResourceClaims(features);
        private final Workloads workloads = new Workloads(features, startsCronJobs);
        private final CustomResources customResources;
        private final BudgetStatuses budgets = new BudgetStatuses();
        private final TemplateSpecs specs = new TemplateSpecs();
        private final WorkloadNotes made = new WorkloadNotes();
        private final List<Pending> waiting = new ArrayList<>();
        private final List<ObjectNode> trees = new ArrayList<>();
        private final List<ClusterObject> objects = new ArrayList<>();
        private final List<RecordedChange> recorded = new ArrayList<>();
        /** The objects that are pending, by their places. */
        private final Map<Integer, Pending> pending = new LinkedHashMap<>();
        /** The places of pods, once they are needed. */
        private final Map<ObjectKey, Integer> placeByPod = new HashMap<>();
        /** The pods that controllers delete. */
        private final List<Pod> deleted = new ArrayList<>();
        /** Completes running pods on another thread, while the files are read. */
        private Optional<CompletedPods<Pending>> running = Optional.empty();
        /** Receives the problems of objects that are completed. */
        private Consumer<String> problems = notes::problem;

        Reading(InputStream stdin) {
            this(stdin, new CustomResources(decoder));
        }

        Reading(InputStream stdin, CustomResources customResources) {
            this.customResources = customResources;
            replacements = ChangedObjects.read(changed, stdin, notes);
        }

        void add(ObjectNode tree, SourcePosition position) {
            if (ObjectKey.of(tree).name().isEmpty()) {
                notes.passOver(position);
                return;
            }
            Optional<ChangedObjects.Manifest> manifest = replacements.inPlaceOf(tree);
            if (manifest.isPresent()) {
                if (makesPods) {
                    workloads.replaced(tree, manifest.get().tree());
                }
                addNamed(manifest.get().tree(), manifest.get().position());
            } else {
                addNamed(tree, position);
            }
        }

        private void addNamed(ObjectNode tree, SourcePosition position) {
            notes.check(tree, position);
            Pending read = new Pending(tree, position, Optional.empty(), stage(tree));
            seen(read);
            customResources.seen(tree);
            if (makesPods && Workloads.isWorkload(tree)) {
                waiting.add(read);
            } else if (makesPods && CustomResources.isUnseenWorkload(tree)) {
                made.add(ObjectKey.of(tree).title(), CustomResources.NO_CONTROLLER);
            }
        }

        private static Stage stage(ObjectNode tree) {
            return Admission.isNew(tree) ? Stage.NEW : Stage.THERE;
        }

        private void seen(Pending read) {
            ObjectNode tree = read.tree();
            Admission.addUid(tree);
            manifests.ifPresent(told -> told.seen(tree));
            admission.seen(tree);
            claims.seen(tree);
            resourceClaims.seen(tree);
            if (makesPods) {
                workloads.seen(tree);
            }
            budgets.seen(tree);
            put(
                    read,
                    !Admission.isIndependent(tree)
                            || BudgetStatuses.isWithoutStatus(tree)
                            || createsClaims && !TemplatedResourceClaims.isIndependent(tree));
        }

        private void put(Pending read, boolean isPending) {
            if (keepsTrees) {
                trees.add(read.tree());
            }
            if (isPending) {
                pending.put(objects.size(), read);
            }
            if (!isPending && running.isPresent() && mayShareSpec(read)) {
                running.get().add(objects.size(), read, notes.problemCount());
                objects.add(PENDING);
            } else {
                objects.add(isPending ? PENDING : completed(read));
            }
        }

        // Adds the pods that were completed meanwhile, and the problems of the others, as if each had been completed in
        // its turn.
        private void take(CompletedPods<Pending> pods) {
            pods.completed().forEach(pod -> objects.set(pod.place(), pod.object()));
            Map<Integer, List<String>> late = new HashMap<>();
            for (CompletedPods.Failed<Pending> pod : pods.failed()) {
                problems = problem -> late.computeIfAbsent(pod.problemsBefore(), any -> new ArrayList<>())
                        .add(problem);
                wrong(pod.pod(), pod.failure());
            }
            problems = notes::problem;
            notes.insertProblems(late);
        }

        private ClusterObject completed(Pending read) {
            try {
                return mayShareSpec(read) ? completedByTemplate(read) : completedAlone(read);
            } catch (ObjectRefusedException | ClusterFileException | ObjectDecodeException wrong) {
                wrong(read, wrong);
                return PENDING;
            }
        }

        private ClusterObject completedByTemplate(Pending read) {
            Optional<Pod> shared = specs.find(read.tree()).flatMap(spec -> withSpec(read, spec));
            if (shared.isPresent()) {
                return shared.get();
            }
            Optional<TemplateSpecs.Written> written = TemplateSpecs.copyOf(read.tree());
            ClusterObject object = completedAlone(read);
            if (object instanceof Pod pod) {
                written.ifPresent(asWritten -> specs.add(asWritten, pod.spec()));
            }
            return object;
        }

        // A pod on a node whose completed tree is not needed.
        private boolean mayShareSpec(Pending read) {
            ObjectNode tree = read.tree();
            return read.stage() == Stage.THERE
                    && !keepsTrees
                    && !json.contains(KeptJson.BOUND_PODS)
                    && tree.path("kind").asText("").equals("Pod")
                    && tree.path("apiVersion").asText("").equals("v1")
                    && !tree.path("spec").path("nodeName").asText("").isEmpty()
                    && Admission.isIndependent(tree);
        }

        private Optional<Pod> withSpec(Pending read, PodSpec spec) {
            try {
                Defaulting.applyToStatus(read.tree());
                return Optional.of(decoder.pod(read.tree(), spec));
            } catch (ClusterFileException | ObjectDecodeException wrong) {
                // Completing the whole pod finds and reports the same.
                return Optional.empty();
            }
        }

        private ClusterObject completedAlone(Pending read) {
            admit(read);
            return decoder.decode(TreeDecoder.kindOf(read.tree()), read.tree(), json);
        }

        private void wrong(Pending read, RuntimeException wrong) {
            if (wrong instanceof ObjectRefusedException refusal) {
                refused(read, refusal);
            } else {
                problems(read, wrong);
            }
        }

        private void admit(Pending read) {
            ObjectNode tree = read.tree();
            switch (read.stage()) {
                case NEW, OF_TEMPLATE -> {
                    admission.requirePriorityClass(tree);
                    admission.requireRuntimeClass(tree);
                    if (read.stage() == Stage.NEW) {
                        admission.admit(tree);
                    } else {
                        admission.admitOfTemplate(tree);
                    }
                }
                case THERE -> {
                    admission.requirePriorityClass(tree);
                    admission.complete(tree);
                    Defaulting.applyToNew(tree, features);
                    if (BudgetStatuses.isWithoutStatus(tree)) {
                        budgets.complete(tree);
                    }
                }
                case CREATED -> {}
            }
        }

        private void refused(Pending read, ObjectRefusedException refusal) {
            if (read.position().equals(NO_POSITION)) {
                notes.note("a claim is not made: " + refusal.getMessage());
                trees.remove(read.tree());
            } else {
                String title = ObjectKey.of(read.tree()).title();
                problems.accept(read.position() + ": " + title + ": " + REFUSED
                        + Objects.requireNonNullElse(refusal.getMessage(), ""));
            }
        }

        private void problems(Pending read, RuntimeException wrong) {
            List<String> problems = decoder.problems(TreeDecoder.kindOf(read.tree()), read.tree());
            if (problems.isEmpty()) {
                problem(read, Objects.requireNonNullElse(wrong.getMessage(), ""));
            }
            problems.forEach(problem -> problem(read, problem));
        }

        private void problem(Pending read, String message) {
            ObjectKey key = ObjectKey.of(read.tree());
            String title = key.title() + ": ";
            String problem = message;
            if (read.origin().isPresent() && message.startsWith(title)) {
                problem = read.origin().get().problem(key.kind(), message.substring(title.length()));
            }
            problems.accept(read.position() + ": " + problem);
        }

        ClusterDump end(InputStream stdin) {
            for (ChangedObjects.Manifest added : replacements.others()) {
                addNamed(added.tree(), added.position());
            }
            replacements.tell(notes);
            makeObjectsOfWorkloads();
            if (createsClaims) {
                admitNewPods();
                List<ObjectNode> created = new ArrayList<>(claims.created());
                created.addAll(resourceClaims.create());
                for (ObjectNode claim : created) {
                    Admission.addUid(claim);
                    put(new Pending(claim, NO_POSITION, Optional.empty(), Stage.NEW), true);
                }
            }
            complete(read -> !BudgetStatuses.isWithoutStatus(read.tree()));
            budgets.seen(objects);
            complete(read -> BudgetStatuses.isWithoutStatus(read.tree()));
            objects.removeIf(object -> object == PENDING);
            trees.removeIf(DELETED::equals);
            GonePods.clean(objects, deleted);
            changes.ifPresent(source -> changesInput.ifPresentOrElse(
                    input -> WatchEvents.readInput(source, input, notes, this::add),
                    () -> WatchEvents.read(source, stdin, notes, this::add)));
            notes.throwProblems();
            customResources.complete(objects);
            replaceLostPods();
            tellThatAreIgnored(ObjectKind.POD_GROUP, FeatureGates.GENERIC_WORKLOAD);
            tellThatAreIgnored(ObjectKind.COMPOSITE_POD_GROUP, FeatureGates.COMPOSITE_POD_GROUP);
            if (makesPods) {
                tellThatThereAreNoPods();
            }
            return dump();
        }

        ClusterDump dump() {
            return new ClusterDump(
                    trees.stream().map(ObjectNode::toString).toList(),
                    objects,
                    notes.notes(),
                    notes.warnings(),
                    recorded);
        }

        // Claims are created for pods that are there: admission gives them their identity, and takes the status that a
        // new pod has.
        private void admitNewPods() {
            for (Map.Entry<Integer, Pending> entry : pending.entrySet()) {
                Pending read = entry.getValue();
                if (read.stage() == Stage.NEW && ObjectKey.of(read.tree()).isPod()) {
                    try {
                        admit(read);
                        entry.setValue(new Pending(read.tree(), read.position(), read.origin(), Stage.CREATED));
                    } catch (ObjectRefusedException | ClusterFileException | ObjectDecodeException wrong) {
                        // The same is found when it is completed.
                        continue;
                    }
                }
            }
        }

        private void complete(Predicate<Pending> which) {
            pending.forEach((place, read) -> {
                if (which.test(read)) {
                    objects.set(place, completed(read));
                }
            });
        }

        private void add(WatchEvents.Event event) {
            ObjectNode tree = event.object();
            notes.check(tree, event.position());
            boolean isDeleted = event.type() == EventType.DELETED;
            if (isDeleted) {
                admission.gone(tree);
            } else {
                admission.seen(tree);
            }
            customResources.seen(tree);
            Stage stage = isDeleted ? Stage.THERE : stage(tree);
            Admission.addUid(tree);
            ClusterObject object = completed(new Pending(tree, event.position(), Optional.empty(), stage));
            recorded.add(new RecordedChange(event.number(), event.type(), customResources.complete(object)));
        }

        private void makeObjectsOfWorkloads() {
            List<Node> nodes = new ArrayList<>();
            for (ClusterObject object : objects) {
                if (object instanceof Node node) {
                    nodes.add(node);
                }
            }
            int pods = 0;
            for (Pending workload : waiting) {
                try {
                    validate(workload);
                    MadeObjects made = workloads.make(workload.tree(), nodes);
                    pods += made.pods();
                    if (pods > Workloads.MOST_PODS) {
                        problem(
                                workload,
                                "one pod too many (expected: at most " + Workloads.MOST_PODS
                                        + " pods that workloads lack in all, since each is made)");
                        return;
                    }
                    make(workload, made);
                } catch (ObjectRefusedException e) {
                    this.made.add(
                            ObjectKey.of(workload.tree()).title(),
                            REFUSED + Objects.requireNonNullElse(e.getMessage(), ""));
                } catch (ClusterFileException | ObjectDecodeException e) {
                    problem(workload, Objects.requireNonNullElse(e.getMessage(), ""));
                }
            }
            made.tell(notes);
        }

        private void validate(Pending workload) {
            try {
                if (workload.stage() == Stage.NEW) {
                    admission.validate(workload.tree());
                }
            } catch (ClusterFileException | ObjectDecodeException malformed) {
                // Its pods have the same problem, and perhaps more of them.
                return;
            }
        }

        private void make(Pending workload, MadeObjects objects) {
            String title = ObjectKey.of(workload.tree()).title();
            objects.deleted().forEach(this::delete);
            Optional<Origin> origin = Optional.of(new Origin(title, objects.templatePath()));
            List<Pending> created = new ArrayList<>();
            for (ObjectNode tree : objects.objects()) {
                Pending object = new Pending(
                        tree,
                        workload.position(),
                        origin,
                        workload.stage() == Stage.NEW ? Stage.NEW : Stage.OF_TEMPLATE);
                try {
                    admit(object);
                    created.add(new Pending(tree, workload.position(), origin, Stage.CREATED));
                } catch (ObjectRefusedException e) {
                    // The API server would refuse all replicas for this reason, and the controller would keep retrying.
                    made.add(title, REFUSED + Objects.requireNonNullElse(e.getMessage(), ""));
                    return;
                } catch (ClusterFileException | ObjectDecodeException e) {
                    problems(object, e);
                }
            }
            created.forEach(this::seen);
            made.add(title, objects);
        }

        private void delete(ObjectKey key) {
            if (placeByPod.isEmpty()) {
                for (int i = 0; i < objects.size(); i++) {
                    if (objects.get(i) instanceof Pod pod) {
                        placeByPod.put(new ObjectKey("", "Pod", pod.namespace(), pod.name()), i);
                    }
                }
                pending.forEach((place, read) -> placeByPod.put(ObjectKey.of(read.tree()), place));
            }
            Integer place = placeByPod.get(key);
            if (place == null) {
                return;
            }
            Pending read = pending.remove(place);
            if ((read == null ? objects.get(place) : completed(read)) instanceof Pod pod) {
                deleted.add(pod);
            }
            objects.set(place, PENDING);
            if (keepsTrees) {
                trees.set(place, DELETED);
            }
        }

        private void tellThatThereAreNoPods() {
            Map<String, Integer> counts = new TreeMap<>();
            for (ClusterObject object : objects) {
                counts.merge(ObjectKind.of(object).kind(), 1, Integer::sum);
            }
            if (!counts.containsKey(ObjectKind.POD.kind())) {
                List<String> kinds = new ArrayList<>();
                counts.forEach((kind, count) -> kinds.add(kind + " " + count));
                notes.note("no pods are among the objects: " + InputNotes.names(kinds));
            }
        }

        private void tellThatAreIgnored(ObjectKind<?> kind, String feature) {
            long count = features.isEnabled(feature)
                    ? 0
                    : objects.stream().filter(kind.type()::isInstance).count();
            if (count > 0) {
                notes.note((count == 1 ? "1 object" : count + " objects") + " of the kind " + kind.kind()
                        + (count == 1 ? " is" : " are") + " ignored: the feature gate " + feature + " is off");
            }
        }

        private void replaceLostPods() {
            List<Pod> lost = GonePods.withoutTheirNodes(objects);
            if (createsLostPodsAgain) {
                GonePods.createAgain(objects, lost, notes);
            } else {
                GonePods.tell(lost, notes);
            }
        }
    }
}
