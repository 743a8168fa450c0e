// SPDX-License-Identifier: Apache-2.0
package org.moorage.sigs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
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
import org.moorage.api.plugin.point.NodeChanges;
import org.moorage.api.plugin.point.ScorePlugin;
import org.moorage.api.plugin.point.SignPlugin;

/**
 * Prefers nodes whose pods use the same system calls, so that each pod is exposed to few calls that it does not use
 * itself. The calls of a pod are those that its SeccompProfiles allow.
 *
 * <p>Same decisions as scheduler-plugins' SySched, apart from a pod with several seccomp annotations, of which the first
 * by name counts, and from a change of a profile, which counts for running pods too.
 */
public final class SySched implements ScorePlugin, SignPlugin {
    /** The plugin's name. */
    public static final String NAME = "SySched";

    private static final ObjectKind<OtherObject> PROFILE =
            ObjectKind.other("security-profiles-operator.x-k8s.io/v1beta1", "SeccompProfile", "seccompprofiles", true);
    private static final String ANNOTATION = "seccomp.security.alpha.kubernetes.io";
    // Several times the system calls of any kernel.
    private static final int MOST_CALLS = 4096;
    private static final Set<String> ALLOWING = Set.of("SCMP_ACT_ALLOW", "SCMP_ACT_LOG");

    private final Args args;
    private final TypedResources<BitSet> profiles;
    // The bit of each system call.
    private final Map<String, Integer> bits = new HashMap<>();
    // Another object after each change of a profile.
    private volatile Object profilesVersion = new Object();
    private final NodeChanges changes = new NodeChanges();
    private final Map<String, Mutable<NodeCalls>> callsByNode = new ConcurrentHashMap<>();
    private final CachedNodeValues<SySched, Mutable<NodeCalls>> callsOfNodes =
            new CachedNodeValues<>((node, plugin) -> plugin.callsOn(node.name()));
    private final CachedPodValue<Calls> callsOfPod = new CachedPodValue<>(pod -> Calls.of(calls(pod)));

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

    /** A set of calls, by their bits. */
    private record Calls(long[] words, int count) {
        static final Calls NONE = of(new BitSet());

        static Calls of(BitSet bits) {
            return new Calls(bits.toLongArray(), bits.cardinality());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Calls that && Arrays.equals(words, that.words);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(words);
        }

        int inCommon(Calls other) {
            int count = 0;
            for (int i = 0; i < Math.min(words.length, other.words.length); i++) {
                count += Long.bitCount(words[i] & other.words[i]);
            }
            return count;
        }
    }

    /**
     * The calls of the pods on a node.
     *
     * @param pods the pods that have started, with distinct names
     * @param version the version of the profiles at which the calls were computed; null if they were not
     * @param calls the calls of all pods
     * @param sum the sum of the numbers of calls of each pod
     */
    private record NodeCalls(List<Pod> pods, @Nullable Object version, Calls calls, long sum) {
        static final NodeCalls NONE = of(List.of());

        static NodeCalls of(List<Pod> pods) {
            return new NodeCalls(List.copyOf(pods), null, Calls.NONE, 0);
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
        profiles = new TypedResources<>(handle, PROFILE, this::allowedCalls);
        handle.cluster().onChange(PROFILE, change -> {
            profilesVersion = new Object();
            changes.addAll();
        });
        handle.cluster().lister(ObjectKind.POD);
        handle.cluster().onChange(ObjectKind.POD, this::podChanged);
        handle.cluster().lister(ObjectKind.NODE);
        handle.cluster().onChange(ObjectKind.NODE, change -> {
            if (change.after().isEmpty()) {
                callsByNode.remove(change.latest().name());
                changes.add(change.latest().name());
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
            Mutable<NodeCalls> on = callsByNode.get(gone.nodeName());
            if (on != null) {
                on.update(calls -> calls.without(gone.name()));
                changes.add(gone.nodeName());
            }
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
            callsOn(pod.nodeName()).update(calls -> calls.with(pod));
            changes.add(pod.nodeName());
        }
    }

    private Mutable<NodeCalls> callsOn(String node) {
        return callsByNode.computeIfAbsent(node, any -> new Mutable<>(NodeCalls.NONE));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Optional<?> sign(Pod pod) {
        return Optional.of(callsOfPod.of(pod, profilesVersion));
    }

    @Override
    public Optional<NodeChanges> nodeChanges() {
        return Optional.of(changes);
    }

    /** Returns the number of calls that the pods on the node would be exposed to without using them themselves. */
    @Override
    public long score(CycleState state, Pod pod, NodeInfo node) {
        Object version = profilesVersion;
        Calls ofPod = callsOfPod.of(pod, version);
        if (ofPod.count() == 0) {
            return Long.MAX_VALUE;
        }
        NodeCalls on = current(callsOfNodes.of(node, this), version);
        long common = ofPod.inCommon(on.calls());
        long ofNode = on.calls().count();
        long together = ofNode + ofPod.count() - common;
        return ofNode - common + on.pods().size() * together - on.sum();
    }

    @SuppressWarnings("ReferenceEquality") // equal calls may be of other versions of pods
    private NodeCalls current(Mutable<NodeCalls> onNode, Object version) {
        NodeCalls known = onNode.get();
        if (known.version() == version) {
            return known;
        }
        BitSet all = new BitSet();
        long sum = 0;
        for (Pod pod : known.pods()) {
            BitSet calls = calls(pod);
            all.or(calls);
            sum += calls.cardinality();
        }
        NodeCalls computed = new NodeCalls(known.pods(), version, Calls.of(all), sum);
        // Kept unless the pods have changed since.
        onNode.update(current -> current == known ? computed : current);
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
