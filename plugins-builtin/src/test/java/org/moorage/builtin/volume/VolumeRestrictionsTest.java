// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.api.model.Volume;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.PodTester;
import org.moorage.testkit.Pods;

class VolumeRestrictionsTest {
    private static final PluginTester PLUGIN = PluginTester.of(VolumeRestrictions.FACTORY);
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

    private static InTreeVolume gce(String name, boolean readOnly) {
        return new InTreeVolume(InTreeVolume.Type.GCE_PERSISTENT_DISK, name, "", readOnly);
    }

    private static InTreeVolume ebs(String id) {
        return new InTreeVolume(InTreeVolume.Type.AWS_ELASTIC_BLOCK_STORE, id, "", true);
    }

    private static Volume.Rbd rbd(boolean readOnly, String... monitors) {
        return new Volume.Rbd(List.of(monitors), "rbd", "image", readOnly);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void keepsDisksApart(Case c) {
        Pod pod = Pods.named("p").volume(c.wanted).build();
        Pod other = Pods.named("other").volume(c.mounted).on("n").build();
        PLUGIN.cluster(Nodes.named("n").build(), other)
                .pod(pod)
                .filters("n", c.status)
                .hint(ObjectChange.deleted(other), Hint.queueIf(!c.status.isSuccess()));
    }

    @Test
    void keepsClaimsOfOnePodForIt() {
        Pod pod = Pods.named("p").claim("c").build();
        Pod user = Pods.named("user").claim("c").on("n").build();
        Pod stranger =
                Pods.named("stranger").namespace("prod").claim("c").on("n").build();
        PluginTester free = PLUGIN.cluster(
                Nodes.named("n").build(),
                stranger,
                Storage.claim("c", "now")
                        .accessModes(List.of(PersistentVolumeClaim.READ_WRITE_ONCE_POD))
                        .build());
        free.pod(pod).skipsFilter();
        PodTester taken = free.cluster(user).pod(pod).rejects("n", CLAIM_IN_USE);
        PodTester without = taken.withPodRemoved("n", user).accepts("n");
        without.withPodAdded("n", user).rejects("n", CLAIM_IN_USE);
        taken.rejects("n", CLAIM_IN_USE);
    }

    @Test
    void refusesAPodWithoutItsClaim() {
        PLUGIN.pod(Pods.named("p").claim("c").build())
                .rejectsPod(Status.unresolvable("persistentvolumeclaim \"c\" not found"));
    }
}
