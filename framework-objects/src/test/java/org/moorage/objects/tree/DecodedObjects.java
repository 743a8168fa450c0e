// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.util.List;

/** Objects of a cluster as JSON. */
final class DecodedObjects {
    static final String POD = """
            {
              "apiVersion": "v1",
              "kind": "Pod",
              "metadata": {
                "name": "web-0",
                "namespace": "shop",
                "uid": "0b5c7d4e-3f3a-4a1e-9d55-2f6f0c6f5a11",
                "resourceVersion": "4711",
                "generation": 3,
                "creationTimestamp": "2026-11-21T09:30:00Z",
                "deletionTimestamp": "2026-11-21T10:00:00+01:00",
                "labels": {"app": "web"},
                "annotations": {
                  "team": "shop",
                  "kubectl.kubernetes.io/last-applied-configuration": "{}"
                },
                "ownerReferences": [
                  {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u1", "controller": true}
                ],
                "managedFields": [{"manager": "kubectl"}]
              },
              "spec": {
                "containers": [
                  {
                    "name": "web",
                    "image": "web:1",
                    "ports": [
                      {"containerPort": 80},
                      {"containerPort": 443, "hostPort": 8443},
                      {"containerPort": 53, "hostPort": 53, "hostIP": "10.0.0.1", "protocol": "UDP"}
                    ],
                    "resources": {"requests": {"cpu": "100m", "memory": 1024}, "limits": {"cpu": "1"}}
                  }
                ],
                "initContainers": [{"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}],
                "overhead": {"cpu": "10m"},
                "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "3"}},
                "nodeSelector": {"disk": "ssd"},
                "affinity": {
                  "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                      "nodeSelectorTerms": [
                        {
                          "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
                          "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]
                        }
                      ]
                    },
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                      {"weight": 7, "preference": {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}}
                    ]
                  },
                  "podAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                      {
                        "labelSelector": {"matchLabels": {"app": "db"}},
                        "namespaces": ["data"],
                        "namespaceSelector": {},
                        "topologyKey": "zone"
                      }
                    ]
                  },
                  "podAntiAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                      {
                        "weight": 9,
                        "podAffinityTerm": {
                          "labelSelector": {
                            "matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]
                          },
                          "topologyKey": "kubernetes.io/hostname"
                        }
                      }
                    ]
                  }
                },
                "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5}],
                "topologySpreadConstraints": [
                  {
                    "maxSkew": 2,
                    "topologyKey": "zone",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchLabels": {"app": "web"}},
                    "minDomains": 3,
                    "nodeAffinityPolicy": "Honor",
                    "nodeTaintsPolicy": "Ignore",
                    "matchLabelKeys": ["pod-template-hash"]
                  }
                ],
                "priority": 1000,
                "preemptionPolicy": "Never",
                "schedulerName": "moorage",
                "schedulingGates": [{"name": "quota"}],
                "schedulingGroup": {"podGroupName": "shop"},
                "hostNetwork": true,
                "nodeName": "n1",
                "volumes": [{"name": "data", "emptyDir": {}}, {"name": "model", "image": {"reference": "model:7"}}],
                "resourceClaims": [
                  {"name": "gpu", "resourceClaimName": "shared"},
                  {"name": "nic", "resourceClaimTemplateName": "nic-template"}
                ]
              },
              "status": {
                "phase": "Running",
                "nominatedNodeName": "n2",
                "qosClass": "Burstable",
                "hostIP": "10.0.0.1",
                "startTime": "2026-11-21T09:31:00Z",
                "conditions": [
                  {
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "Unschedulable",
                    "message": "0/1 nodes are available",
                    "observedGeneration": 3,
                    "lastTransitionTime": "2026-11-21T09:31:00Z"
                  }
                ],
                "containerStatuses": [
                  {
                    "name": "web",
                    "resources": {"requests": {"cpu": "200m"}},
                    "allocatedResources": {"cpu": "150m"}
                  },
                  {"name": "second", "allocatedResources": {"cpu": "150m"}}
                ],
                "initContainerStatuses": [{"name": "proxy", "resources": {}}],
                "resources": {"requests": {"cpu": "4"}},
                "allocatedResources": {"cpu": "5"},
                "resourceClaimStatuses": [{"name": "nic", "resourceClaimName": "web-0-nic-abcde"}, {"name": "none"}]
              }
            }
            """;

    static final String NODE = """
            {
              "apiVersion": "v1",
              "kind": "Node",
              "metadata": {"name": "n1", "labels": {"zone": "a"}},
              "spec": {
                "unschedulable": true,
                "podPreemptionPolicy": {"disableResizePreemption": ["*"]},
                "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule", "timeAdded": "2026-11-21T09:31:00Z"}]
              },
              "status": {
                "capacity": {"cpu": "9"},
                "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-11-21T09:31:00Z"}],
                "images": [{"names": ["web:1", "web@sha256:1"], "sizeBytes": 5000000000}],
                "declaredFeatures": ["A", "B"]
              }
            }
            """;

    static ObjectNode withNulls(String json) {
        ObjectNode object = tree(json);
        for (String part : List.of("metadata", "spec", "status")) {
            ObjectNode fields = (ObjectNode) object.get(part);
            fields.properties().forEach(field -> field.setValue(fields.nullNode()));
        }
        ((ObjectNode) object.get("metadata")).put("name", "a");
        return object;
    }

    static ObjectNode tree(String json) {
        try {
            return (ObjectNode) JsonMapper.builder()
                    .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
                    .build()
                    .readTree(json);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DecodedObjects() {}
}
