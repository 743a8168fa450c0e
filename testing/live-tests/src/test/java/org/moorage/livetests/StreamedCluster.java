// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.moorage.api.model.ObjectKind;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

/**
 * An API server that lists a cluster of any size, whose objects are generated as they are written: pods of 200
 * templates, each as long as those of a real cluster, spread over the nodes. There are no objects of other kinds, and
 * no events.
 */
public final class StreamedCluster implements AutoCloseable {
    private static final int TEMPLATES = 200;
    private static final int DEFAULT_PAGE = Integer.MAX_VALUE;
    private static final int BUFFER_BYTES = 1 << 16;

    private final AtomicLong lastByteNanos = new AtomicLong();
    private final FakeApiServer server = FakeApiServer.start();

    public StreamedCluster(int nodes, int pods) {
        serve(ObjectKind.NODE, nodes, StreamedCluster::node);
        serve(ObjectKind.POD, pods, number -> pod(number, nodes));
    }

    private void serve(ObjectKind<?> kind, int size, IntFunction<String> object) {
        server.on(
                "GET",
                "/api/v1/" + kind.plural(),
                request -> request.isWatch()
                        ? server.respond(request)
                        : Response.streamed(out -> list(kind, size, object, request.query(), out)));
    }

    public String address() {
        return server.address();
    }

    /** When the last byte of the last list of pods was written, by {@link System#nanoTime}. */
    public long lastByteNanos() {
        return lastByteNanos.get();
    }

    private void list(
            ObjectKind<?> kind, int size, IntFunction<String> object, Map<String, String> query, OutputStream body)
            throws IOException {
        OutputStream out = new BufferedOutputStream(body, BUFFER_BYTES);
        int first = Integer.parseInt(query.getOrDefault("continue", "0"));
        int page = Integer.parseInt(query.getOrDefault("limit", String.valueOf(DEFAULT_PAGE)));
        int end = (int) Math.min(size, (long) first + page);
        write(
                out,
                "{\"kind\":\"" + kind.kind() + "List\",\"apiVersion\":\"" + kind.apiVersion()
                        + "\",\"metadata\":{\"resourceVersion\":\"1000000\""
                        + (end < size ? ",\"continue\":\"" + end + "\"" : "") + "},\"items\":[");
        for (int i = first; i < end; i++) {
            write(out, (i > first ? "," : "") + object.apply(i));
        }
        write(out, "]}");
        out.flush();
        if (kind.equals(ObjectKind.POD)) {
            lastByteNanos.set(System.nanoTime());
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(UTF_8));
    }

    /** A node in JSON, of about 3 kB. */
    static String node(int number) {
        StringBuilder images = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            images.append(i > 0 ? "," : "")
                    .append("{\"names\":[\"registry.example.com/team/app-%d@sha256:%064d\"],\"sizeBytes\":%d}"
                            .formatted(i, (long) i * 7919, 20_000_000L + i));
        }
        return """
                {"metadata":{"name":"node-%1$d","uid":"00000000-0000-4000-9000-%1$012d","resourceVersion":"%1$d",\
                "creationTimestamp":"2026-11-01T00:00:00Z","labels":{"kubernetes.io/hostname":"node-%1$d",\
                "kubernetes.io/os":"linux","topology.kubernetes.io/zone":"zone-%2$d","node.kubernetes.io/instance-type":"m"}},\
                "spec":{"podCIDR":"10.0.0.0/24"},"status":{"allocatable":{"cpu":"64","memory":"256Gi","pods":"250",\
                "ephemeral-storage":"1Ti"},"capacity":{"cpu":"64","memory":"256Gi","pods":"250","ephemeral-storage":"1Ti"},\
                "conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"kubelet is posting ready status",\
                "lastHeartbeatTime":"2026-11-22T09:00:00Z","lastTransitionTime":"2026-11-01T00:00:00Z"}],"images":[%3$s],\
                "nodeInfo":{"kubeletVersion":"v1.37.2","operatingSystem":"linux","architecture":"amd64"}}}\
                """.formatted(number, number % 3, images);
    }

    /** A bound pod in JSON, of about 4 kB, among so many nodes. */
    static String pod(int number, int nodes) {
        int template = number % TEMPLATES;
        return """
                {"metadata":{"name":"app-%2$d-6d4cf56db6-%1$06d","generateName":"app-%2$d-6d4cf56db6-","namespace":"team-%3$d",\
                "uid":"00000000-0000-4000-8000-%1$012d","resourceVersion":"%1$d","creationTimestamp":"2026-11-20T08:%4$02d:00Z",\
                "labels":{"app":"app-%2$d","pod-template-hash":"6d4cf56db6"},"annotations":{"prometheus.io/scrape":"true"},\
                "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"app-%2$d-6d4cf56db6",\
                "uid":"00000000-0000-4000-a000-%2$012d","controller":true,"blockOwnerDeletion":true}],\
                "managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1",\
                "time":"2026-11-20T08:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{},"f:labels":\
                {".":{},"f:app":{},"f:pod-template-hash":{}},"f:ownerReferences":{".":{}}},"f:spec":{"f:containers":{\
                "k:{\\"name\\":\\"main\\"}":{".":{},"f:env":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},\
                "f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}}}},"f:dnsPolicy":{},\
                "f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}]},\
                "spec":{"nodeName":"node-%5$d","serviceAccountName":"app-%2$d","schedulerName":"default-scheduler","priority":0,\
                "restartPolicy":"Always","dnsPolicy":"ClusterFirst","terminationGracePeriodSeconds":30,\
                "volumes":[{"name":"token","projected":{"sources":[{"serviceAccountToken":{"path":"token"}}]}},\
                {"name":"config","configMap":{"name":"app-%2$d"}}],"containers":[{"name":"main",\
                "image":"registry.example.com/team/app-%2$d:1.2.3","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],\
                "ports":[{"containerPort":8080,"protocol":"TCP"}],"resources":{"requests":{"cpu":"250m","memory":"512Mi"},\
                "limits":{"memory":"1Gi"}},"volumeMounts":[{"name":"token","mountPath":"/var/run/secrets"}],\
                "livenessProbe":{"httpGet":{"path":"/healthz","port":8080},"periodSeconds":10},"imagePullPolicy":"IfNotPresent"},\
                {"name":"proxy","image":"registry.example.com/mesh/proxy:1.20","resources":{"requests":{"cpu":"10m",\
                "memory":"64Mi"}}}],"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",\
                "tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",\
                "tolerationSeconds":300}],"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":\
                [{"weight":100,"podAffinityTerm":{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":\
                {"app":"app-%2$d"}}}}]}}},"status":{"phase":"Running","hostIP":"10.1.%6$d.%7$d","podIP":"10.2.%6$d.%7$d",\
                "podIPs":[{"ip":"10.2.%6$d.%7$d"}],"qosClass":"Burstable","startTime":"2026-11-20T08:%4$02d:03Z","conditions":[\
                {"type":"Initialized","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-20T08:00:03Z"},\
                {"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-20T08:00:09Z"},\
                {"type":"ContainersReady","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-20T08:00:09Z"},\
                {"type":"PodScheduled","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-20T08:00:03Z"}],\
                "containerStatuses":[{"name":"main","ready":true,"restartCount":0,"started":true,\
                "containerID":"containerd://%1$064d","image":"registry.example.com/team/app-%2$d:1.2.3",\
                "imageID":"registry.example.com/team/app-%2$d@sha256:%2$064d","state":{"running":{"startedAt":\
                "2026-11-20T08:00:05Z"}},"resources":{"requests":{"cpu":"250m","memory":"512Mi"},"limits":{"memory":"1Gi"}},\
                "allocatedResources":{"cpu":"250m","memory":"512Mi"}},{"name":"proxy","ready":true,"restartCount":0,"started":true,\
                "containerID":"containerd://%1$064d","image":"registry.example.com/mesh/proxy:1.20",\
                "imageID":"registry.example.com/mesh/proxy@sha256:%2$064d","state":{"running":{"startedAt":\
                "2026-11-20T08:00:05Z"}}}]}}\
                """.formatted(
                        number, template, template % 20, number % 60, number % nodes, number / 250 % 256, number % 250);
    }

    @Override
    public void close() {
        server.close();
    }
}
