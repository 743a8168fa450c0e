// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.api.model.Container;
import org.moorage.api.model.Node;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodLevelRequests;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.Quantity;

class FeatureViewTest {
    private static final FeatureGates NO_LEVELS = FeatureGates.DEFAULTS
            .with(FeatureGates.POD_LEVEL_RESOURCES, false)
            .with(FeatureGates.IN_PLACE_POD_LEVEL_RESOURCES_VERTICAL_SCALING, false);
    private static final FeatureGates NO_REPORTS =
            FeatureGates.of(Map.of(FeatureGates.IN_PLACE_POD_LEVEL_RESOURCES_VERTICAL_SCALING, false));
    private static final Pod POD = pod(Map.of("cpu", Quantity.of(4)));

    private static Pod pod(Map<String, Quantity> asAWhole) {
        Container container = new Container("c", "", Map.of("cpu", Quantity.of(1)), Map.of(), List.of(), "");
        PodSpec spec = PodSpec.builder()
                .containers(List.of(container))
                .podRequests(asAWhole)
                .build();
        return Pod.of(ObjectMeta.named("p").build(), spec);
    }

    @Test
    void leavesObjectsAsTheyAreWhereNoFeatureHasASay() {
        Node node = Node.of(ObjectMeta.named("n").build()).build();
        Pod plain = pod(Map.of());
        assertThat(new FeatureView(FeatureGates.DEFAULTS).of(POD)).isSameAs(POD);
        assertThat(new FeatureView(NO_LEVELS).of(plain)).isSameAs(plain);
        assertThat(new FeatureView(NO_LEVELS).of(node)).isSameAs(node);
    }

    @Test
    void ignoresRequestsOfPodsAsAWholeWithoutThatFeature() {
        FeatureView view = new FeatureView(NO_LEVELS);
        Pod seen = view.of(POD);
        assertThat(seen.requests().milliCpu()).isEqualTo(1000);
        assertThat(seen.requestsAtAllLevels().milliCpu()).isEqualTo(4000);
        assertThat(view.of(seen)).isSameAs(seen);
        assertThat(view.of(POD.withNode("n")).spec()).as("shared").isSameAs(seen.spec());
    }

    @Test
    void countsWhatClaimsTakeOfTheNodeOnlyWithThatFeature() {
        Pod reported = pod(Map.of())
                .withStatus(PodStatus.builder()
                        .nodeAllocatableResourceClaimStatuses(List.of(new PodStatus.NodeAllocatableResourceClaimStatus(
                                "c",
                                List.of("c"),
                                Map.of("cpu", Quantity.of(2), "hugepages-2Mi", Quantity.of(4)),
                                Map.of())))
                        .build());
        FeatureView counting =
                new FeatureView(FeatureGates.of(Map.of(FeatureGates.DRA_NODE_ALLOCATABLE_RESOURCES, true)));
        assertThat(counting.of(reported)).isSameAs(reported);
        assertThat(reported.requestsWithClaims().milliCpu()).isEqualTo(3000);
        assertThat(reported.nonZeroRequestsWithClaims().milliCpu()).isEqualTo(3000);
        assertThat(reported.requests().milliCpu()).isEqualTo(1000);
        Pod seen = new FeatureView(FeatureGates.DEFAULTS).of(reported);
        assertThat(seen.requestsWithClaims()).isEqualTo(seen.requests());
        assertThat(seen.status()).isEqualTo(PodStatus.NONE);
    }

    @Test
    void seesTheGroupOfAPodOnlyWithThatFeature() {
        Pod plain = pod(Map.of());
        Pod member = plain.withSpec(plain.spec().toBuilder().podGroupName("g").build());
        Pod large = POD.withSpec(POD.spec().toBuilder().podGroupName("g").build());
        FeatureView groups = new FeatureView(FeatureGates.of(Map.of(FeatureGates.GENERIC_WORKLOAD, true)));
        assertThat(groups.of(member)).isSameAs(member);
        assertThat(new FeatureView(FeatureGates.DEFAULTS).of(member).spec()).isEqualTo(plain.spec());
        assertThat(new FeatureView(NO_REPORTS).of(large).spec())
                .isEqualTo(new FeatureView(NO_REPORTS).of(POD).spec());
    }

    @Test
    void seesTheParentOfAGroupOnlyWithThatFeature() {
        PodGroup child = PodGroup.of(ObjectMeta.named("g").namespace("default").build())
                .parentName("parent")
                .build();
        FeatureView composites = new FeatureView(FeatureGates.DEFAULTS
                .with(FeatureGates.GENERIC_WORKLOAD, true)
                .with(FeatureGates.TOPOLOGY_AWARE_WORKLOAD_SCHEDULING, true)
                .with(FeatureGates.COMPOSITE_POD_GROUP, true));
        assertThat(composites.of(child)).isSameAs(child);
        assertThat(new FeatureView(FeatureGates.DEFAULTS).of(child).parentName())
                .isEmpty();
    }

    @Test
    void asksForWhatTheSpecificationSaysWithoutReports() {
        Pod seen = new FeatureView(NO_REPORTS).of(POD);
        assertThat(seen.spec().podLevelRequests()).isEqualTo(PodLevelRequests.AS_SPECIFIED);
        assertThat(seen.requests().milliCpu()).isEqualTo(4000);
    }
}
