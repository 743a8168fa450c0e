// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectKind;
import org.moorage.livetests.scene.PodVersions;
import org.moorage.livetests.scene.SchedulerProcess;
import org.moorage.livetests.scene.Waiting;

/** Tests objects that the API server accepts, but that are deeper, longer or larger than a scheduler expects. */
class StrangeObjectsFaultsTest {
    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    /** The number of attempts to generate an object that the server rejects for other reasons. */
    private static final int TRIES = 5;

    private static final String HUGE = "1e100000";

    /** Opens a control plane with a node that only plain pods can be scheduled to. */
    static FaultScene withAllKinds(FaultReport report) {
        FaultScene scene = FaultScene.open(report, "", Map.of());
        scene.nodes("n", 5, "4", 110);
        scene.nodes("plain", 1, "4", 110);
        scene.api().patch("/api/v1/nodes/plain0", """
                {"metadata": {"labels": {"plain": "yes"}},
                 "spec": {"taints": [{"key": "plain", "effect": "NoSchedule"}]}}""");
        return scene;
    }

    /** Returns the command for a scheduler that watches all existing kinds. */
    static SchedulerProcess.Command command(FaultScene scene) {
        return scene.command(MOORAGE);
    }

    /** Returns the time until a new plain pod is bound. */
    static Duration plainPod(FaultScene scene) {
        long start = System.nanoTime();
        String name = "plain-" + start;
        scene.api().create("/api/v1/namespaces/default/pods", FaultScene.pod(name, "10m", """
                , "nodeSelector": {"plain": "yes"}, "tolerations": [{"key": "plain", "operator": "Exists"}]"""));
        Waiting.until(() -> scene.versions().bound(name) == 1);
        scene.api().delete(FaultScene.podPath(name));
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Starts a scheduler with the existing objects: it must become ready and bind pods. */
    static SchedulerProcess startAmong(FaultScene scene, FaultReport report) {
        long start = System.nanoTime();
        SchedulerProcess scheduler = scene.start(command(scene));
        Duration ready = Duration.ofNanos(System.nanoTime() - start);
        report.took("a scheduler that starts then ready", ready, Duration.ofSeconds(30));
        report.took("and its first pod bound", plainPod(scene), AT_ONCE);
        checkLog(scheduler, report);
        return scheduler;
    }

    /** Checks that each object is logged at most once, and that all errors are about the strange pods themselves. */
    static void checkLog(SchedulerProcess scheduler, FaultReport report) {
        scheduler.program().errors().stream()
                .filter(line -> !line.contains("pod=\"" + SchemaObjects.NAMESPACE + "/"))
                .limit(3)
                .forEach(line -> report.broken("in the log: " + line));
        Map<String, Integer> named = new LinkedHashMap<>();
        scheduler
                .program()
                .log()
                .lines()
                .filter(line -> line.contains("An object cannot be read"))
                .forEach(line -> named.merge(line.replaceFirst("^\\S+ \\S+", ""), 1, Integer::sum));
        named.forEach((line, times) -> report.holds(times == 1, times + " times in the log: " + line));
    }

    /** Removes an object, regardless of its finalizers. */
    static void remove(FaultScene scene, String path) {
        scene.api().answer("PATCH", path, "application/merge-patch+json", "{\"metadata\": {\"finalizers\": null}}");
        scene.api().delete(path);
    }

    @Test
    @Fault(
            value = 40,
            injected =
                    "on every kind: managedFields of 1,100 levels and as many as the server takes, names in them of 60,000 characters")
    void managedFields(FaultReport report) {
        try (FaultScene scene = withAllKinds(report)) {
            SchemaObjects objects = new SchemaObjects(scene.api(), SchemaObjects.KINDS, report.random(), 0);
            int deepest = deepest(scene, objects);
            report.saw("the server takes " + deepest + " levels");
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("1,100 levels", deep(1100));
            fields.put(deepest + " levels", deep(deepest));
            fields.put("60,000 characters", "{\"f:" + "x".repeat(60_000) + "\":{}}");
            SchedulerProcess scheduler = scene.start(command(scene));
            for (Map.Entry<String, String> shape : fields.entrySet()) {
                Duration slowest = Duration.ZERO;
                List<String> refused = new ArrayList<>();
                for (ObjectKind<?> kind : SchemaObjects.KINDS) {
                    Optional<String> path = create(objects, kind, shape.getValue());
                    if (path.filter(created -> isAsLongAs(scene, created, shape.getValue()))
                            .isEmpty()) {
                        refused.add(kind.kind());
                    }
                    Duration took = plainPod(scene);
                    slowest = took.compareTo(slowest) > 0 ? took : slowest;
                }
                report.saw(shape.getKey() + " kept for all kinds but " + refused);
                report.holds(refused.isEmpty(), shape.getKey() + " not kept for " + refused);
                report.took("slowest plain pod bound meanwhile", slowest, AT_ONCE);
                checkLog(scheduler, report);
                scheduler.close();
                scheduler = startAmong(scene, report);
            }
            report.holds(
                    scheduler.metric("moorage_unreadable_objects") == 0,
                    scheduler.metric("moorage_unreadable_objects") + " objects cannot be read");
            removeStrangePods(scene);
            scene.checkInvariants(scheduler);
        }
    }

    private static boolean isAsLongAs(FaultScene scene, String path, String fields) {
        return scene.api()
                .answer("GET", path, "", "")
                .filter(answer -> answer.body().length() >= fields.length())
                .isPresent();
    }

    private static String deep(int levels) {
        return SchemaObjects.nested(levels, "{\"f:a\":", "{}", "}");
    }

    private static Optional<String> create(SchemaObjects objects, ObjectKind<?> kind, String fields) {
        Optional<String> path = Optional.empty();
        for (int i = 0; i < TRIES && path.isEmpty(); i++) {
            ObjectNode object = objects.generate(kind);
            object.withObject("/metadata").set("managedFields", SchemaObjects.managedFields(kind.apiVersion(), fields));
            path = objects.create(kind, object);
        }
        return path;
    }

    private static int deepest(FaultScene scene, SchemaObjects objects) {
        int taken = 1100;
        int refused = 20_000;
        while (refused - taken > 1) {
            int levels = (taken + refused) / 2;
            Optional<String> path = create(objects, ObjectKind.NAMESPACE, deep(levels));
            path.ifPresent(created -> remove(scene, created));
            taken = path.isPresent() ? levels : taken;
            refused = path.isPresent() ? refused : levels;
        }
        return taken;
    }

    private static void removeStrangePods(FaultScene scene) {
        scene.api()
                .items("/api/v1/namespaces/" + SchemaObjects.NAMESPACE + "/pods")
                .forEach(pod -> remove(
                        scene,
                        SchemaObjects.path(ObjectKind.POD) + "/"
                                + pod.at("/metadata/name").asText()));
    }

    @Test
    @Fault(
            value = 40,
            injected =
                    "opaque.parameters with numbers of 1,500 digits, 1e-99999999999, 2,000 nested arrays, of claims and classes")
    void opaqueParameters(FaultReport report) {
        try (FaultScene scene = withAllKinds(report)) {
            scene.api().create("/api/v1/namespaces", "{\"metadata\": {\"name\": \"" + SchemaObjects.NAMESPACE + "\"}}");
            SchedulerProcess scheduler = scene.start(command(scene));
            Map<String, String> shapes = new LinkedHashMap<>();
            shapes.put("1,500 digits", "9".repeat(1500));
            shapes.put("1,500 digits after the point", "0." + "9".repeat(1500));
            shapes.put("1e-99999999999", "1e-99999999999");
            shapes.put("1e99999999999", "1e99999999999");
            shapes.put("2,000 arrays", SchemaObjects.nested(2000, "[", "", "]"));
            shapes.put("half of a surrogate pair", "{\"\\ud800\":\"\\udc00\"}");
            shapes.put("fields in no order", "{\"b\":[1.0,1e3,0.12345678901234567890123],\"a\":12345678901234567890}");
            shapes.put("1,500 objects", SchemaObjects.nested(1500, "{\"\":", "1", "}"));
            Duration slowest = Duration.ZERO;
            List<String> names = new ArrayList<>();
            for (Map.Entry<String, String> shape : shapes.entrySet()) {
                String config = "[{\"opaque\": {\"driver\": \"gpu.example.com\", \"parameters\": {\"n\": "
                        + shape.getValue() + "}}}]";
                String name = "strange" + names.size();
                boolean isTaken = isTaken(scene, ObjectKind.RESOURCE_CLAIM, """
                        {"metadata": {"name": "%s"}, "spec": {"devices": {
                         "requests": [{"name": "r", "exactly": {"deviceClassName": "%s"}}], "config": %s}}}""".formatted(name, name, config))
                        && isTaken(scene, ObjectKind.DEVICE_CLASS, """
                        {"metadata": {"name": "%s"}, "spec": {"config": %s}}""".formatted(name, config));
                if (isTaken) {
                    names.add(name);
                } else {
                    report.saw("the server does not take " + shape.getKey());
                }
                Duration took = plainPod(scene);
                slowest = took.compareTo(slowest) > 0 ? took : slowest;
            }
            report.took("slowest plain pod bound meanwhile", slowest, AT_ONCE);
            checkLog(scheduler, report);
            scheduler.close();
            scheduler = startAmong(scene, report);
            allocate(scene, report, names);
            report.holds(
                    scheduler.metric("moorage_unreadable_objects") == 0,
                    scheduler.metric("moorage_unreadable_objects") + " objects cannot be read");
            scene.checkInvariants(scheduler);
        }
    }

    private static boolean isTaken(FaultScene scene, ObjectKind<?> kind, String object) {
        return scene.api()
                .answer("POST", SchemaObjects.path(kind), "application/json", object)
                .filter(answer -> answer.statusCode() < 300)
                .isPresent();
    }

    /** Allocates the claims like any others, with their parameters. */
    private static void allocate(FaultScene scene, FaultReport report, List<String> claims) {
        String devices =
                claims.stream().map(name -> "{\"name\": \"" + name + "\"}").collect(Collectors.joining(", "));
        report.holds(
                isTaken(scene, ObjectKind.RESOURCE_SLICE, """
                {"metadata": {"name": "devices"}, "spec": {"driver": "gpu.example.com", "allNodes": true,
                 "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "devices": [%s]}}""".formatted(devices)),
                "the server does not take the devices");
        for (String claim : claims) {
            scene.api()
                    .create(
                            SchemaObjects.path(ObjectKind.POD),
                            FaultScene.pod(
                                    "claiming-" + claim,
                                    "10m",
                                    ", \"resourceClaims\": [{\"name\": \"r\", \"resourceClaimName\": \"" + claim
                                            + "\"}]"));
        }
        Duration bound = scene.awaitBound("claiming-", claims.size());
        report.took(claims.size() + " pods with those claims bound", bound, Duration.ofSeconds(10));
        for (String claim : claims) {
            // As text, since the test's JSON parser would reject some of them.
            String path = SchemaObjects.path(ObjectKind.RESOURCE_CLAIM) + "/" + claim;
            String object =
                    scene.api().answer("GET", path, "", "").orElseThrow().body();
            int copies = object.split("\"opaque\":", -1).length - 2;
            report.holds(copies == 2, claim + " was allocated with " + copies + " of 2 parameters");
        }
    }

    @Test
    @Fault(value = 40, injected = "pods that request 1e100000 of memory or cpu, pending and bound")
    void quantities(FaultReport report) {
        try (FaultScene scene = withAllKinds(report)) {
            SchedulerProcess scheduler = scene.start(command(scene));
            String path = "/api/v1/namespaces/default/pods";
            scene.api().create(path, FaultScene.pod("bound", HUGE, ", \"nodeName\": \"n0\""));
            Duration beside = plainPod(scene);
            scene.api().create(path, FaultScene.pod("pending", HUGE, ""));
            Duration besidePending = plainPod(scene);
            report.took("plain pod bound next to a bound one", beside, AT_ONCE);
            report.took("next to a pending one", besidePending, AT_ONCE);
            scene.api()
                    .create(
                            path,
                            FaultScene.pod("pinned", "1", ", \"nodeSelector\": {\"kubernetes.io/hostname\": \"n0\"}"));
            refusals(scene, report, "");
            scheduler.close();
            scheduler = startAmong(scene, report);
            // The scheduler that has just started must handle these pods, too.
            scene.api().patch(FaultScene.podPath("pending"), "{\"metadata\": {\"labels\": {\"again\": \"x\"}}}");
            scene.api().delete(FaultScene.podPath("pinned"));
            scene.api()
                    .create(
                            path,
                            FaultScene.pod("pinned", "1", ", \"nodeSelector\": {\"kubernetes.io/hostname\": \"n0\"}"));
            refusals(scene, report, "after a restart ");
            scene.api().delete(FaultScene.podPath("bound"));
            report.took("the node free again after", scene.awaitBound("pinned", 1), Duration.ofSeconds(10));
            report.holds(
                    scheduler.metric("moorage_unreadable_objects") == 0,
                    scheduler.metric("moorage_unreadable_objects") + " objects cannot be read");
            checkLog(scheduler, report);
            scene.api().delete(FaultScene.podPath("pending"));
            scene.checkInvariants(scheduler);
        }
    }

    private static void refusals(FaultScene scene, FaultReport report, String when) {
        for (String pod : List.of("pending", "pinned")) {
            Duration told = Waiting.until(() -> message(scene, pod).contains("Insufficient cpu"));
            report.took(when + pod + " rejected", told, Duration.ofSeconds(5));
            report.holds(
                    message(scene, pod).contains("Insufficient cpu"),
                    pod + " has the message \"" + message(scene, pod) + "\"");
        }
    }

    private static String message(FaultScene scene, String pod) {
        return PodVersions.podScheduled(scene.api().get(FaultScene.podPath(pod)))
                .path("message")
                .asText();
    }
}
