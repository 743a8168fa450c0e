// SPDX-License-Identifier: Apache-2.0
package org.moorage.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Snapshot;
import org.moorage.api.StateKey;
import org.moorage.api.Status;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.DeviceAllocation;
import org.moorage.api.model.DeviceRequest;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.ResourceClaim;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.ClusterWriter;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.FilterPlugin;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.MergePatch;
import org.moorage.api.plugin.NodeDraft;
import org.moorage.api.plugin.Nomination;
import org.moorage.api.plugin.ObjectLister;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PodEvent;
import org.moorage.api.plugin.PodInPreBind;
import org.moorage.api.plugin.PreFilterExtensions;
import org.moorage.api.plugin.ResourceClaimWriter;
import org.moorage.api.plugin.VolumeWriter;
import org.moorage.api.plugin.WaitingPod;

/**
 * A handle for tests of a plugin without a scheduler: it shows what the test puts there, and notes what the plugin changes.
 *
 * <p>The clock stands still and chance is seeded. Nothing waits for a permit or is being bound. What goes on in the background is done at once.
 */
public final class TestHandle implements Handle {
    private static final long SEED = 1;

    private final Map<ObjectKind<?>, Map<String, ClusterObject>> objects = new ConcurrentHashMap<>();
    private final Map<StateKey<?>, Object> shared = new ConcurrentHashMap<>();
    private final List<Change> changes = new CopyOnWriteArrayList<>();
    private final List<Pod> activated = new CopyOnWriteArrayList<>();
    private final List<Pod> activatedAfterBackoff = new CopyOnWriteArrayList<>();
    private final List<Pod> nominated = new CopyOnWriteArrayList<>();
    private final List<Plugin> plugins = new CopyOnWriteArrayList<>();
    private final RandomGenerator random = RandomGeneratorFactory.getDefault().create(SEED);
    private volatile Snapshot snapshot;
    private volatile Instant now = Instant.parse("2024-01-01T00:00:00Z");
    private volatile FeatureGates featureGates = FeatureGates.DEFAULTS;
    private volatile Optional<ClusterException> failure = Optional.empty();

    private TestHandle(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    /**
     * A change that a plugin made.
     *
     * @param what the name of the writer's method
     * @param object the key of the object
     * @param detail the node, condition, claim, patch or note
     */
    public record Change(String what, String object, String detail) {}

    /** A handle that shows an empty cluster. */
    public static TestHandle create() {
        return new TestHandle(ClusterSketch.empty());
    }

    /** A handle that shows this cluster. */
    public static TestHandle of(Snapshot snapshot) {
        return new TestHandle(Objects.requireNonNull(snapshot, "snapshot"));
    }

    /** Shows another cluster from now on. */
    public TestHandle show(Snapshot cluster) {
        snapshot = Objects.requireNonNull(cluster, "cluster");
        return this;
    }

    /** Adds an object to those that listers have, in place of the one with its name. */
    public <T extends ClusterObject> TestHandle with(ObjectKind<T> kind, T object) {
        objects.computeIfAbsent(kind, any -> new ConcurrentHashMap<>()).put(object.key(), object);
        return this;
    }

    /** Has an object leave the cluster. */
    public <T extends ClusterObject> TestHandle without(ObjectKind<T> kind, T object) {
        objects.computeIfAbsent(kind, any -> new ConcurrentHashMap<>()).remove(object.key());
        return this;
    }

    /** Adds a pod to those that are likely to get the node that their status names. */
    public TestHandle nominate(Pod pod) {
        nominated.add(pod);
        return this;
    }

    /** Has drafts and {@link #filterWithNominatedPods} use these plugins, in this order. */
    public TestHandle using(Plugin... used) {
        plugins.addAll(List.of(used));
        return this;
    }

    /** Sets the time. */
    public TestHandle at(Instant time) {
        now = Objects.requireNonNull(time, "time");
        return this;
    }

    /** Has these features be on and off, for plugins that are made from now on. */
    public TestHandle with(FeatureGates gates) {
        featureGates = Objects.requireNonNull(gates, "gates");
        return this;
    }

    /** Has every change fail from now on; nothing is noted then. */
    public TestHandle failing(ClusterException with) {
        failure = Optional.of(with);
        return this;
    }

    /** What was changed through {@link #writer()}, in order. */
    public List<Change> changes() {
        return List.copyOf(changes);
    }

    /** The pods given to {@link #activate}, in order. */
    public List<Pod> activated() {
        return List.copyOf(activated);
    }

    /** The pods given to {@link #activateAfterBackoff}, in order. */
    public List<Pod> activatedAfterBackoff() {
        return List.copyOf(activatedAfterBackoff);
    }

    @Override
    public String profileName() {
        return "default-scheduler";
    }

    @Override
    public Snapshot snapshot() {
        return snapshot;
    }

    @Override
    public <T extends ClusterObject> ObjectLister<T> lister(ObjectKind<T> kind) {
        return new KnownObjects<>(objects.computeIfAbsent(kind, any -> new ConcurrentHashMap<>()), kind.type());
    }

    @Override
    public ClusterWriter writer() {
        return new Notebook();
    }

    @Override
    @SuppressWarnings("unchecked") // what is stored under a key has the key's type
    public <T> T shared(StateKey<T> key, Supplier<T> make) {
        return (T) shared.computeIfAbsent(key, any -> Objects.requireNonNull(make.get(), key.toString()));
    }

    @Override
    public FeatureGates featureGates() {
        return featureGates;
    }

    @Override
    public Executor background() {
        return Runnable::run;
    }

    @Override
    public InstantSource clock() {
        return () -> now;
    }

    /** Does not wait, but moves the clock. */
    @Override
    public void pause(Pod pod, Duration time) {
        now = now.plus(time);
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Collection<WaitingPod> waitingPods() {
        return List.of();
    }

    @Override
    public Optional<WaitingPod> waitingPod(String uid) {
        return Optional.empty();
    }

    @Override
    public Optional<PodInPreBind> podInPreBind(String uid) {
        return Optional.empty();
    }

    @Override
    public void activate(Collection<Pod> pods) {
        activated.addAll(pods);
    }

    @Override
    public void activateAfterBackoff(Collection<Pod> pods) {
        activatedAfterBackoff.addAll(pods);
    }

    @Override
    public List<Pod> nominatedPods(String nodeName) {
        return nominated.stream()
                .filter(pod -> pod.status().nominatedNodeName().equals(nodeName))
                .toList();
    }

    @Override
    public Status filterWithNominatedPods(CycleState state, Pod pod, NodeInfo node) {
        NodeDraft draft = draft(state.fork(), pod, node);
        boolean crowded = false;
        for (Pod rival : nominatedPods(node.name())) {
            if (rival.spec().priority() >= pod.spec().priority() && !rival.uid().equals(pod.uid())) {
                draft.add(rival);
                crowded = true;
            }
        }
        if (crowded) {
            Status status = filter(draft.state(), pod, draft.node());
            if (!status.isSuccess()) {
                return status;
            }
        }
        return filter(state, pod, node);
    }

    private Status filter(CycleState state, Pod pod, NodeInfo node) {
        for (Plugin plugin : plugins) {
            if (plugin instanceof FilterPlugin filter) {
                Status status = filter.filter(state, pod, node);
                if (!status.isSuccess()) {
                    return status;
                }
            }
        }
        return Status.success();
    }

    @Override
    public NodeDraft draft(CycleState state, Pod pod, NodeInfo node) {
        if (!(node instanceof SketchedNode original)) {
            throw new IllegalArgumentException("node \"" + node.name() + "\": "
                    + node.getClass().getSimpleName() + " (expected: a node of a ClusterSketch)");
        }
        return new SketchedDraft(state.fork(), pod, original.draft(), List.copyOf(plugins));
    }

    private record SketchedDraft(CycleState state, Pod pod, SketchedNode node, List<Plugin> plugins)
            implements NodeDraft {
        @Override
        public void add(Pod added) {
            node.add(added);
            for (Plugin plugin : plugins) {
                if (plugin instanceof PreFilterExtensions extensions) {
                    extensions.addPod(state, pod, added, node);
                }
            }
        }

        @Override
        public void remove(Pod removed) {
            node.remove(removed);
            for (Plugin plugin : plugins) {
                if (plugin instanceof PreFilterExtensions extensions) {
                    extensions.removePod(state, pod, removed, node);
                }
            }
        }
    }

    private record KnownObjects<T extends ClusterObject>(Map<String, ClusterObject> byKey, Class<T> type)
            implements ObjectLister<T> {
        @Override
        public Optional<T> get(String namespace, String name) {
            return Optional.ofNullable(byKey.get(namespace.isEmpty() ? name : namespace + "/" + name))
                    .map(type::cast);
        }

        @Override
        public Collection<T> all() {
            List<T> all = new ArrayList<>();
            new TreeMap<>(byKey).values().forEach(object -> all.add(type.cast(object)));
            return all;
        }

        @Override
        public Collection<T> in(String namespace) {
            return all().stream()
                    .filter(object -> object.namespace().equals(namespace))
                    .toList();
        }
    }

    private final class Notebook implements ClusterWriter {
        @Override
        public void bind(Pod pod, String nodeName) {
            note("bind", pod.key(), nodeName);
        }

        @Override
        public void patchStatus(Pod pod, Optional<PodCondition> condition, Nomination nomination) {
            String shown = condition.map(one -> one.type() + "=" + one.status()).orElse("");
            note("patchStatus", pod.key(), nomination.overrides() ? shown + " -> " + nomination.nodeName() : shown);
        }

        @Override
        public void delete(Pod pod) {
            note("delete", pod.key(), "");
        }

        @Override
        public void patchExtendedResourceClaimStatus(Pod pod, PodStatus.ExtendedResourceClaimStatus status) {
            note("patchExtendedResourceClaimStatus", pod.key(), status.claimName());
        }

        @Override
        public void patchNodeAllocatableResourceClaimStatuses(Pod pod, List<PodStatus.NodeResourceClaim> statuses) {
            String claims = statuses.stream()
                    .map(PodStatus.NodeResourceClaim::claimName)
                    .collect(Collectors.joining(" "));
            note("patchNodeAllocatableResourceClaimStatuses", pod.key(), claims);
        }

        @Override
        public VolumeWriter volumes() {
            return new VolumeWriter() {
                @Override
                public PersistentVolume bind(PersistentVolume volume, PersistentVolumeClaim claim) {
                    note("bind", volume.key(), claim.key());
                    return volume.boundTo(claim);
                }

                @Override
                public PersistentVolumeClaim selectNode(PersistentVolumeClaim claim, String nodeName) {
                    note("selectNode", claim.key(), nodeName);
                    return claim.withSelectedNode(nodeName);
                }
            };
        }

        @Override
        public ResourceClaimWriter resourceClaims() {
            return new ResourceClaimWriter() {
                @Override
                public ResourceClaim createForExtendedResources(Pod pod, List<DeviceRequest> requests) {
                    note("createForExtendedResources", pod.key(), "");
                    String name = "created-" + changes.size();
                    ObjectMeta metadata = ObjectMeta.named(name)
                            .namespace(pod.namespace())
                            .uid(name)
                            .build();
                    return ResourceClaim.forExtendedResources(metadata, pod, requests);
                }

                @Override
                public ResourceClaim addFinalizer(ResourceClaim claim) {
                    note("addFinalizer", claim.key(), "");
                    return claim.withFinalizer();
                }

                @Override
                public ResourceClaim removeFinalizer(ResourceClaim claim) {
                    note("removeFinalizer", claim.key(), "");
                    return claim.withoutFinalizer();
                }

                @Override
                public ResourceClaim allocate(ResourceClaim claim, DeviceAllocation allocation, Pod pod) {
                    note("allocate", claim.key(), pod.key());
                    return claim.withAllocation(allocation).withReservationFor(pod);
                }

                @Override
                public ResourceClaim reserve(ResourceClaim claim, Pod pod) {
                    note("reserve", claim.key(), pod.key());
                    return claim.withReservationFor(pod);
                }

                @Override
                public ResourceClaim unreserve(ResourceClaim claim, Pod pod) {
                    note("unreserve", claim.key(), pod.key());
                    return claim.withoutReservationFor(pod);
                }

                @Override
                public ResourceClaim deallocate(ResourceClaim claim) {
                    note("deallocate", claim.key(), "");
                    return claim.deallocated();
                }
            };
        }

        @Override
        public OtherObject patch(ObjectKind<OtherObject> kind, String namespace, String name, MergePatch patch) {
            note("patch", namespace.isEmpty() ? name : namespace + "/" + name, patch.json());
            return lister(kind)
                    .get(namespace, name)
                    .orElseThrow(() -> new ClusterException(kind.plural() + " \"" + name + "\" not found", 404, null));
        }

        @Override
        public void delete(ObjectKind<?> kind, String namespace, String name) {
            note("delete", namespace.isEmpty() ? name : namespace + "/" + name, "");
        }

        @Override
        public void report(PodEvent event) {
            changes.add(new Change("report", event.pod().key(), event.reason() + ": " + event.note()));
        }

        private void note(String what, String object, String detail) {
            failure.ifPresent(with -> {
                throw with;
            });
            changes.add(new Change(what, object, detail));
        }
    }
}
