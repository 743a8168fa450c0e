// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.objects.KeptJson;

class TreeDecoderMemoryTest {
    private static final int PODS = 50_000;
    private static final int TEMPLATES = 200;
    private static final int PAGE = 500;

    @Test
    void aRunningPodTakesLessThanAKilobyte() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        TreeDecoder decoder = new TreeDecoder();
        List<Pod> pods = new ArrayList<>(PODS);
        long before = usedHeap();
        long nanos = 0;
        long bytes = 0;
        for (int first = 0; first < PODS; first += PAGE) {
            byte[] page = page(first, random);
            bytes += page.length;
            long start = System.nanoTime();
            ObjectStreams.list(
                    new ByteArrayInputStream(page),
                    ObjectKind.POD,
                    tree -> pods.add(decoder.pod(tree, Set.of(KeptJson.PENDING_PODS))));
            nanos += System.nanoTime() - start;
        }
        long perPod = (usedHeap() - before) / PODS;

        System.out.printf(
                Locale.ROOT,
                "%d pods of %d templates, %d bytes of JSON each: %d bytes of heap each, read in %s (%.1f µs each)%n",
                PODS,
                TEMPLATES,
                bytes / PODS,
                perPod,
                Duration.ofMillis(nanos / 1_000_000),
                nanos / 1000.0 / PODS);
        assertThat(pods).hasSize(PODS);
        assertThat(pods.stream().map(pod -> System.identityHashCode(pod.spec())).distinct())
                .hasSizeLessThanOrEqualTo(TEMPLATES);
        assertThat(perPod).isLessThan(1000);
    }

    private static long usedHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    private static byte[] page(int first, SplittableRandom random) {
        StringBuilder body = new StringBuilder(
                "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[");
        for (int i = first; i < first + PAGE; i++) {
            body.append(i == first ? "" : ",").append(pod(i, random));
        }
        return body.append("]}").toString().getBytes(UTF_8);
    }

    private static String pod(int number, SplittableRandom random) {
        int template = number % TEMPLATES;
        return """
                {
                  "metadata": {
                    "name": "service-%1$d-7d9c6b8f5d-x%2$d",
                    "generateName": "service-%1$d-7d9c6b8f5d-",
                    "namespace": "team-%3$d",
                    "uid": "%4$s",
                    "resourceVersion": "%5$d",
                    "generation": 1,
                    "creationTimestamp": "2026-11-21T09:%6$02d:%7$02dZ",
                    "labels": {
                      "app.kubernetes.io/name": "service-%1$d",
                      "app.kubernetes.io/instance": "service-%1$d",
                      "app.kubernetes.io/version": "1.%1$d",
                      "pod-template-hash": "7d9c6b8f5d"
                    },
                    "annotations": {
                      "prometheus.io/scrape": "true",
                      "prometheus.io/port": "9090",
                      "cni.example.com/podIP": "10.%8$d.%6$d.%7$d/32"
                    },
                    "ownerReferences": [
                      {
                        "apiVersion": "apps/v1",
                        "kind": "ReplicaSet",
                        "name": "service-%1$d-7d9c6b8f5d",
                        "uid": "5f6c0a3e-8a86-4a2e-b0f1-00000000%9$04d",
                        "controller": true,
                        "blockOwnerDeletion": true
                      }
                    ]
                  },
                  "spec": {
                    "volumes": [{"name": "kube-api-access-%2$d", "projected": {"defaultMode": 420}}],
                    "containers": [
                      {
                        "name": "service",
                        "image": "images.example.com/service-%1$d:1.%1$d",
                        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
                        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                        "resources": {
                          "requests": {"cpu": "%10$dm", "memory": "256Mi"},
                          "limits": {"memory": "512Mi"}
                        },
                        "volumeMounts": [{"name": "kube-api-access-%2$d", "mountPath": "/var/run/secrets"}],
                        "livenessProbe": {"httpGet": {"path": "/live", "port": 8080}, "periodSeconds": 10}
                      },
                      {
                        "name": "proxy",
                        "image": "images.example.com/proxy:1.2.3",
                        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}
                      }
                    ],
                    "nodeName": "node-%11$d",
                    "priority": 0,
                    "preemptionPolicy": "PreemptLowerPriority",
                    "schedulerName": "default-scheduler",
                    "affinity": {
                      "podAntiAffinity": {
                        "preferredDuringSchedulingIgnoredDuringExecution": [
                          {
                            "weight": 100,
                            "podAffinityTerm": {
                              "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "service-%1$d"}},
                              "topologyKey": "kubernetes.io/hostname"
                            }
                          }
                        ]
                      }
                    },
                    "tolerations": [
                      {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
                      {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}
                    ]
                  },
                  "status": {
                    "phase": "Running",
                    "conditions": [
                      {"type": "PodReadyToStartContainers", "status": "True", "observedGeneration": 1},
                      {"type": "Initialized", "status": "True", "observedGeneration": 1},
                      {"type": "Ready", "status": "True", "observedGeneration": 1},
                      {"type": "ContainersReady", "status": "True", "observedGeneration": 1},
                      {
                        "type": "PodScheduled",
                        "status": "True",
                        "lastTransitionTime": "2026-11-21T09:%6$02d:%7$02dZ",
                        "observedGeneration": 1
                      }
                    ],
                    "podIP": "10.%8$d.%6$d.%7$d",
                    "startTime": "2026-11-21T09:%6$02d:%7$02dZ",
                    "containerStatuses": [
                      {
                        "name": "service",
                        "ready": true,
                        "containerID": "containerd://%4$s",
                        "allocatedResources": {"cpu": "%10$dm", "memory": "256Mi"},
                        "resources": {"requests": {"cpu": "%10$dm", "memory": "256Mi"}}
                      },
                      {
                        "name": "proxy",
                        "ready": true,
                        "allocatedResources": {"cpu": "50m", "memory": "64Mi"},
                        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}
                      }
                    ]
                  }
                }""".formatted(
                        template,
                        number,
                        template % 20,
                        new UUID(random.nextLong(), random.nextLong()),
                        1_000_000 + number,
                        random.nextInt(60),
                        random.nextInt(60),
                        random.nextInt(256),
                        template,
                        100 + template % 10 * 50,
                        random.nextInt(5000));
    }
}
