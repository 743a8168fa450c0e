// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.volume;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.Status;
import org.moorage.api.model.PersistentVolumeClaim;
import org.moorage.api.model.Pod;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;

class VolumeZoneTest {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
    private static final Status OTHER_ZONE = Status.unresolvable("node(s) had no available volume zone");
    private static final PluginTester PLUGIN = PluginTester.of(VolumeZone.FACTORY);
    private static final Pod POD = Pods.named("p").claim("c").build();

    record Case(String name, Map<String, String> volume, Map<String, String> node, Status status) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Case[] CASES = {
        new Case("the volume's zone", Map.of(ZONE, "a"), Map.of(ZONE, "a"), Status.success()),
        new Case("another zone", Map.of(ZONE, "a"), Map.of(ZONE, "b"), OTHER_ZONE),
        new Case("one of several zones", Map.of(ZONE, "a__b"), Map.of(ZONE, "b"), Status.success()),
        new Case("none of several zones", Map.of(ZONE, "a__b"), Map.of(ZONE, "a__b"), OTHER_ZONE),
        new Case("a node without labels of places", Map.of(ZONE, "a"), Map.of("disk", "ssd"), Status.success()),
        new Case(
                "a node with another label of places only",
                Map.of(ZONE, "a"),
                Map.of("topology.kubernetes.io/region", "r"),
                OTHER_ZONE),
        new Case("an old label met by a new one", Map.of(BETA_ZONE, "a"), Map.of(ZONE, "a"), Status.success()),
        new Case("a new label not met by an old one", Map.of(ZONE, "a"), Map.of(BETA_ZONE, "a"), OTHER_ZONE),
        new Case(
                "an old label first met by an old one",
                Map.of(BETA_ZONE, "a"),
                Map.of(BETA_ZONE, "b", ZONE, "a"),
                OTHER_ZONE),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void filters(Case c) {
        Nodes node = Nodes.named("n");
        c.node.forEach(node::label);
        PLUGIN.cluster(node.build(), Storage.bound("c", "v"), Storage.labelled("v", c.volume))
                .pod(POD)
                .filters("n", c.status);
    }

    @Test
    void skipsVolumesWithoutZones() {
        PLUGIN.cluster(Storage.bound("c", "v"), Storage.labelled("v", Map.of(ZONE, "a__")))
                .pod(POD)
                .skipsFilter();
    }

    record Refusal(String name, PersistentVolumeClaim claim, String reason) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final Refusal[] REFUSALS = {
        new Refusal("no claim", Storage.claim("other", "now").build(), "persistentvolumeclaim \"c\" not found"),
        new Refusal("no volume", Storage.bound("c", "gone"), "persistentvolume \"gone\" not found"),
        new Refusal(
                "no class",
                Storage.claim("c", "").build(),
                "PersistentVolumeClaim had no pv name and storageClass name"),
        new Refusal(
                "an unknown class",
                Storage.claim("c", "gone").build(),
                "storageclass.storage.k8s.io \"gone\" not found"),
        new Refusal("not bound yet", Storage.claim("c", "now").build(), "PersistentVolume had no name"),
    };

    @ParameterizedTest
    @FieldSource("REFUSALS")
    void refuses(Refusal c) {
        PLUGIN.cluster(c.claim, Storage.immediate("now")).pod(POD).rejectsPod(Status.unresolvable(c.reason));
    }

    @Test
    void leavesClaimsThatWaitForTheirPodAlone() {
        PLUGIN.cluster(Storage.claim("c", "wait").build(), Storage.delayed("wait", "csi.x"))
                .pod(POD)
                .skipsFilter();
    }
}
