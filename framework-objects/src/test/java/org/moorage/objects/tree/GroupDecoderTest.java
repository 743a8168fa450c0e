// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.objects.tree.DecodedObjects.tree;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.CompositePodGroup;
import org.moorage.api.model.DisruptionMode;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.PodCondition;
import org.moorage.api.model.PodGroup;
import org.moorage.api.model.PodSpec;
import org.moorage.api.model.PodStatus;
import org.moorage.api.model.SchedulingGroup;

class GroupDecoderTest {
    private static final String POD_GROUP = "'apiVersion': 'scheduling.k8s.io/v1beta1', 'kind': 'PodGroup'";
    private static final String COMPOSITE = "'apiVersion': 'scheduling.k8s.io/v1alpha3', 'kind': 'CompositePodGroup'";
    private static final String METADATA = ", 'metadata': {'name': 'a', 'namespace': 'b'}";
    private static final ObjectMeta META = ObjectMeta.named("a").namespace("b").build();
    private static final String SPEC = "'parentCompositePodGroupName': 'parent',"
            + " 'workloadRef': {'workloadName': 'w', 'templateName': 't'},"
            + " 'schedulingConstraints': {'topology': [{'key': 'rack'}]}, 'disruptionMode': {'all': {}},"
            + " 'priorityClassName': 'high', 'priority': 1000, 'preemptionPolicy': 'Never',";

    record Case(String name, String object, SchedulingGroup expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case(
                    "a group of pods",
                    "{" + POD_GROUP + METADATA + ", 'spec': {" + SPEC
                            + "'schedulingPolicy': {'gang': {'minCount': 3}},"
                            + " 'resourceClaims': [{'name': 'gpu', 'resourceClaimName': 'shared'},"
                            + " {'name': 'nic', 'resourceClaimTemplateName': 'nics'}]},"
                            + " 'status': {'conditions': [{'type': 'DisruptionTarget', 'status': 'True'},"
                            + " {'type': 'PodGroupInitiallyScheduled', 'status': 'False', 'reason': 'Unschedulable',"
                            + " 'message': 'no room', 'observedGeneration': 2,"
                            + " 'lastTransitionTime': '2026-11-21T09:31:00Z'}],"
                            + " 'resourceClaimStatuses': [{'name': 'nic', 'resourceClaimName': 'a-nic-x'}]}}",
                    PodGroup.of(META)
                            .parentName("parent")
                            .gang(3)
                            .topologyKeys(List.of("rack"))
                            .resourceClaims(List.of(
                                    new PodSpec.ResourceClaim("gpu", "shared", ""),
                                    new PodSpec.ResourceClaim("nic", "", "nics")))
                            .disruptionMode(DisruptionMode.ALL)
                            .priority(1000)
                            .preemptionPolicy("Never")
                            .resourceClaimStatuses(List.of(new PodStatus.ClaimStatus("nic", "a-nic-x")))
                            .initiallyScheduled(new PodCondition(
                                    "PodGroupInitiallyScheduled", "False", "Unschedulable", "no room", 2))
                            .build()),
            new Case(
                    "one in the other version that is served",
                    "{'apiVersion': 'scheduling.k8s.io/v1alpha3', 'kind': 'PodGroup'" + METADATA
                            + ", 'spec': {'schedulingPolicy': {'gang': {'minCount': 3}}}}",
                    PodGroup.of(META).gang(3).build()),
            new Case(
                    "one of the version that comes after the model's",
                    "{'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'PodGroup'" + METADATA
                            + ", 'spec': {'schedulingPolicy': {'gang': {'minCount': 3}}}}",
                    PodGroup.of(META).gang(3).build()),
            new Case(
                    "a group of groups of that version",
                    "{'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'CompositePodGroup'" + METADATA
                            + ", 'spec': {'schedulingPolicy': {'gang': {'minGroupCount': 2}}}}",
                    CompositePodGroup.of(META).gang(2).build()),
            new Case(
                    "one with the basic policy",
                    "{" + POD_GROUP + METADATA + ", 'spec': {'schedulingPolicy': {'basic': {}},"
                            + " 'disruptionMode': {'single': {}}}}",
                    PodGroup.of(META).build()),
            new Case(
                    "a gang that does not say how many",
                    "{" + POD_GROUP + METADATA + ", 'spec': {'schedulingPolicy': {'gang': {}}}}",
                    PodGroup.of(META).gang(0).build()),
            new Case(
                    "one that says nothing",
                    "{" + POD_GROUP + METADATA + "}",
                    PodGroup.of(META).build()),
            new Case(
                    "one with nulls",
                    "{" + POD_GROUP + METADATA + ", 'spec': {'schedulingPolicy': {'gang': null}, 'priority': null,"
                            + " 'schedulingConstraints': null, 'disruptionMode': {'all': null}}, 'status': null}",
                    PodGroup.of(META).build()),
            new Case(
                    "a group of groups",
                    "{" + COMPOSITE + METADATA + ", 'spec': {" + SPEC
                            + "'schedulingPolicy': {'gang': {'minGroupCount': 2}}}}",
                    CompositePodGroup.of(META)
                            .parentName("parent")
                            .gang(2)
                            .topologyKeys(List.of("rack"))
                            .disruptionMode(DisruptionMode.ALL)
                            .priority(1000)
                            .preemptionPolicy("Never")
                            .build()),
            new Case(
                    "a group of groups that says nothing",
                    "{" + COMPOSITE + METADATA + "}",
                    CompositePodGroup.of(META).build()));

    @ParameterizedTest
    @FieldSource("CASES")
    void reads(Case group) {
        SchedulingGroup read = (SchedulingGroup) new TreeDecoder().decode(tree(group.object));

        assertThat(read).isEqualTo(group.expected);
        assertThat(read.minimum()).isEqualTo(group.expected.minimum());
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void isTheSameWhenItIsBuiltAnew(Case group) {
        SchedulingGroup rebuilt = group.expected instanceof PodGroup pods
                ? pods.toBuilder().build()
                : ((CompositePodGroup) group.expected).toBuilder().build();

        assertThat(rebuilt).isEqualTo(group.expected);
    }
}
