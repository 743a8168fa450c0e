// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.CloudDisk;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.Pod;
import org.moorage.api.model.VolumeAttachment;
import org.moorage.api.plugin.FeatureGates;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.builtin.volume.Storage;
import org.moorage.testkit.ClusterSketch;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class NodeVolumeLimitsTest {
    private static final Status TOO_MANY = Status.unschedulable("node(s) exceed max volume count");
    private static final CloudDisk EBS =
            new CloudDisk(CloudDisk.Type.AWS_ELASTIC_BLOCK_STORE, "aws://z/vol-1", "", false);

    /** On the node is a pod with the claim {@code used}; the volume {@code attached} is attached to it. */
    record Case(String name, String driver, int limit, Pod pod, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("room for one more", "csi.x", 3, Pods.named("p").claim("new").build(), Status.success()),
        new Case(
                "no room for one more", "csi.x", 2, Pods.named("p").claim("new").build(), TOO_MANY),
        new Case(
                "two, and room for one",
                "csi.x",
                3,
                Pods.named("p").claim("new").claim("open").build(),
                TOO_MANY),
        new Case(
                "one that is there already",
                "csi.x",
                1,
                Pods.named("p").claim("used").build(),
                Status.success()),
        new Case(
                "one by another claim",
                "csi.x",
                1,
                Pods.named("p").claim("same").build(),
                Status.success()),
        new Case(
                "one that is attached counts twice",
                "csi.x",
                2,
                Pods.named("p").claim("attached").build(),
                TOO_MANY),
        new Case(
                "one that is not made yet",
                "csi.x",
                2,
                Pods.named("p").claim("open").build(),
                TOO_MANY),
        new Case(
                "a limit of another driver",
                "csi.y",
                0,
                Pods.named("p").claim("new").build(),
                Status.success()),
        new Case(
                "a disk of a former plugin",
                "ebs.csi.aws.com",
                0,
                Pods.named("p").volume(EBS).build(),
                TOO_MANY),
        new Case(
                "the same as a volume",
                "ebs.csi.aws.com",
                0,
                Pods.named("p").claim("ebs").build(),
                TOO_MANY),
        new Case(
                "a claim that is not there",
                "csi.x",
                9,
                Pods.named("p").claim("gone").build(),
                Status.unresolvable("looking up PVC default/gone: persistentvolumeclaim \"gone\" not found")),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void filters(Case c) {
        ClusterSketch cluster = ClusterSketch.of(Nodes.named("n").build())
                .with(Pods.named("user").claim("used").on("n").build());
        TestHandle handle = TestHandle.of(cluster)
                .with(ObjectKind.CSI_NODE, csiNode(c.driver, c.limit))
                .with(ObjectKind.STORAGE_CLASS, Storage.delayed("wait", "csi.x"))
                .with(
                        ObjectKind.PERSISTENT_VOLUME_CLAIM,
                        Storage.claim("open", "wait").build())
                .with(
                        ObjectKind.VOLUME_ATTACHMENT,
                        new VolumeAttachment(ObjectMeta.named("a").build(), "csi.x", "n", "attached"));
        for (String name : List.of("used", "new", "attached")) {
            volume(handle, name, new PersistentVolume.CsiSource("csi.x", name));
        }
        volume(handle, "same", new PersistentVolume.CsiSource("csi.x", "used"));
        handle.with(
                        ObjectKind.PERSISTENT_VOLUME,
                        Storage.volume("ebs", "", "1Gi").cloudDisk(EBS).build())
                .with(ObjectKind.PERSISTENT_VOLUME_CLAIM, Storage.bound("ebs", "ebs"));
        NodeVolumeLimits plugin = new NodeVolumeLimits.Factory().create(PluginArgs.None.DEFAULTS, handle);
        CycleState state = new CycleState();
        assertThat(plugin.preFilter(state, c.pod, cluster).status()).isEqualTo(Status.success());
        assertThat(plugin.filter(state, c.pod, cluster.nodeInfo("n"))).isEqualTo(c.status);
    }

    /** The driver csi.x may want pods kept off; the pod wants one of its volumes. */
    record Missing(String name, boolean wanted, boolean feature, String driverOnNode, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final Status MISSING = Status.unschedulable("csi.x CSI driver is not installed on the node");

    static final Missing[] MISSING_DRIVERS = {
        new Missing("a node without it", true, true, "csi.y", MISSING),
        new Missing("a node without any", true, true, "", MISSING),
        new Missing("a node with it", true, true, "csi.x", Status.success()),
        new Missing("a driver that does not care", false, true, "csi.y", Status.success()),
        new Missing("without the feature", true, false, "csi.y", Status.success()),
    };

    @ParameterizedTest
    @FieldSource("MISSING_DRIVERS")
    void keepsPodsOffNodesWithoutTheirDriver(Missing c) {
        ClusterSketch cluster = ClusterSketch.of(Nodes.named("n").build());
        TestHandle handle = TestHandle.of(cluster)
                .with(FeatureGates.DEFAULTS.with(FeatureGates.VOLUME_LIMIT_SCALING, c.feature))
                .with(
                        ObjectKind.CSI_DRIVER,
                        new CsiDriver(ObjectMeta.named("csi.x").build(), false, c.wanted));
        if (!c.driverOnNode.isEmpty()) {
            handle.with(ObjectKind.CSI_NODE, csiNode(c.driverOnNode, 1));
        }
        volume(handle, "new", new PersistentVolume.CsiSource("csi.x", "new"));
        Pod pod = Pods.named("p").claim("new").build();
        NodeVolumeLimits plugin = new NodeVolumeLimits.Factory().create(PluginArgs.None.DEFAULTS, handle);
        CycleState state = new CycleState();
        assertThat(plugin.preFilter(state, pod, cluster).status()).isEqualTo(Status.success());
        assertThat(plugin.filter(state, pod, cluster.nodeInfo("n"))).isEqualTo(c.status);
    }

    private static void volume(TestHandle handle, String name, PersistentVolume.CsiSource source) {
        handle.with(
                        ObjectKind.PERSISTENT_VOLUME,
                        Storage.volume(name, "now", "1Gi").csi(source).build())
                .with(ObjectKind.PERSISTENT_VOLUME_CLAIM, Storage.bound(name, name));
    }

    private static CsiNode csiNode(String driver, int limit) {
        return new CsiNode(
                ObjectMeta.named("n").build(), List.of(new CsiNode.Driver(driver, List.of(), OptionalInt.of(limit))));
    }
}
