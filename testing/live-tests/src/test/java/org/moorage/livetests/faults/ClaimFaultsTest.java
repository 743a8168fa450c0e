// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.AnsweringProxy;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Devices and volumes that come late, go, or whose writes fail. */
class ClaimFaultsTest {
    private static final Duration AT_LAST = Duration.ofSeconds(120);
    private static final String DRIVER = "driver.example.com";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    private static final String VOLUME_CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
    private static final String REQUESTS =
            "{\"devices\": {\"requests\": [{\"name\": \"r\", \"exactly\": {\"deviceClassName\": \"any\"}}]}}";

    private static void devices(FaultScene scene, int nodes, int devices, String more) {
        scene.api().create("/apis/resource.k8s.io/v1/deviceclasses", """
                {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "any"},
                 "spec": {"selectors": [{"cel": {"expression": "device.driver == '%s'"}}]}}""".formatted(DRIVER));
        List<String> slices = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            List<String> names = new ArrayList<>();
            for (int j = 0; j < devices; j++) {
                names.add("{\"name\": \"device-%d\"%s}".formatted(j, more));
            }
            slices.add("""
                    {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "slice-%1$d"},
                     "spec": {"driver": "%2$s", "nodeName": "n%1$d", "devices": %3$s,
                      "pool": {"name": "n%1$d", "generation": 1, "resourceSliceCount": 1}}}""".formatted(i, DRIVER, names));
        }
        scene.api().createAll("/apis/resource.k8s.io/v1/resourceslices", slices);
    }

    private static String claim(String name) {
        return """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "%s"}, "spec": %s}""".formatted(name, REQUESTS);
    }

    @Test
    @Fault(value = 21, injected = "400 pods that each wait for a volume and a device")
    void volumesAndDevicesThatComeLate(FaultReport report) {
        int count = 400;
        try (FaultScene scene = FaultScene.open(report)) {
            scene.nodes("n", count / 10, "1", 110);
            devices(
                    scene,
                    count / 10,
                    10,
                    ", \"bindsToNode\": true, \"bindingConditions\": [\"ready\"],"
                            + " \"bindingFailureConditions\": [\"failed\"]");
            scene.api().create("/apis/storage.k8s.io/v1/storageclasses", """
                    {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "late"},
                     "provisioner": "example.com/late", "volumeBindingMode": "WaitForFirstConsumer"}""");
            List<String> claims = new ArrayList<>();
            List<String> volumes = new ArrayList<>();
            List<String> pods = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                claims.add(claim("claim-" + i));
                volumes.add("""
                        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "volume-%d"},
                         "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "late",
                          "resources": {"requests": {"storage": "1Gi"}}}}""".formatted(i));
                pods.add(FaultScene.pod("p" + i, "100m", """
                        , "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "volume-%1$d"}}],
                        "resourceClaims": [{"name": "r", "resourceClaimName": "claim-%1$d"}]""".formatted(i)));
            }
            scene.api().createAll(CLAIMS, claims);
            scene.api().createAll(VOLUME_CLAIMS, volumes);
            SchedulerProcess scheduler = scene.start(MOORAGE);
            scene.api().createAll(PODS, pods);
            Waiting.until(() -> scheduler.assumedPods() == count);
            report.saw(scheduler.assumedPods() + " pods wait");
            AtomicBoolean isOver = new AtomicBoolean();
            Thread drivers = new Thread(() -> {
                Set<String> done = new HashSet<>();
                while (!isOver.get()) {
                    makeVolumes(scene, done);
                    readyDevices(scene, done);
                }
            });
            drivers.start();
            try {
                report.took("all bound", scene.awaitBound("p", count), AT_LAST);
            } finally {
                isOver.set(true);
                join(drivers);
            }
            scene.checkInvariants(scheduler);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // As a provisioner and the volume controller do.
    private static void makeVolumes(FaultScene scene, Set<String> done) {
        for (JsonNode claim : scene.api().items(VOLUME_CLAIMS)) {
            String name = claim.at("/metadata/name").asText();
            if (!claim.at("/metadata/annotations").has(SELECTED_NODE) || !done.add(name)) {
                continue;
            }
            scene.api().create("/api/v1/persistentvolumes", """
                    {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-%1$s"},
                     "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "late",
                      "hostPath": {"path": "/tmp"},
                      "claimRef": {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": "default", "name": "%1$s",
                       "uid": "%2$s"}}}""".formatted(
                            name, claim.at("/metadata/uid").asText()));
            scene.api().patch(VOLUME_CLAIMS + "/" + name, """
                    {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
                     "spec": {"volumeName": "pv-%s"}}""".formatted(name));
            scene.api().patch(VOLUME_CLAIMS + "/" + name + "/status", "{\"status\": {\"phase\": \"Bound\"}}");
        }
    }

    // As a driver does.
    private static void readyDevices(FaultScene scene, Set<String> done) {
        for (JsonNode claim : scene.api().items(CLAIMS)) {
            String name = claim.at("/metadata/name").asText();
            JsonNode result = claim.at("/status/allocation/devices/results/0");
            if (result.isMissingNode() || !done.add(name)) {
                continue;
            }
            scene.api().patch(CLAIMS + "/" + name + "/status", """
                    {"status": {"devices": [{"driver": "%s", "pool": "%s", "device": "%s", "conditions": [
                     {"type": "ready", "status": "True", "reason": "Attached", "message": "",
                      "lastTransitionTime": "2026-01-01T00:00:00Z"}]}]}}""".formatted(
                    DRIVER, result.path("pool").asText(), result.path("device").asText()));
        }
    }

    @Test
    @Fault(value = 22, injected = "one device, 20 jobs one after the other, each with a claim from a template")
    @Tag("live")
    void oneDeviceForManyJobs(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report, "", Map.of("CONTROLLERS", "1"))) {
            scene.nodes("n", 1, "1", 110);
            devices(scene, 1, 1, "");
            scene.api().create("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates", """
                    {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "one"},
                     "spec": {"spec": %s}}""".formatted(
                            REQUESTS));
            SchedulerProcess scheduler = scene.start(MOORAGE);
            Duration longest = Duration.ZERO;
            for (int round = 0; round < 20; round++) {
                scene.api()
                        .create(
                                PODS,
                                FaultScene.pod(
                                        "job" + round,
                                        "100m",
                                        ", \"resourceClaims\": [{\"name\": \"r\", \"resourceClaimTemplateName\": \"one\"}]"));
                Duration took = scene.awaitBound("job" + round, 1);
                longest = took.compareTo(longest) > 0 ? took : longest;
                scene.api().delete(FaultScene.podPath("job" + round));
            }
            report.took("the slowest job bound", longest, Duration.ofSeconds(30));
            scene.checkInvariants(scheduler);
        }
    }

    @Test
    @Fault(
            value = 23,
            injected = "writes of claims fail from the second of three on, and those that undo them, for 10 s")
    void failingWritesOfClaims(FaultReport report) {
        try (FaultScene scene = FaultScene.open(report);
                AnsweringProxy proxy = scene.answeringProxy()) {
            scene.nodes("n", 1, "1", 110);
            devices(scene, 1, 3, "");
            AtomicInteger writes = new AtomicInteger();
            AtomicBoolean isHealed = new AtomicBoolean();
            proxy.behave(request -> {
                if (!request.method().equals("GET")
                        && request.path().contains("/resourceclaims/")
                        && writes.incrementAndGet() > 1
                        && !isHealed.get()) {
                    request.refuse(500, "InternalError");
                } else {
                    request.forward();
                }
            });
            SchedulerProcess scheduler =
                    scene.start(scene.command(MOORAGE).kubeconfig(scene.kubeconfigThrough(proxy.port())));
            StringBuilder claims = new StringBuilder();
            for (int i = 0; i < 3; i++) {
                scene.api().create(CLAIMS, claim("claim-" + i));
                claims.append(i == 0 ? "" : ",")
                        .append("{\"name\": \"r%1$d\", \"resourceClaimName\": \"claim-%1$d\"}".formatted(i));
            }
            scene.api().create(PODS, FaultScene.pod("p", "100m", ", \"resourceClaims\": [" + claims + "]"));
            Waiting.pause(Duration.ofSeconds(10));
            report.saw(writes + " writes");
            isHealed.set(true);
            // The longest backoff is ten seconds.
            report.took("bound", scene.awaitBound("p", 1), Duration.ofSeconds(15));
            scene.checkInvariants(scheduler);
        }
    }
}
