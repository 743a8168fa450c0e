// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.feature.FeatureGates;
import org.moorage.objects.tree.ObjectKey;
import org.moorage.objects.tree.ObjectStreams;

class EphemeralClaimsTest {
    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "team", "uid": "u"},
             "spec": {"volumes": [{"name": "none", "emptyDir": {}},
              {"name": "v", "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}},
               "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}}]}}""";

    private static ObjectNode tree(String json) throws IOException {
        return ObjectStreams.object(json);
    }

    private static String storageClass(String name, String metadata) {
        return "{\"apiVersion\": \"storage.k8s.io/v1\", \"kind\": \"StorageClass\", \"metadata\": {\"name\": \"" + name
                + "\"" + metadata + "}}";
    }

    private static List<ObjectNode> applied(String... objects) throws IOException {
        List<ObjectNode> trees = new ArrayList<>();
        for (String object : objects) {
            trees.add(tree(object));
        }
        Admission admission = new Admission(FeatureGates.DEFAULTS);
        EphemeralClaims claims = new EphemeralClaims();
        trees.forEach(admission::seen);
        trees.forEach(claims::seen);
        trees.addAll(claims.created());
        for (ObjectNode tree : trees) {
            if (ObjectKey.of(tree).isPersistentVolumeClaim()) {
                admission.complete(tree);
            }
        }
        return trees;
    }

    @Test
    void makesTheClaimsOfAPod() throws IOException {
        ObjectNode claim = applied(POD).get(1);
        claim.withObject("metadata").remove("uid");
        assertThat(claim).isEqualTo(tree("""
                {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                 "metadata": {"name": "p-v", "namespace": "team", "labels": {"a": "b"},
                  "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true,
                   "blockOwnerDeletion": true}]},
                 "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}"""));
    }

    @Test
    void leavesAloneWhatIsThere() throws IOException {
        String claim = "{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolumeClaim\","
                + " \"metadata\": {\"name\": \"p-v\", \"namespace\": \"team\"}}";
        assertThat(applied(POD, claim)).containsExactly(tree(POD), tree(claim));
        String leaving =
                POD.replace("\"uid\": \"u\"", "\"uid\": \"u\", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\"");
        assertThat(applied(leaving)).hasSize(1);
    }

    /** The class that a claim without one gets; empty for none. */
    record Case(String name, List<String> classes, String expected) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String DEFAULT =
            ", \"annotations\": {\"storageclass.kubernetes.io/is-default-class\": \"true\"}";
    private static final String OLD_DEFAULT =
            ", \"annotations\": {\"storageclass.beta.kubernetes.io/is-default-class\": \"true\"}";
    private static final String MADE_IN = ", \"creationTimestamp\": \"%s-01-01T00:00:00Z\"";

    static final Case[] CASES = {
        new Case("no default", List.of(storageClass("a", "")), ""),
        new Case("the default", List.of(storageClass("a", ""), storageClass("b", DEFAULT)), "b"),
        new Case("the default by its old name", List.of(storageClass("a", OLD_DEFAULT)), "a"),
        new Case(
                "the newest",
                List.of(
                        storageClass("a", DEFAULT + MADE_IN.formatted("2025")),
                        storageClass("b", DEFAULT + MADE_IN.formatted("2026"))),
                "b"),
        new Case("the first by name", List.of(storageClass("b", DEFAULT), storageClass("a", DEFAULT)), "a"),
    };

    @ParameterizedTest
    @FieldSource("CASES")
    void givesClaimsTheDefaultClass(Case c) throws IOException {
        List<String> objects = new ArrayList<>(c.classes);
        objects.add(POD);
        List<ObjectNode> applied = applied(objects.toArray(String[]::new));
        assertThat(applied.get(applied.size() - 1)
                        .path("spec")
                        .path("storageClassName")
                        .asText(""))
                .isEqualTo(c.expected);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void keepsTheClassThatAClaimNames(Case c) throws IOException {
        List<String> objects = new ArrayList<>(c.classes);
        objects.add("{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolumeClaim\", \"metadata\": {\"name\": \"c\","
                + " \"namespace\": \"team\"}, \"spec\": {\"storageClassName\": \"\"}}");
        List<ObjectNode> applied = applied(objects.toArray(String[]::new));
        assertThat(applied.get(applied.size() - 1)
                        .path("spec")
                        .path("storageClassName")
                        .asText("none"))
                .isEmpty();
    }
}
