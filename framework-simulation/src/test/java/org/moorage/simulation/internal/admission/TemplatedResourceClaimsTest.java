// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.tree.ObjectStreams;

class TemplatedResourceClaimsTest {
    private static final FeatureGates GROUPS = FeatureGates.DEFAULTS
            .with(FeatureGates.GENERIC_WORKLOAD, true)
            .with(FeatureGates.DRA_WORKLOAD_RESOURCE_CLAIMS, true);
    private static final String TEMPLATE = """
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "gpus", "namespace": "team"},
             "spec": {"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
              "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}}""";
    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "team", "uid": "u"},
             "spec": {"schedulingGroup": {"podGroupName": "g"},
              "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}, {"name": "own", "resourceClaimName": "x"}]}}""";
    private static final String GROUP = """
            {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "team", "uid": "v"},
             "spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]}}""";
    private static final String TAKEN = """
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "p-gpu", "namespace": "team"}}""";

    /** The objects as they are afterwards, and the claims that were created. */
    private record Applied(List<ObjectNode> objects, List<ObjectNode> claims) {
        private static Applied of(FeatureGates features, String... objects) throws IOException {
            TemplatedResourceClaims claims = new TemplatedResourceClaims(features);
            List<ObjectNode> trees = new ArrayList<>();
            for (String object : objects) {
                trees.add(ObjectStreams.object(object));
            }
            trees.forEach(claims::seen);
            return new Applied(trees, claims.create());
        }

        private List<String> names() {
            return claims.stream()
                    .map(claim -> claim.at("/metadata/ownerReferences/0/kind").asText() + " "
                            + claim.at("/metadata/name").asText())
                    .toList();
        }

        private String claimOf(int object) {
            return objects.get(object)
                    .at("/status/resourceClaimStatuses/0/resourceClaimName")
                    .asText();
        }
    }

    @Test
    void makesTheClaimOfAPod() throws IOException {
        Applied applied = Applied.of(FeatureGates.DEFAULTS, POD, TEMPLATE);

        assertThat(applied.claims).hasSize(1);
        applied.claims.get(0).withObject("metadata").remove("uid");
        assertThat(applied.claims.get(0)).isEqualTo(ObjectStreams.object("""
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                 "metadata": {"name": "p-gpu", "namespace": "team", "labels": {"a": "b"},
                  "annotations": {"c": "d", "resource.kubernetes.io/pod-claim-name": "gpu"},
                  "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true,
                   "blockOwnerDeletion": true}]},
                 "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}"""));
        assertThat(applied.objects.get(0).path("status")).isEqualTo(ObjectStreams.object("""
                {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "p-gpu"}]}"""));
    }

    record Case(String name, FeatureGates features, List<String> objects, List<String> created, String claimOfThePod) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("the group's", GROUPS, List.of(POD, GROUP, TEMPLATE), List.of("PodGroup g-gpu"), "g-gpu"),
                new Case(
                        "the one that the status of its group names",
                        GROUPS,
                        List.of(
                                POD,
                                GROUP.replace(
                                        "\"spec\"",
                                        "\"status\": {\"resourceClaimStatuses\": [{\"name\": \"gpu\","
                                                + " \"resourceClaimName\": \"there\"}]}, \"spec\""),
                                TEMPLATE),
                        List.of(),
                        "there"),
                new Case(
                        "the pod's, if groups have none",
                        FeatureGates.DEFAULTS,
                        List.of(POD, GROUP, TEMPLATE),
                        List.of("Pod p-gpu"),
                        "p-gpu"),
                new Case(
                        "one for each, if the group's has another name",
                        GROUPS,
                        List.of(POD, GROUP.replace("\"gpu\"", "\"other\""), TEMPLATE),
                        List.of("PodGroup g-other", "Pod p-gpu"),
                        "p-gpu"),
                new Case(
                        "by another name, if there is one of that name",
                        GROUPS,
                        List.of(POD, TAKEN, TEMPLATE),
                        List.of("Pod p-gpu-1"),
                        "p-gpu-1"),
                new Case("none without the template", GROUPS, List.of(POD), List.of(), ""),
                new Case(
                        "none for a pod that is being deleted",
                        GROUPS,
                        List.of(
                                POD.replace("\"uid\"", "\"deletionTimestamp\": \"2026-01-01T00:00:00Z\", \"uid\""),
                                TEMPLATE),
                        List.of(),
                        ""),
                new Case(
                        "none that the status names",
                        GROUPS,
                        List.of(
                                POD.replace(
                                        "\"spec\"",
                                        "\"status\": {\"resourceClaimStatuses\": [{\"name\": \"gpu\","
                                                + " \"resourceClaimName\": \"there\"}]}, \"spec\""),
                                TEMPLATE),
                        List.of(),
                        "there"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void makesWhatIsMissing(Case c) throws IOException {
        Applied applied = Applied.of(c.features, c.objects.toArray(String[]::new));

        assertThat(applied.names()).isEqualTo(c.created);
        assertThat(applied.claimOf(0)).isEqualTo(c.claimOfThePod);
    }

    @Test
    void dependsOnOthersOnlyIfItHasTemplates() throws IOException {
        assertThat(TemplatedResourceClaims.isIndependent(ObjectStreams.object(POD)))
                .isFalse();
        assertThat(TemplatedResourceClaims.isIndependent(ObjectStreams.object(GROUP)))
                .isFalse();
        assertThat(TemplatedResourceClaims.isIndependent(ObjectStreams.object(TAKEN)))
                .isTrue();
        assertThat(TemplatedResourceClaims.isIndependent(
                        ObjectStreams.object(POD.replace("resourceClaimTemplateName", "resourceClaimName"))))
                .isTrue();
    }
}
