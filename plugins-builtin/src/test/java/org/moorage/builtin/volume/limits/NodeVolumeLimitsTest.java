// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.model.CsiDriver;
import org.moorage.api.model.CsiNode;
import org.moorage.api.model.InTreeVolume;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PersistentVolume;
import org.moorage.api.model.Pod;
import org.moorage.api.model.VolumeAttachment;
import org.moorage.builtin.volume.Storage;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class NodeVolumeLimitsTest {
    private static final PluginTester PLUGIN = PluginTester.of(NodeVolumeLimits.FACTORY);
    private static final Status TOO_MANY = Status.unschedulable("node(s) exceed max volume count");
    private static final InTreeVolume EBS =
            new InTreeVolume(InTreeVolume.Type.AWS_ELASTIC_BLOCK_STORE, "aws://z/vol-1", "", false);

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
                "one that is already attached",
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
        List<ClusterObject> storage = new ArrayList<>();
        for (String name : List.of("used", "new", "attached")) {
            storage.addAll(volume(name, new PersistentVolume.CsiSource("csi.x", name)));
        }
        storage.addAll(volume("same", new PersistentVolume.CsiSource("csi.x", "used")));
        PLUGIN.cluster(
                        Nodes.named("n").build(),
                        Pods.named("user").claim("used").on("n").build(),
                        csiNode(c.driver, c.limit),
                        Storage.delayed("wait", "csi.x"),
                        Storage.claim("open", "wait").build(),
                        new VolumeAttachment(ObjectMeta.named("a").build(), "csi.x", "n", "attached"),
                        Storage.volume("ebs", "", "1Gi").inTreeVolume(EBS).build(),
                        Storage.bound("ebs", "ebs"))
                .cluster(storage)
                .pod(c.pod)
                .filters("n", c.status);
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
        PluginTester plugin = PLUGIN.features(FeatureGates.DEFAULTS.with(FeatureGates.VOLUME_LIMIT_SCALING, c.feature))
                .cluster(
                        Nodes.named("n").build(),
                        new CsiDriver(ObjectMeta.named("csi.x").build(), false, c.wanted))
                .cluster(volume("new", new PersistentVolume.CsiSource("csi.x", "new")));
        if (!c.driverOnNode.isEmpty()) {
            plugin = plugin.cluster(csiNode(c.driverOnNode, 1));
        }
        plugin.pod(Pods.named("p").claim("new").build()).filters("n", c.status);
    }

    private static List<ClusterObject> volume(String name, PersistentVolume.CsiSource source) {
        return List.of(Storage.volume(name, "now", "1Gi").csi(source).build(), Storage.bound(name, name));
    }

    private static CsiNode csiNode(String driver, int limit) {
        return new CsiNode(
                ObjectMeta.named("n").build(), List.of(new CsiNode.Driver(driver, List.of(), OptionalInt.of(limit))));
    }
}
