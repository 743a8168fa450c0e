// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.binding;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.moorage.api.Snapshot;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginException;
import org.moorage.api.plugin.builtin.VolumeWriter;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ObjectLister;

/** Reserves volumes for a pod, requests their binding or provisioning, and waits for it. */
final class VolumeBinder {
    private static final Duration POLL = Duration.ofSeconds(1);

    private final AssumeCache<PersistentVolumeClaim> claims;
    private final AssumeCache<PersistentVolume> volumes;
    private final ObjectLister<CsiNode> csiNodes;
    private final ObjectLister<Node> nodes;
    private final ObjectLister<Pod> pods;
    private final Handle handle;
    private final Pause pause;
    private final Duration timeout;

    VolumeBinder(Claims claims, Handle handle, Pause pause, Duration timeout) {
        this.claims = claims.claims();
        volumes = claims.volumes();
        csiNodes = claims.csiNodes();
        nodes = handle.cluster().lister(ObjectKind.NODE);
        pods = handle.cluster().lister(ObjectKind.POD);
        this.handle = handle;
        this.pause = pause;
        this.timeout = timeout;
    }

    /** Assumes that volumes and claims are bound to each other, or that claims have the node as their selected node. */
    PodVolumes reserve(PodVolumeClaims ofPod, String nodeName) {
        Snapshot snapshot = handle.snapshot();
        Node node = snapshot.node(nodeName)
                .orElseThrow(() -> new PluginException("node \"" + nodeName + "\" not found"))
                .node();
        PodVolumeClaims.Plan plan = ofPod.planFor(node);
        List<PodVolumes.BindingInfo> bindings = new ArrayList<>();
        for (PodVolumeClaims.StaticBinding binding : plan.bindings()) {
            bindings.add(new PodVolumes.BindingInfo(
                    binding.volume(), binding.volume().boundTo(binding.claim()), binding.claim()));
        }
        List<PodVolumes.Provision> provisions = new ArrayList<>();
        for (PersistentVolumeClaim claim : plan.provisions()) {
            provisions.add(new PodVolumes.Provision(claim, claim.withSelectedNode(nodeName)));
        }
        PodVolumes reservation = new PodVolumes(List.copyOf(bindings), List.copyOf(provisions), 0);
        try {
            for (PodVolumes.BindingInfo binding : bindings) {
                if (binding.isChange()) {
                    volumes.assume(binding.after());
                }
            }
            for (PodVolumes.Provision provision : provisions) {
                claims.assume(provision.after());
            }
        } catch (IllegalStateException outOfSync) {
            giveBack(reservation);
            throw outOfSync;
        }
        return reservation;
    }

    /** Reverts reservations that are not written yet; written ones will be observed in the cluster. */
    void giveBack(PodVolumes reservation) {
        int bindings = reservation.bindings().size();
        for (int i = Math.min(reservation.written(), bindings); i < bindings; i++) {
            if (reservation.bindings().get(i).isChange()) {
                volumes.restore(reservation.bindings().get(i).after());
            }
        }
        for (int i = Math.max(reservation.written() - bindings, 0);
                i < reservation.provisions().size();
                i++) {
            claims.restore(reservation.provisions().get(i).after());
        }
    }

    /**
     * Writes the reservation to the cluster.
     *
     * @param pod the pod, which is in its PreBind
     * @param progress receives the reservation after each step
     */
    void write(PodVolumes reservation, Pod pod, Consumer<PodVolumes> progress) {
        VolumeWriter writer = handle.cluster().writer().volumes();
        int written = 0;
        for (PodVolumes.BindingInfo binding : reservation.bindings()) {
            if (binding.isChange()) {
                write(() -> writer.bind(binding.before(), binding.claim()), () -> isClaimWritten(binding, pod));
                volumes.dropSuperseded(binding.after());
            }
            progress.accept(reservation.withWritten(++written));
        }
        for (PodVolumes.Provision provision : reservation.provisions()) {
            String nodeName = provision.after().selectedNode().orElseThrow();
            write(
                    () -> writer.selectNode(provision.before(), nodeName),
                    () -> isNodeWritten(provision.before(), nodeName, pod));
            claims.dropSuperseded(provision.after());
            progress.accept(reservation.withWritten(++written));
        }
    }

    // A write with an unknown outcome may have succeeded.
    private static void write(Runnable request, BooleanSupplier isWritten) {
        try {
            request.run();
        } catch (ClusterException failed) {
            if (failed.outcome() != ClusterException.Outcome.UNKNOWN || !isWritten.getAsBoolean()) {
                throw failed;
            }
        }
    }

    private boolean isClaimWritten(PodVolumes.BindingInfo binding, Pod pod) {
        return handle.binding()
                .readInPreBind(
                        pod, ObjectKind.PERSISTENT_VOLUME, "", binding.before().name())
                .filter(volume -> volume.metadata()
                                .uid()
                                .equals(binding.before().metadata().uid())
                        && volume.claim().equals(binding.after().claim()))
                .isPresent();
    }

    private boolean isNodeWritten(PersistentVolumeClaim claim, String nodeName, Pod pod) {
        return handle.binding()
                .readInPreBind(pod, ObjectKind.PERSISTENT_VOLUME_CLAIM, claim.namespace(), claim.name())
                .filter(read -> read.metadata().uid().equals(claim.metadata().uid())
                        && read.selectedNode().filter(nodeName::equals).isPresent())
                .isPresent();
    }

    /**
     * Waits until the claims are bound.
     *
     * @throws PluginException if the timeout passes, or the claims cannot be bound
     */
    void await(PodVolumes reservation, Pod pod, String nodeName) {
        InstantSource clock = handle.monotonicClock();
        Instant end = clock.instant().plus(timeout);
        try {
            // The polls are counted, too, so that the wait ends if a simulated clock stands still.
            for (long polls = timeout.dividedBy(POLL); !isDone(reservation, pod, nodeName); polls--) {
                if (polls <= 0 || !clock.instant().isBefore(end)) {
                    throw new PluginException("context deadline exceeded");
                }
                pause.last(pod, POLL);
            }
        } catch (IllegalStateException failed) {
            throw new PluginException("binding volumes: " + failed.getMessage(), failed);
        }
    }

    private boolean isDone(PodVolumes reservation, Pod pod, String nodeName) {
        Node node = nodes.get("", nodeName)
                .orElseThrow(() -> new PluginException(
                        "failed to get node \"" + nodeName + "\": node \"" + nodeName + "\" not found"));
        if (pods.current(pod).isEmpty()) {
            throw new PluginException("pod does not exist any more: pod \"" + pod.name() + "\" not found");
        }
        for (PodVolumes.BindingInfo binding : reservation.bindings()) {
            if (!isBound(binding, node)) {
                return false;
            }
        }
        for (PodVolumes.Provision provision : reservation.provisions()) {
            if (!isMade(provision, node)) {
                return false;
            }
        }
        return true;
    }

    private boolean isBound(PodVolumes.BindingInfo binding, Node node) {
        String name = binding.after().name();
        PersistentVolume volume = volumes.seen("", name)
                .orElseThrow(() ->
                        new PluginException("failed to check binding: persistentvolumes \"" + name + "\" not found"));
        PersistentVolumeClaim claim = seen(binding.claim(), "failed to check binding");
        if (binding.isChange() && AssumeCache.isSame(binding.before(), volume)) {
            return false;
        }
        demandReachable(volume, node);
        if (volume.claim().filter(known -> !known.uid().isEmpty()).isEmpty()) {
            throw new PluginException("ClaimRef got reset for pv \"" + name + "\"");
        }
        return claim.isBound();
    }

    private boolean isMade(PodVolumes.Provision provision, Node node) {
        PersistentVolumeClaim claim = seen(provision.after(), "failed to check provisioning pvc");
        if (AssumeCache.isSame(provision.before(), claim)) {
            return false;
        }
        // The provisioner removes the selected node to report that provisioning failed.
        if (claim.metadata().annotations().isEmpty()) {
            throw new PluginException("selectedNode annotation reset for PVC \"" + claim.name() + "\"");
        }
        if (claim.selectedNode().filter(node.name()::equals).isEmpty()) {
            throw new PluginException("provisioning failed for PVC \"" + claim.name() + "\"");
        }
        if (claim.volumeName().isEmpty()) {
            return false;
        }
        PersistentVolume volume = volumes.seen("", claim.volumeName()).orElse(null);
        if (volume == null) {
            // The scheduler may not have observed it yet.
            return false;
        }
        demandReachable(volume, node);
        return claim.isBound();
    }

    private PersistentVolumeClaim seen(PersistentVolumeClaim claim, String what) {
        return claims.seen(claim.namespace(), claim.name())
                .orElseThrow(
                        () -> new PluginException(what + ": persistentvolumeclaims \"" + claim.key() + "\" not found"));
    }

    private void demandReachable(PersistentVolume volume, Node node) {
        CsiNode csiNode = csiNodes.get("", node.name()).orElse(null);
        if (!new BoundVolume(volume).isReachable(node, csiNode)) {
            throw new PluginException("pv \"" + volume.name() + "\" node affinity doesn't match node \"" + node.name()
                    + "\": no matching NodeSelectorTerms");
        }
    }
}
