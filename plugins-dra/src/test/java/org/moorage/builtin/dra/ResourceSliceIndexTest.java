// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.ResourceSlice;

class ResourceSliceIndexTest {
    private static final DeviceFeatures FEATURES = DeviceFeatures.of(FeatureGates.DEFAULTS);
    private static final ResourceSlice OF_ZONE_A = DeviceObjects.slice(
            "s",
            "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}, devices: [{name: a}]");

    private static Node node(String zone) {
        return Node.of(ObjectMeta.named("n").labels(Map.of("zone", zone)).build())
                .build();
    }

    @Test
    void keepsThePoolsOfANodeUntilTheNodeOrASliceChanges() {
        ResourceSliceIndex index = ResourceSliceIndex.EMPTY.with(List.of(OF_ZONE_A), Set.of());
        Node inZoneA = node("a");

        List<Pool> pools = index.poolsFor(inZoneA, FEATURES);

        assertThat(pools).hasSize(1);
        assertThat(index.poolsFor(inZoneA, FEATURES)).isSameAs(pools);
        assertThat(index.poolsFor(node("b"), FEATURES)).isEmpty();
        assertThat(index.poolsFor(inZoneA, FEATURES)).isEqualTo(pools);
        assertThat(index.with(List.of(), Set.of()).poolsFor(inZoneA, FEATURES)).isEmpty();
    }

    @Test
    void forgetsNodesOfWhichThereAreMoreThanInTheCluster() {
        ResourceSliceIndex index = ResourceSliceIndex.EMPTY.with(List.of(OF_ZONE_A), Set.of());
        for (int i = 0; i < 5; i++) {
            Node node = Node.of(ObjectMeta.named("n" + i).build()).build();
            assertThat(index.poolsFor(node, FEATURES)).isEmpty();
        }
        index.keepAtMost(5);
        assertThat(index.knownNodes()).isEqualTo(5);

        index.keepAtMost(4);

        assertThat(index.knownNodes()).isZero();
    }
}
