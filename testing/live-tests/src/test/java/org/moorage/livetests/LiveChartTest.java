// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;

/**
 * The chart in {@code deploy/chart}, installed by Helm on a real API server. Tests that are tagged {@code image} also run with an image.
 */
@Tag("live")
class LiveChartTest {
    private static final Deployed SECOND =
            new Deployed("second-scheduler", "moorage-system", "moorage", "moorage", "moorage");
    private static final Deployed REPLACEMENT =
            new Deployed("replacement", "kube-system", "moorage", "moorage", "default-scheduler");

    private static final String NODE = """
        apiVersion: v1
        kind: Node
        metadata: {name: n1}
        status:
          conditions: [{type: Ready, status: "True"}]
          allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
          capacity: {cpu: "4", memory: 8Gi, pods: "110"}
        """;

    /** Enough of the Prometheus operator for the API server to take its objects. */
    private static final String CRD = """
        ---
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: %1$ss.monitoring.coreos.com}
        spec:
          group: monitoring.coreos.com
          scope: Namespaced
          names: {plural: %1$ss, singular: %1$s, kind: %2$s}
          versions:
            - name: v1
              served: true
              storage: true
              schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
        """;

    /** All that a release of a scheduler may have. */
    private static final String EVERYTHING = """
        monitoring:
          podMonitor: {enabled: true}
          serviceMonitor: {enabled: true}
          rules: {enabled: true}
          dashboard: {enabled: true}
        plugins:
          imageVolumes: [{name: team-nodes, image: "example/team-nodes:1.0", path: plugins}]
          initContainers: [{name: copied, image: "example/jars:1.0", command: [cp, -r, /jars/., /plugins]}]
        rbac:
          subjects:
            page: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: team}]
            snapshot: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: planner}]
            shadow: [{kind: ServiceAccount, name: shadow, namespace: default}]
        networkPolicy:
          from: [{namespaceSelector: {matchLabels: {team: monitoring}}}]
        """;

    private static final String EXTENDER = """
        mode: extender
        extender:
          nodeCache: true
          config:
            apiVersion: moorage.org/v1
            kind: ExtenderConfiguration
            agents:
              - {name: fit, port: 5401, nodeCache: true, plugins: [{name: NodeResourcesFit}]}
              - {name: taints, plugins: [{name: TaintToleration}]}
        """;

    private static void helm(Scene scene, String... arguments) {
        List<String> command = new ArrayList<>(List.of(scene.build("helm").toString()));
        command.addAll(List.of(arguments));
        command.add("--kubeconfig=" + scene.plane().kubeconfig());
        try (RunningProgram helm = scene.start("helm-" + arguments[0] + "-" + arguments.length, command)) {
            int exitCode = helm.await();
            assertThat(exitCode).as(helm.log()).isZero();
        }
    }

    private static void install(Scene scene, Deployed release) {
        helm(
                scene,
                "install",
                release.name(),
                Deployed.DEPLOY.resolve("chart").toString(),
                "--namespace=" + release.namespace(),
                "--create-namespace",
                "--set=mode=" + release.source());
    }

    /** The objects that Helm may leave. */
    private static Set<String> objects(Scene scene, String namespace) {
        Set<String> objects = new TreeSet<>();
        String all = scene.plane()
                .kubectl(
                        "get",
                        "-n",
                        namespace,
                        "-o",
                        "name",
                        "deployments,services,configmaps,secrets,serviceaccounts,poddisruptionbudgets,networkpolicies,roles,"
                                + "rolebindings,clusterroles,clusterrolebindings,leases");
        all.lines().forEach(objects::add);
        scene.plane()
                .kubectl("get", "-n", "kube-system", "-o", "name", "rolebindings,leases")
                .lines()
                .map(line -> "kube-system " + line)
                .forEach(objects::add);
        return objects;
    }

    /** The scheduler of the release schedules its pods, and nothing but its Lease is left of it. */
    @Test
    @Tag("image")
    void schedulesAsASecondScheduler() throws IOException {
        try (Scene scene = Scene.open()) {
            scene.create(NODE);
            Set<String> before = objects(scene, SECOND.namespace());
            install(scene, SECOND);
            try (RunningProgram moorage = SECOND.runScheduler(scene)) {
                SECOND.assertSchedules(scene, moorage);
                moorage.terminate();
            }
            helm(scene, "uninstall", SECOND.name(), "--namespace=" + SECOND.namespace());

            Set<String> left = objects(scene, SECOND.namespace());
            left.removeAll(before);
            assertThat(left).containsExactly("lease.coordination.k8s.io/moorage");
        }
    }

    /** It stands by until kube-scheduler releases its Lease. */
    @Test
    @Tag("image")
    void replacesKubeScheduler() throws IOException {
        try (Scene scene = Scene.open()) {
            scene.create(NODE);
            Path config = scene.write(
                    "kube-scheduler.yaml", """
                        apiVersion: kubescheduler.config.k8s.io/v1
                        kind: KubeSchedulerConfiguration
                        clientConnection: {kubeconfig: '%s'}
                        """.formatted(scene.plane().kubeconfig()));
            try (RunningProgram theirs = scene.start(
                    "kube-scheduler",
                    List.of(
                            scene.plane().binaries().resolve("kube-scheduler").toString(),
                            "--config=" + config,
                            "--bind-address=127.0.0.1",
                            "--secure-port=" + scene.port()))) {
                String leader = scene.await(
                        "kube-scheduler leads",
                        () -> Deployed.holder(scene, "kube-system", "kube-scheduler"),
                        holder -> !holder.isEmpty());
                Set<String> before = objects(scene, REPLACEMENT.namespace());
                install(scene, REPLACEMENT);
                try (RunningProgram moorage = REPLACEMENT.runScheduler(scene)) {
                    scene.await(
                            "Moorage stands by",
                            () -> moorage.log()
                                    .contains("attempting to acquire leader lease kube-system/kube-scheduler"));
                    assertThat(Deployed.holder(scene, "kube-system", "kube-scheduler"))
                            .isEqualTo(leader);
                    theirs.terminate();
                    REPLACEMENT.assertSchedules(scene, moorage);
                    assertThat(Deployed.holder(scene, "kube-system", "kube-scheduler"))
                            .isNotEmpty()
                            .isNotEqualTo(leader);
                    moorage.terminate();
                }
                helm(scene, "uninstall", REPLACEMENT.name(), "--namespace=" + REPLACEMENT.namespace());

                assertThat(objects(scene, REPLACEMENT.namespace())).isEqualTo(before);
            }
        }
    }

    /** Objects that only some values render. */
    @Test
    void isTakenWithAllOfItsObjects() {
        try (Scene scene = Scene.open()) {
            scene.create(CRD.formatted("podmonitor", "PodMonitor")
                    + CRD.formatted("servicemonitor", "ServiceMonitor")
                    + CRD.formatted("prometheusrule", "PrometheusRule"));
            scene.await(
                    "the kinds are served",
                    () -> scene.plane()
                                    .kubectl("api-resources", "--api-group=monitoring.coreos.com", "-o", "name")
                                    .lines()
                                    .count()
                            == 3);
            installWith(scene, "everything", EVERYTHING);
            installWith(scene, "extender", EXTENDER);

            assertThat(scene.api().items("/apis/monitoring.coreos.com/v1/namespaces/default/prometheusrules"))
                    .singleElement()
                    .satisfies(rule -> assertThat(rule.at("/spec/groups")).isNotEmpty());
            assertThat(scene.api()
                            .get("/apis/apps/v1/namespaces/default/deployments/everything")
                            .at("/spec/template/spec/volumes"))
                    .anyMatch(volume -> volume.has("image"));
            assertThat(scene.api()
                            .get("/api/v1/namespaces/default/services/extender")
                            .at("/spec/ports"))
                    .hasSize(2);
        }
    }

    private static void installWith(Scene scene, String name, String values) {
        helm(
                scene,
                "install",
                name,
                Deployed.DEPLOY.resolve("chart").toString(),
                "--namespace=default",
                "--values=" + scene.write(name + ".yaml", values));
    }
}
