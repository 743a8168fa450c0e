// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * What kube-scheduler decides otherwise since 1.37, decided by it and by Moorage on a control plane each: pods resized in place,
 * device taint rules, missing CSI drivers, full storage. Where each pod goes, its condition, its events and its claims must be the
 * same, at first and after a change.
 */
@Tag("live")
class LiveSideBySideTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration AT_LAST = Duration.ofMinutes(2);
    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final String RESIZE_PREEMPTION = "InPlacePodVerticalScalingSchedulerPreemption=true";

    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            """;

    /**
     * Objects, a change of them, and what becomes of the pods.
     *
     * @param gates the feature gates of the scheduler, as {@code --feature-gates} takes them
     * @param manifests the file with the objects
     * @param prepare what happens before the scheduler starts
     * @param first each pod's state, by its name
     * @param change what happens then
     * @param then each pod's state after that
     */
    private record Case(
            String name,
            String gates,
            String manifests,
            Consumer<ControlPlane> prepare,
            Map<String, String> first,
            Consumer<ControlPlane> change,
            Map<String, String> then) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String ONE_LACKS_CPU =
            "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't match Pod's"
                    + " node affinity/selector. preemption: 0/5 nodes are available: 1 No preemption victims found for incoming pod,"
                    + " 4 Preemption is not helpful for scheduling.";
    private static final String NO_DEVICE =
            "0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes are"
                    + " available: 2 Preemption is not helpful for scheduling.";
    private static final String NO_DRIVER =
            "0/4 nodes are available: 1 strict.example.com CSI driver is not installed on the"
                    + " node, 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/4 nodes are available: 1 No preemption"
                    + " victims found for incoming pod, 3 Preemption is not helpful for scheduling.";
    private static final String TOO_MANY_VOLUMES =
            "0/4 nodes are available: 1 node(s) exceed max volume count, 3 node(s) didn't"
                    + " match Pod's node affinity/selector. preemption: 0/4 nodes are available: 1 No preemption victims found for"
                    + " incoming pod, 3 Preemption is not helpful for scheduling.";
    private static final String ONE_LACKS_STORAGE =
            "0/6 nodes are available: 1 node(s) did not have enough free storage, 5"
                    + " node(s) didn't match Pod's node affinity/selector. preemption: 0/6 nodes are available: 6 Preemption is not"
                    + " helpful for scheduling.";
    private static final String ALL_LACK_STORAGE =
            "0/6 nodes are available: 6 node(s) did not have enough free storage."
                    + " preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.";

    static final List<Case> CASES = List.of(
            new Case(
                    "a pod that is being resized takes the most of what it asks for, was promised and has",
                    "",
                    "resize.yaml",
                    plane -> {
                        resize(plane, "grows-deferred", "3");
                        tellOfContainers(plane, "grows-deferred", "Deferred", "1");
                        resize(plane, "grows-infeasible", "3");
                        tellOfContainers(plane, "grows-infeasible", "Infeasible", "1");
                        resize(plane, "shrinks", "1");
                        tellOfContainers(plane, "shrinks", "", "3");
                        resize(plane, "has-shrunk", "1");
                        tellOfContainers(plane, "has-shrunk", "", "1");
                        resize(plane, "at-two-stages", "1", "3");
                        tellOfContainers(plane, "at-two-stages", "", "3", "1");
                    },
                    with(
                            resized(),
                            Map.of(
                                    "beside-deferred", refused(ONE_LACKS_CPU),
                                    "beside-shrinking", refused(ONE_LACKS_CPU))),
                    plane -> {
                        resize(plane, "grows-deferred", "1");
                        tellOfContainers(plane, "grows-deferred", "", "1");
                        tellOfContainers(plane, "shrinks", "", "1");
                    },
                    with(
                            resized(),
                            Map.of(
                                    "beside-deferred", placedAtLast("deferred", ONE_LACKS_CPU),
                                    "beside-shrinking", placedAtLast("shrinking", ONE_LACKS_CPU)))),
            new Case(
                    "a pod whose resize is deferred preempts others where its node lets it",
                    RESIZE_PREEMPTION,
                    "resize-preemption.yaml",
                    plane -> {
                        for (String node : List.of("forbidding", "equal", "preempting")) {
                            resize(plane, "grows-" + node, "2");
                            tellOfContainers(plane, "grows-" + node, "Deferred", "1");
                        }
                    },
                    with(growing(), Map.of("low-forbidding", "on forbidding")),
                    plane -> patch(plane, "node/forbidding", "{'spec': {'podPreemptionPolicy': null}}"),
                    with(
                            growing(),
                            Map.of("low-forbidding", "gone; Preempted: Preempted by pod UID on node forbidding"))),
            new Case(
                    "a device that a rule taints goes to a claim that tolerates the taint",
                    "",
                    "device-taint-rules.yaml",
                    plane -> {},
                    with(claiming(), Map.of("any-worn", refused(NO_DEVICE) + "; claim without device")),
                    plane -> plane.kubectl("delete", "devicetaintrule", "worn"),
                    with(
                            claiming(),
                            Map.of(
                                    "any-worn",
                                    placedAtLast("cards", NO_DEVICE) + "; claim with worn-1 of worn for any-worn"))),
            new Case(
                    "a node that lacks a CSI driver is refused where the driver asks for it",
                    "",
                    "missing-csi-drivers.yaml",
                    plane -> awaitBound(plane, "strict-0", "strict-1", "strict-2", "strict-3", "strict-4", "lenient-0"),
                    with(
                            mounting(),
                            Map.of(
                                    "at-later", refused(NO_DRIVER) + "; claim Bound",
                                    "two-at-single", refused(TOO_MANY_VOLUMES) + "; claim Bound; claim Bound")),
                    plane -> {
                        plane.create(
                                "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: later}, spec: {drivers:"
                                        + " [{name: strict.example.com, nodeID: later}]}}\n");
                        patch(
                                plane,
                                "csinode/single",
                                "{'spec': {'drivers': [{'name': 'strict.example.com', 'nodeID': 'single', 'allocatable':"
                                        + " {'count': 2}}]}}");
                    },
                    with(
                            mounting(),
                            Map.of(
                                    "at-later", placedAtLast("later", NO_DRIVER) + "; claim Bound",
                                    "two-at-single",
                                            placedAtLast("single", TOO_MANY_VOLUMES) + "; claim Bound; claim Bound"))),
            new Case(
                    "a volume is made where most storage is left, and not where there is too little",
                    "",
                    "storage-capacity.yaml",
                    plane -> {},
                    with(
                            storing(),
                            Map.of(
                                    "anywhere",
                                    "waits for large; claim Pending on large",
                                    "at-small",
                                    refused(ONE_LACKS_STORAGE) + "; claim Pending")),
                    plane -> {
                        patch(plane, "csistoragecapacity/small", "{'capacity': '30Gi'}");
                        provision(plane, "anywhere", "large", "20Gi");
                    },
                    with(
                            storing(),
                            Map.of(
                                    "anywhere", placed("large") + "; claim Bound on large",
                                    "at-small",
                                            "waits for small; PodScheduled False, Unschedulable: " + ONE_LACKS_STORAGE
                                                    + "; FailedScheduling: " + ONE_LACKS_STORAGE
                                                    + "; claim Pending on small"))));

    private static Map<String, String> resized() {
        return Map.of(
                "grows-deferred", "on deferred",
                "grows-infeasible", "on infeasible",
                "shrinks", "on shrinking",
                "has-shrunk", "on shrunk",
                "at-two-stages", "on stages",
                "beside-infeasible", placed("infeasible"),
                "beside-shrunk", placed("shrunk"),
                "beside-stages", placed("stages"));
    }

    private static Map<String, String> growing() {
        return Map.of(
                "grows-forbidding", "on forbidding",
                "grows-equal", "on equal",
                "equal", "on equal",
                "grows-preempting", "on preempting",
                "equal-preempting", "on preempting",
                "low-preempting", "gone; Preempted: Preempted by pod UID on node preempting");
    }

    private static Map<String, String> claiming() {
        return Map.of(
                "any-sound", placed("cards") + "; claim with sound-0 of sound for any-sound",
                "any-hot", placed("cards") + "; claim with hot-1 of hot for any-hot",
                "tolerates-hot", placed("cards") + "; claim with hot-0 of hot for tolerates-hot",
                "tolerates-worn", placed("cards") + "; claim with worn-0 of worn for tolerates-worn");
    }

    private static Map<String, String> mounting() {
        return Map.of(
                "at-without", refused(NO_DRIVER) + "; claim Bound",
                "lenient-at-later", placed("later") + "; claim Bound",
                "not-at-single", placed("with") + "; claim Bound");
    }

    private static Map<String, String> storing() {
        return Map.of(
                "at-full", refused(ONE_LACKS_STORAGE) + "; claim Pending",
                "at-pieces", refused(ONE_LACKS_STORAGE) + "; claim Pending",
                "at-unknown", refused(ONE_LACKS_STORAGE) + "; claim Pending",
                "huge", refused(ALL_LACK_STORAGE) + "; claim Pending");
    }

    private static String refused(String message) {
        return "waits; PodScheduled False, Unschedulable: " + message + "; FailedScheduling: " + message;
    }

    private static String placed(String node) {
        return "on " + node + "; Scheduled: Successfully assigned default/NAME to " + node;
    }

    private static String placedAtLast(String node, String message) {
        return "on " + node + "; FailedScheduling: " + message + "; Scheduled: Successfully assigned default/NAME to "
                + node;
    }

    // NAME stands for the pod's.
    private static SortedMap<String, String> with(Map<String, String> states, Map<String, String> more) {
        SortedMap<String, String> all = new TreeMap<>(states);
        all.putAll(more);
        all.replaceAll((pod, state) -> state.replace("NAME", pod));
        return all;
    }

    private static ControlPlane ourPlane;
    private static ControlPlane theirPlane;

    @BeforeAll
    static void start() {
        Map<String, String> settings = Map.of("CONTROLLERS", "1", "FEATURE_GATES", RESIZE_PREEMPTION);
        theirPlane = ControlPlane.start(settings);
        ourPlane = ControlPlane.start(settings);
    }

    @AfterAll
    static void close() {
        Stream.of(theirPlane, ourPlane).filter(Objects::nonNull).forEach(ControlPlane::close);
    }

    /** The pods at first, and after the change. */
    private record States(Map<String, String> first, Map<String, String> then) {}

    @ParameterizedTest
    @FieldSource("CASES")
    void isDecidedAsByTheRealOne(Case c) throws IOException {
        States theirs = states(
                c,
                theirPlane,
                List.of(theirPlane.binaries().resolve("kube-scheduler").toString()));
        States ours = states(
                c,
                ourPlane,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.moorage.app.Main"));
        assertThat(theirs).isEqualTo(new States(c.first, c.then));
        assertThat(ours).isEqualTo(theirs);
    }

    private static States states(Case c, ControlPlane plane, List<String> program) throws IOException {
        Path config = Files.writeString(plane.folder().resolve("scheduler.yaml"), CONFIG.formatted(plane.kubeconfig()));
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of("--config=" + config, "--secure-port=0"));
        if (!c.gates.isEmpty()) {
            command.add("--feature-gates=" + c.gates);
        }
        Path log = plane.folder().resolve("log").resolve(c.manifests.replace(".yaml", ".log"));
        plane.create(manifests(c.manifests));
        try {
            c.prepare.accept(plane);
            try (RunningProgram running = RunningProgram.start(log, command)) {
                Map<String, String> first = until(plane, c.first);
                c.change.accept(plane);
                Map<String, String> then = until(plane, c.then);
                assertThat(running.log()).doesNotContain("panic");
                return new States(first, then);
            }
        } finally {
            // What is left is of no use without nodes, and has other names in the other cases.
            plane.kubectl("delete", "nodes", "--all");
            plane.kubectl("delete", "pods", "--all", "--force", "--grace-period=0");
        }
    }

    private static String manifests(String name) throws IOException {
        try (var stream = LiveSideBySideTest.class.getResourceAsStream("side-by-side/" + name)) {
            return new String(Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    // Quotes in the patch may be single ones. Lists are replaced as a whole.
    private static void patch(ControlPlane plane, String object, String patch) {
        plane.kubectl("patch", object, "--type=merge", "-p", patch.replace('\'', '"'));
    }

    private static void resize(ControlPlane plane, String pod, String... cpus) {
        String containers = IntStream.range(0, cpus.length)
                .mapToObj(i -> "{'name': 'c" + i + "', 'resources': {'requests': {'cpu': '" + cpus[i] + "'}}}")
                .collect(joining(", "));
        String patch = "{'spec': {'containers': [" + containers + "]}}";
        plane.kubectl("patch", "pod", pod, "--subresource=resize", "-p", patch.replace('\'', '"'));
    }

    // As a kubelet does: what the containers were promised and have, and why they do not get what they ask for.
    private static void tellOfContainers(ControlPlane plane, String pod, String pending, String... cpus) {
        String statuses = IntStream.range(0, cpus.length)
                .mapToObj(i -> ("{'name': 'c%d', 'image': 'app', 'imageID': 'app', 'ready': true, 'restartCount': 0,"
                                + " 'allocatedResources': {'cpu': '%s'}, 'resources': {'requests': {'cpu': '%2$s'}}}")
                        .formatted(i, cpus[i]))
                .collect(joining(", "));
        String conditions =
                pending.isEmpty() ? "" : "{'type': 'PodResizePending', 'status': 'True', 'reason': '" + pending + "'}";
        String patch = "{'status': {'phase': 'Running', 'conditions': [" + conditions + "], 'containerStatuses': ["
                + statuses + "]}}";
        plane.kubectl("patch", "pod", pod, "--subresource=status", "--type=merge", "-p", patch.replace('\'', '"'));
    }

    private static void awaitBound(ControlPlane plane, String... claims) {
        List<String> wait = new ArrayList<>(List.of(
                "wait", "--for=jsonpath={.status.phase}=Bound", "--timeout=" + AT_LAST.toSeconds() + "s", "pvc"));
        wait.addAll(List.of(claims));
        plane.kubectl(wait.toArray(String[]::new));
    }

    // As the driver's provisioner does for the node that the scheduler has chosen.
    private static void provision(ControlPlane plane, String claim, String node, String size) {
        String uid = plane.kubectl("get", "pvc", claim, "-o", "jsonpath={.metadata.uid}");
        plane.create("""
                apiVersion: v1
                kind: PersistentVolume
                metadata: {name: %s}
                spec:
                  capacity: {storage: %s}
                  accessModes: [ReadWriteOnce]
                  storageClassName: store
                  csi: {driver: store.example.com, volumeHandle: %1$s}
                  claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: default, name: %1$s, uid: %s}
                  nodeAffinity:
                    required:
                      nodeSelectorTerms:
                      - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]
                """.formatted(claim, size, uid, node));
    }

    // Each look takes kubectl a moment, so there is no need to wait in between.
    private static Map<String, String> until(ControlPlane plane, Map<String, String> wanted) {
        Instant deadline = Instant.now().plus(AT_LAST);
        while (true) {
            Map<String, String> seen = state(plane, wanted);
            if (seen.equals(wanted) || Instant.now().isAfter(deadline)) {
                return seen;
            }
        }
    }

    private static Map<String, String> state(ControlPlane plane, Map<String, String> wanted) {
        Map<String, JsonNode> objects = new HashMap<>();
        Map<String, SortedSet<String>> events = new HashMap<>();
        for (JsonNode object : items(plane, "pods,persistentvolumeclaims,resourceclaims,events.v1.events.k8s.io")) {
            if (object.path("kind").asText().equals("Event")) {
                // Other controllers tell of the pods, too.
                if (object.path("reportingController").asText().equals("default-scheduler")) {
                    events.computeIfAbsent(object.at("/regarding/name").asText(), name -> new TreeSet<>())
                            .add(object.path("reason").asText() + ": "
                                    + UID.matcher(object.path("note").asText()).replaceAll("UID"));
                }
            } else {
                objects.put(
                        object.path("kind").asText() + " "
                                + object.at("/metadata/name").asText(),
                        object);
            }
        }
        SortedMap<String, String> state = new TreeMap<>();
        for (String name : wanted.keySet()) {
            List<String> parts = new ArrayList<>();
            JsonNode pod = objects.get("Pod " + name);
            parts.add(pod == null ? "gone" : place(pod));
            if (pod != null) {
                addCondition(pod, parts);
            }
            parts.addAll(events.getOrDefault(name, new TreeSet<>()));
            if (pod != null) {
                pod.at("/spec/volumes")
                        .forEach(volume -> addVolumeClaim(
                                objects.get("PersistentVolumeClaim "
                                        + volume.at("/persistentVolumeClaim/claimName")
                                                .asText()),
                                parts));
                pod.at("/spec/resourceClaims")
                        .forEach(claim -> addResourceClaim(
                                objects.get("ResourceClaim "
                                        + claim.path("resourceClaimName").asText()),
                                parts));
            }
            state.put(name, String.join("; ", parts));
        }
        return state;
    }

    private static String place(JsonNode pod) {
        String node = pod.at("/spec/nodeName").asText();
        String nominated = pod.at("/status/nominatedNodeName").asText();
        return (node.isEmpty() ? "waits" : "on " + node) + (nominated.isEmpty() ? "" : " for " + nominated);
    }

    private static void addCondition(JsonNode pod, List<String> parts) {
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")
                    && condition.path("status").asText().equals("False")) {
                parts.add("PodScheduled False, " + condition.path("reason").asText() + ": "
                        + condition.path("message").asText());
            }
        }
    }

    private static void addVolumeClaim(JsonNode claim, List<String> parts) {
        String node = claim.at("/metadata/annotations/volume.kubernetes.io~1selected-node")
                .asText();
        parts.add("claim " + claim.at("/status/phase").asText() + (node.isEmpty() ? "" : " on " + node));
    }

    private static void addResourceClaim(JsonNode claim, List<String> parts) {
        JsonNode result = claim.at("/status/allocation/devices/results/0");
        parts.add(
                result.isMissingNode()
                        ? "claim without device"
                        : "claim with " + result.path("device").asText() + " of "
                                + result.path("pool").asText() + " for "
                                + claim.at("/status/reservedFor/0/name").asText());
    }

    private static JsonNode items(ControlPlane plane, String kinds) {
        try {
            return JSON.readTree(plane.kubectl("get", kinds, "-o", "json")).path("items");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
