// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.KUBE_SCHEDULER;
import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
import org.moorage.livetests.scene.ApiAccess;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.Scene;
import org.moorage.livetests.scene.SchedulerProcess;

/**
 * Decisions that kube-scheduler 1.37 changed, made by it and by Moorage on a control plane each: pods resized in place,
 * device taint rules, missing CSI drivers, full storage. Where each pod goes, its condition, its events and its claims
 * must be the same, at first and after a change.
 */
@Tag("live")
class LiveSideBySideTest {
    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final String VOLUME_CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    private static final String RESOURCE_CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    private static final String TAINT_RULES = "/apis/resource.k8s.io/v1/devicetaintrules";
    private static final String CAPACITIES = "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities";
    private static final String RESIZE_PREEMPTION = "InPlacePodVerticalScalingSchedulerPreemption=true";

    /**
     * Objects, a change of them, and the resulting states of the pods.
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
            Consumer<Scene> prepare,
            Map<String, String> first,
            Consumer<Scene> change,
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
                    scene -> {
                        resize(scene, "grows-deferred", "3");
                        tellOfContainers(scene, "grows-deferred", "Deferred", "1");
                        resize(scene, "grows-infeasible", "3");
                        tellOfContainers(scene, "grows-infeasible", "Infeasible", "1");
                        resize(scene, "shrinks", "1");
                        tellOfContainers(scene, "shrinks", "", "3");
                        resize(scene, "has-shrunk", "1");
                        tellOfContainers(scene, "has-shrunk", "", "1");
                        resize(scene, "at-two-stages", "1", "3");
                        tellOfContainers(scene, "at-two-stages", "", "3", "1");
                    },
                    with(
                            resized(),
                            Map.of(
                                    "beside-deferred", refused(ONE_LACKS_CPU),
                                    "beside-shrinking", refused(ONE_LACKS_CPU))),
                    scene -> {
                        resize(scene, "grows-deferred", "1");
                        tellOfContainers(scene, "grows-deferred", "", "1");
                        tellOfContainers(scene, "shrinks", "", "1");
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
                    scene -> {
                        for (String node : List.of("forbidding", "equal", "preempting")) {
                            resize(scene, "grows-" + node, "2");
                            tellOfContainers(scene, "grows-" + node, "Deferred", "1");
                        }
                    },
                    with(growing(), Map.of("low-forbidding", "on forbidding")),
                    scene -> patch(scene, "/api/v1/nodes/forbidding", "{'spec': {'podPreemptionPolicy': null}}"),
                    with(
                            growing(),
                            Map.of("low-forbidding", "gone; Preempted: Preempted by pod UID on node forbidding"))),
            new Case(
                    "a device that a rule taints goes to a claim that tolerates the taint",
                    "",
                    "device-taint-rules.yaml",
                    scene -> {},
                    with(claiming(), Map.of("any-worn", refused(NO_DEVICE) + "; claim without device")),
                    scene -> scene.api().delete(TAINT_RULES + "/worn"),
                    with(
                            claiming(),
                            Map.of(
                                    "any-worn",
                                    placedAtLast("cards", NO_DEVICE) + "; claim with worn-1 of worn for any-worn"))),
            new Case(
                    "a node that lacks a CSI driver is refused where the driver asks for it",
                    "",
                    "missing-csi-drivers.yaml",
                    scene -> awaitBound(scene, "strict-0", "strict-1", "strict-2", "strict-3", "strict-4", "lenient-0"),
                    with(
                            mounting(),
                            Map.of(
                                    "at-later", refused(NO_DRIVER) + "; claim Bound",
                                    "two-at-single", refused(TOO_MANY_VOLUMES) + "; claim Bound; claim Bound")),
                    scene -> {
                        scene.create(
                                "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: later}, spec: {drivers:"
                                        + " [{name: strict.example.com, nodeID: later}]}}\n");
                        patch(
                                scene,
                                "/apis/storage.k8s.io/v1/csinodes/single",
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
                    scene -> {},
                    with(
                            storing(),
                            Map.of(
                                    "anywhere",
                                    "waits for large; claim Pending on large",
                                    "at-small",
                                    refused(ONE_LACKS_STORAGE) + "; claim Pending")),
                    scene -> {
                        patch(scene, CAPACITIES + "/small", "{'capacity': '30Gi'}");
                        provision(scene, "anywhere", "large", "20Gi");
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

    private static Scene ours;
    private static Scene theirs;

    @BeforeAll
    static void start() {
        Map<String, String> settings = Map.of("CONTROLLERS", "1", "FEATURE_GATES", RESIZE_PREEMPTION);
        theirs = Scene.open(settings);
        ours = Scene.open(settings);
    }

    @AfterAll
    static void close() {
        Stream.of(theirs, ours).filter(Objects::nonNull).forEach(Scene::close);
    }

    /** The pods at first, and after the change. */
    private record States(Map<String, String> first, Map<String, String> then) {}

    @ParameterizedTest
    @FieldSource("CASES")
    void isDecidedAsByTheRealOne(Case c) {
        States expected = new States(c.first, c.then);
        assertThat(states(c, theirs, KUBE_SCHEDULER)).isEqualTo(expected);
        assertThat(states(c, ours, MOORAGE)).isEqualTo(expected);
    }

    private static States states(Case c, Scene scene, SchedulerProcess.Kind kind) {
        scene.create(Scene.resource(LiveSideBySideTest.class, "side-by-side/" + c.manifests));
        c.prepare.accept(scene);
        SchedulerProcess.Command command = scene.scheduler(kind)
                .flags(c.gates.isEmpty() ? new String[0] : new String[] {"--feature-gates=" + c.gates});
        try (SchedulerProcess running = command.start()) {
            Map<String, String> first = until(scene, c.first);
            c.change.accept(scene);
            Map<String, String> then = until(scene, c.then);
            assertThat(running.crashes()).isEmpty();
            return new States(first, then);
        } finally {
            // Other objects are of no use without nodes, and have other names in the other cases.
            scene.api().delete(ApiAccess.NODES);
            scene.api().delete(ApiAccess.PODS);
        }
    }

    // Quotes in the patch may be single ones. Lists are replaced as a whole.
    private static void patch(Scene scene, String path, String patch) {
        JsonNode ignored = scene.api().patch(path, patch.replace('\'', '"'));
    }

    private static void resize(Scene scene, String pod, String... cpus) {
        String containers = IntStream.range(0, cpus.length)
                .mapToObj(i -> "{'name': 'c" + i + "', 'resources': {'requests': {'cpu': '" + cpus[i] + "'}}}")
                .collect(joining(", "));
        String patch = "{'spec': {'containers': [" + containers + "]}}";
        scene.api().patchByName(ApiAccess.PODS + "/" + pod + "/resize", patch.replace('\'', '"'));
    }

    // As a kubelet does: what the containers were promised and have, and why they do not get what they ask for.
    private static void tellOfContainers(Scene scene, String pod, String pending, String... cpus) {
        String statuses = IntStream.range(0, cpus.length)
                .mapToObj(i -> ("{'name': 'c%d', 'image': 'app', 'imageID': 'app', 'ready': true, 'restartCount': 0,"
                                + " 'allocatedResources': {'cpu': '%s'}, 'resources': {'requests': {'cpu': '%2$s'}}}")
                        .formatted(i, cpus[i]))
                .collect(joining(", "));
        String conditions =
                pending.isEmpty() ? "" : "{'type': 'PodResizePending', 'status': 'True', 'reason': '" + pending + "'}";
        patch(
                scene,
                ApiAccess.PODS + "/" + pod + "/status",
                "{'status': {'phase': 'Running', 'conditions': [" + conditions + "], 'containerStatuses': [" + statuses
                        + "]}}");
    }

    private static void awaitBound(Scene scene, String... claims) {
        for (String claim : claims) {
            scene.await(
                    "claim " + claim + " is bound",
                    () -> scene.api()
                            .get(VOLUME_CLAIMS + "/" + claim)
                            .at("/status/phase")
                            .asText()
                            .equals("Bound"));
        }
    }

    // As the driver's provisioner does for the node that the scheduler has chosen.
    private static void provision(Scene scene, String claim, String node, String size) {
        String uid =
                scene.api().get(VOLUME_CLAIMS + "/" + claim).at("/metadata/uid").asText();
        scene.create("""
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

    private static Map<String, String> until(Scene scene, Map<String, String> wanted) {
        return scene.await("" + wanted, () -> state(scene.api(), wanted.keySet()), wanted::equals);
    }

    private static Map<String, String> state(ApiAccess api, Set<String> names) {
        Map<String, SortedSet<String>> events = new HashMap<>();
        for (JsonNode event : api.items(ApiAccess.EVENTS)) {
            // Other controllers report events of the pods, too.
            if (event.path("reportingController").asText().equals("default-scheduler")) {
                events.computeIfAbsent(event.at("/regarding/name").asText(), name -> new TreeSet<>())
                        .add(event.path("reason").asText() + ": "
                                + UID.matcher(event.path("note").asText()).replaceAll("UID"));
            }
        }
        Map<String, JsonNode> pods = byName(api, ApiAccess.PODS);
        Map<String, JsonNode> volumeClaims = byName(api, VOLUME_CLAIMS);
        Map<String, JsonNode> resourceClaims = byName(api, RESOURCE_CLAIMS);
        SortedMap<String, String> state = new TreeMap<>();
        for (String name : names) {
            List<String> parts = new ArrayList<>();
            JsonNode pod = pods.get(name);
            parts.add(pod == null ? "gone" : place(pod));
            if (pod != null) {
                addCondition(pod, parts);
            }
            parts.addAll(events.getOrDefault(name, new TreeSet<>()));
            if (pod != null) {
                pod.at("/spec/volumes")
                        .forEach(volume -> addVolumeClaim(
                                volumeClaims.get(volume.at("/persistentVolumeClaim/claimName")
                                        .asText()),
                                parts));
                pod.at("/spec/resourceClaims")
                        .forEach(claim -> addResourceClaim(
                                resourceClaims.get(
                                        claim.path("resourceClaimName").asText()),
                                parts));
            }
            state.put(name, String.join("; ", parts));
        }
        return state;
    }

    private static Map<String, JsonNode> byName(ApiAccess api, String path) {
        Map<String, JsonNode> objects = new HashMap<>();
        api.items(path)
                .forEach(object -> objects.put(object.at("/metadata/name").asText(), object));
        return objects;
    }

    private static String place(JsonNode pod) {
        String node = pod.at("/spec/nodeName").asText();
        String nominated = pod.at("/status/nominatedNodeName").asText();
        return (node.isEmpty() ? "waits" : "on " + node) + (nominated.isEmpty() ? "" : " for " + nominated);
    }

    private static void addCondition(JsonNode pod, List<String> parts) {
        JsonNode condition = PodVersions.podScheduled(pod);
        if (condition.path("status").asText().equals("False")) {
            parts.add("PodScheduled False, " + condition.path("reason").asText() + ": "
                    + condition.path("message").asText());
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
}
