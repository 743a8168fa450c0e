// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.NodeScores;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.ObjectFields;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.OtherObject;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.PluginFactory;
import org.moorage.api.plugin.point.ScorePlugin;

/**
 * Prefers nodes whose pods use the same system calls, so that each pod is exposed to few calls that it does not use
 * itself. The calls of a pod are those that its SeccompProfiles allow.
 *
 * <p>Same decisions as scheduler-plugins' SySched, apart from a pod with several seccomp annotations, of which the first
 * by name counts, and from a change of a profile, which counts for running pods too.
 */
public final class SySched implements ScorePlugin {
    /** The plugin's name. */
    public static final String NAME = "SySched";

    private static final ObjectKind<OtherObject> PROFILE =
            ObjectKind.other("security-profiles-operator.x-k8s.io/v1beta1", "SeccompProfile", "seccompprofiles", true);
    private static final String ANNOTATION = "seccomp.security.alpha.kubernetes.io";
    // Several times the system calls of any kernel.
    private static final int MOST_CALLS = 4096;
    private static final Set<String> ALLOWING = Set.of("SCMP_ACT_ALLOW", "SCMP_ACT_LOG");

    private final Args args;
    private final CustomResources<BitSet> profiles;
    // The bit of each system call.
    private final Map<String, Integer> bits = new HashMap<>();
    private final AtomicInteger profileChanges = new AtomicInteger();
    private final Map<String, NodeCalls> callsByNode = new ConcurrentHashMap<>();
    // The calls of the pod of the current cycle: a function of the pod and the profiles, which all nodes share.
    private volatile @Nullable PodCalls last;

    /**
     * The arguments.
     *
     * @param defaultProfileNamespace the namespace of the default profile
     * @param defaultProfileName the profile of pods without one
     */
    public record Args(String defaultProfileNamespace, String defaultProfileName) implements PluginArgs {
        /** The default arguments. */
        public static final Args DEFAULTS = new Args("default", "all-syscalls");
    }

    /** The calls of a pod, with the number of changes of profiles at which they were computed. */
    private record PodCalls(Pod pod, int changes, BitSet calls) {}

    /**
     * The calls of the pods on a node.
     *
     * @param pods the pods that have started, with distinct names
     * @param changes the number of changes of profiles at which the calls were computed; -1 if they were not
     * @param calls the calls of all pods
     * @param sum the sum of the numbers of calls of each pod
     */
    private record NodeCalls(List<Pod> pods, int changes, BitSet calls, long sum) {
        static final NodeCalls NONE = of(List.of());

        static NodeCalls of(List<Pod> pods) {
            return new NodeCalls(List.copyOf(pods), -1, new BitSet(), 0);
        }

        NodeCalls with(Pod pod) {
            for (Pod known : pods) {
                if (known.name().equals(pod.name())) {
                    return this;
                }
            }
            List<Pod> more = new ArrayList<>(pods);
            more.add(pod);
            return of(more);
        }

        NodeCalls without(String name) {
            List<Pod> left = new ArrayList<>(pods);
            return left.removeIf(pod -> pod.name().equals(name)) ? of(left) : this;
        }
    }

    private SySched(Args args, Handle handle) {
        this.args = args;
        profiles = new CustomResources<>(handle, PROFILE, this::allowedCalls);
        handle.cluster().onChange(PROFILE, change -> profileChanges.incrementAndGet());
        handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
        handle.cluster().lister(ObjectKind.NODE);
        handle.cluster().onChange(ObjectKind.NODE, change -> {
            if (change.after().isEmpty()) {
                callsByNode.remove(change.latest().name());
            }
        });
    }

    private BitSet allowedCalls(OtherObject profile) {
        BitSet calls = new BitSet();
        for (ObjectFields rule : profile.fields().objects("spec", "syscalls")) {
            if (ALLOWING.contains(rule.string("action").orElse(""))) {
                for (String call : rule.strings("names")) {
                    bit(call).ifPresent(calls::set);
                }
            }
        }
        return calls;
    }

    // Names are kept permanently, so there is a limit; further ones do not count.
    private OptionalInt bit(String call) {
        synchronized (bits) {
            Integer known = bits.get(call);
            if (known == null && bits.size() < MOST_CALLS) {
                known = bits.size();
                bits.put(call, known);
            }
            return known == null ? OptionalInt.empty() : OptionalInt.of(known);
        }
    }

    // A pod counts from when it runs: at its arrival, or at the update after the kubelet acknowledged it.
    private void podChanged(ObjectChange<Pod> change) {
        Optional<Pod> before = change.before();
        if (change.after().isEmpty()) {
            Pod gone = change.latest();
            callsByNode.computeIfPresent(gone.nodeName(), (node, calls) -> calls.without(gone.name()));
        } else if (before.isEmpty()) {
            Pod added = change.latest();
            if (added.status().phase().equals("Running")) {
                add(added);
            }
        } else if (before.get().status().phase().equals("Pending")
                && !before.get().status().hostIp().isEmpty()) {
            add(before.get());
        }
    }

    private void add(Pod pod) {
        if (pod.isBound()) {
            callsByNode.compute(pod.nodeName(), (node, calls) -> (calls == null ? NodeCalls.NONE : calls).with(pod));
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Returns the number of calls that the pods on the node would be exposed to without using them themselves. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        int changes = profileChanges.get();
        BitSet ofPod = calls(pod, changes);
        if (ofPod.isEmpty()) {
            return Long.MAX_VALUE;
        }
        NodeCalls on = calls(node.name(), changes);
        if (on == null) {
            return 0;
        }
        int common = 0;
        for (int bit = ofPod.nextSetBit(0); bit >= 0; bit = ofPod.nextSetBit(bit + 1)) {
            common += on.calls().get(bit) ? 1 : 0;
        }
        long ofNode = on.calls().cardinality();
        long together = ofNode + ofPod.cardinality() - common;
        return ofNode - common + on.pods().size() * together - on.sum();
    }

    @SuppressWarnings("ReferenceEquality") // an equal pod is another version
    private BitSet calls(Pod pod, int changes) {
        PodCalls known = last;
        if (known == null || known.pod() != pod || known.changes() != changes) {
            known = new PodCalls(pod, changes, calls(pod));
            last = known;
        }
        return known.calls();
    }

    private @Nullable NodeCalls calls(String node, int changes) {
        NodeCalls known = callsByNode.get(node);
        if (known == null || known.changes() == changes) {
            return known;
        }
        BitSet all = new BitSet();
        long sum = 0;
        for (Pod pod : known.pods()) {
            BitSet calls = calls(pod);
            all.or(calls);
            sum += calls.cardinality();
        }
        NodeCalls computed = new NodeCalls(known.pods(), changes, all, sum);
        // Kept unless the pods have changed since.
        callsByNode.replace(node, known, computed);
        return computed;
    }

    private BitSet calls(Pod pod) {
        BitSet calls = new BitSet();
        pod.spec().seccompProfiles().forEach(path -> profile(path).ifPresent(calls::or));
        for (Map.Entry<String, String> annotation : new TreeMap<>(pod.metadata().annotations()).entrySet()) {
            if (annotation.getKey().contains(ANNOTATION)) {
                profile(annotation.getValue()).ifPresent(calls::or);
                break;
            }
        }
        return calls.isEmpty()
                ? profiles.get(args.defaultProfileNamespace(), args.defaultProfileName())
                        .orElseGet(BitSet::new)
                : calls;
    }

    // The operator writes profiles to operator/NAMESPACE/NAME.json.
    private Optional<BitSet> profile(String path) {
        int name = path.lastIndexOf('/') + 1;
        if (name == 0) {
            return Optional.empty();
        }
        int namespace = path.lastIndexOf('/', name - 2) + 1;
        int extension = path.lastIndexOf('.');
        return profiles.get(
                path.substring(namespace, name - 1),
                extension < name ? path.substring(name) : path.substring(name, extension));
    }

    @Override
    public NodeScores normalize(CycleState state, Pod pod, NodeScores scores) {
        return scores.scaledTo100().reversed();
    }

    /** Creates the plugin; named in {@code META-INF/services}. */
    public static final class Factory implements PluginFactory<Args> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Class<Args> argsType() {
            return Args.class;
        }

        @Override
        public Optional<String> argsKind() {
            return Optional.of("SySchedArgs");
        }

        @Override
        public Plugin create(Args args, Handle handle) {
            return new SySched(args, handle);
        }
    }
}
