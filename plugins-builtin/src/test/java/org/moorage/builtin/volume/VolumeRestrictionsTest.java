// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.CloudDisk;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class VolumeRestrictionsTest {
    private static final Status DISK_IN_USE = Status.unschedulable("node(s) had no available disk");
    private static final Status CLAIM_IN_USE =
            Status.unschedulable("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode"
                    + " already in-use by another pod");

    record Case(String name, Volume.Source wanted, Volume.Source mounted, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("a GCE disk twice", gce("d", false), gce("d", true), DISK_IN_USE),
        new Case("a GCE disk only read", gce("d", true), gce("d", true), Status.success()),
        new Case("another GCE disk", gce("d", false), gce("e", false), Status.success()),
        new Case("an EBS volume only read", ebs("v"), ebs("v"), DISK_IN_USE),
        new Case("another EBS volume", ebs("v"), ebs("w"), Status.success()),
        new Case("an iSCSI disk twice", new Volume.Iscsi("iqn", true), new Volume.Iscsi("iqn", false), DISK_IN_USE),
        new Case(
                "an iSCSI disk only read",
                new Volume.Iscsi("iqn", true),
                new Volume.Iscsi("iqn", true),
                Status.success()),
        new Case("an image behind a shared monitor", rbd(false, "a", "b"), rbd(false, "b", "c"), DISK_IN_USE),
        new Case("an image behind other monitors", rbd(false, "a"), rbd(false, "b"), Status.success()),
        new Case("an image only read", rbd(true, "a"), rbd(true, "a"), Status.success()),
        new Case("disks of two sorts", gce("d", false), ebs("d"), Status.success()),
    };

    private static CloudDisk gce(String name, boolean readOnly) {
        return new CloudDisk(CloudDisk.Type.GCE_PERSISTENT_DISK, name, "", readOnly);
    }

    private static CloudDisk ebs(String id) {
        return new CloudDisk(CloudDisk.Type.AWS_ELASTIC_BLOCK_STORE, id, "", true);
    }

    private static Volume.Rbd rbd(boolean readOnly, String... monitors) {
        return new Volume.Rbd(List.of(monitors), "rbd", "image", readOnly);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void keepsDisksApart(Case c) {
        Pod pod = Pods.named("p").volume(c.wanted).build();
        Pod other = Pods.named("other").volume(c.mounted).on("n").build();
        ClusterSketch cluster = ClusterSketch.of(Nodes.named("n").build()).with(other);
        VolumeRestrictions plugin = plugin(TestHandle.of(cluster));
        CycleState state = new CycleState();
        assertThat(plugin.preFilter(state, pod, cluster).status()).isEqualTo(Status.success());
        assertThat(plugin.filter(state, pod, cluster.nodeInfo("n"))).isEqualTo(c.status);
        Hint hint = plugin.eventsToRegister().get(0).hint().hint(pod, ObjectChange.deleted((Object) other));
        assertThat(hint).isEqualTo(Hint.queueIf(!c.status.isSuccess()));
    }

    @Test
    void keepsClaimsOfOnePodForIt() {
        Pod pod = Pods.named("p").claim("c").build();
        Pod user = Pods.named("user").claim("c").on("n").build();
        Pod stranger =
                Pods.named("stranger").namespace("prod").claim("c").on("n").build();
        ClusterSketch free = ClusterSketch.of(Nodes.named("n").build()).with(stranger);
        ClusterSketch taken = free.with(user);
        VolumeRestrictions plugin = plugin(TestHandle.create()
                .with(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM,
                        Storage.claim("c", "now")
                                .accessModes(List.of(PersistentVolumeClaim.READ_WRITE_ONCE_POD))
                                .build()));
        assertThat(plugin.preFilter(new CycleState(), pod, free).status()).isEqualTo(Status.skip());
        CycleState state = new CycleState();
        plugin.preFilter(state, pod, taken);
        assertThat(plugin.filter(state, pod, taken.nodeInfo("n"))).isEqualTo(CLAIM_IN_USE);
        CycleState without = state.fork();
        plugin.removePod(without, pod, user, free.nodeInfo("n"));
        assertThat(plugin.filter(without, pod, free.nodeInfo("n"))).isEqualTo(Status.success());
        plugin.addPod(without, pod, user, taken.nodeInfo("n"));
        assertThat(plugin.filter(without, pod, taken.nodeInfo("n"))).isEqualTo(CLAIM_IN_USE);
        assertThat(plugin.filter(state, pod, taken.nodeInfo("n"))).isEqualTo(CLAIM_IN_USE);
    }

    @Test
    void refusesAPodWithoutItsClaim() {
        assertThat(plugin(TestHandle.create())
                        .preFilter(new CycleState(), Pods.named("p").claim("c").build(), ClusterSketch.empty())
                        .status())
                .isEqualTo(Status.unresolvable("persistentvolumeclaim \"c\" not found"));
    }

    private static VolumeRestrictions plugin(TestHandle handle) {
        return new VolumeRestrictions.Factory().create(PluginArgs.None.DEFAULTS, handle);
    }
}
