// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/** Identifies an object of a cluster. The API version is not part of it: an object is the same in each version. */
public record ObjectKey(String group, String kind, String namespace, String name) {

    private static final Set<String> BUILT_IN_GROUPS = Set.of(
            "",
            "admissionregistration.k8s.io",
            "apps",
            "autoscaling",
            "batch",
            "certificates.k8s.io",
            "coordination.k8s.io",
            "discovery.k8s.io",
            "events.k8s.io",
            "flowcontrol.apiserver.k8s.io",
            "internal.apiserver.k8s.io",
            "networking.k8s.io",
            "node.k8s.io",
            "policy",
            "rbac.authorization.k8s.io",
            "resource.k8s.io",
            "scheduling.k8s.io",
            "storage.k8s.io",
            "storagemigration.k8s.io");

    private static final Set<String> CLUSTER_SCOPED = Set.of(
            "CSIDriver",
            "CSINode",
            "CertificateSigningRequest",
            "ClusterRole",
            "ClusterRoleBinding",
            "ClusterTrustBundle",
            "ComponentStatus",
            "DeviceClass",
            "DeviceTaintRule",
            "FlowSchema",
            "IPAddress",
            "IngressClass",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "Namespace",
            "Node",
            "PersistentVolume",
            "PriorityClass",
            "PriorityLevelConfiguration",
            "ResourcePoolStatusRequest",
            "ResourceSlice",
            "RuntimeClass",
            "ServiceCIDR",
            "StorageClass",
            "StorageVersion",
            "StorageVersionMigration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
            "VolumeAttachment",
            "VolumeAttributesClass");

    /** The key of an object. */
    public static ObjectKey of(ObjectNode object) {
        String apiVersion = object.path("apiVersion").asText("");
        JsonNode metadata = object.path("metadata");
        return new ObjectKey(
                apiVersion.substring(0, Math.max(0, apiVersion.indexOf('/'))),
                object.path("kind").asText(""),
                metadata.path("namespace").asText(""),
                metadata.path("name").asText(""));
    }

    /** Whether the object is of an API group that every API server serves. */
    public boolean isBuiltIn() {
        return BUILT_IN_GROUPS.contains(group);
    }

    /** Whether the object is of a built-in kind without namespaces. */
    public boolean isClusterScoped() {
        return isBuiltIn() && CLUSTER_SCOPED.contains(kind);
    }

    /** The object in messages: {@code Pod default/web-0}. */
    public String title() {
        String unqualified = name.isEmpty() ? "(unnamed)" : name;
        return kind + " " + (namespace.isEmpty() ? unqualified : namespace + "/" + unqualified);
    }
}
