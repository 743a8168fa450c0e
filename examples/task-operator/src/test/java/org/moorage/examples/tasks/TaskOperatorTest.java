// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.Operator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.moorage.testkit.apiserver.FakeApiServer;

class TaskOperatorTest {
    private static final String PODS = "/api/v1/namespaces/default/pods/";
    private static final String TASKS = "/apis/example.com/v1/namespaces/default/tasks/";
    private static final String CLUSTER = """
            {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "2", pods: "110"}}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: other}
            spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
            """;

    /** One object of each kind that only admission reads: the server answers 404 for a kind without objects. */
    private static final String ADMISSION = """
            {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
            ---
            {apiVersion: v1, kind: LimitRange, metadata: {name: cpu, namespace: team}, spec: {limits: []}}
            ---
            {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: runc}, handler: runc}
            ---
            {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: gpu, namespace: team},
             spec: {spec: {}}}
            """;

    private final FakeApiServer server = FakeApiServer.start();
    private final Config config = new ConfigBuilder(Config.empty())
            .withMasterUrl(server.address())
            .withOnlyHttpWatches(true)
            .build();
    private final KubernetesClient client =
            new KubernetesClientBuilder().withConfig(config).build();

    private Operator operator;

    private static String task(String name, String podSpec) {
        return "{apiVersion: example.com/v1, kind: Task,"
                + " metadata: {name: " + name + ", namespace: default, generation: 1}, spec: {podSpec: " + podSpec + "}}";
    }

    private static String requests(String cpu) {
        return "{containers: [{name: c, image: i, resources: {requests: {cpu: \"" + cpu + "\"}}}]}";
    }

    @BeforeEach
    void start() {
        server.put(CLUSTER);
        server.put(ADMISSION);
        server.put(task("small", requests("1")));
        operator = TaskOperator.start(client);
    }

    @AfterEach
    void stop() {
        operator.stop();
        client.close();
        server.close();
    }

    private void awaitState(String name, String state, String message) throws InterruptedException {
        server.await(
                TASKS + name,
                task -> task.string("status", "state").filter(state::equals).isPresent()
                        && task.string("status", "message").orElse("").contains(message));
    }

    @Test
    void createsAPodThatFits() throws InterruptedException {
        awaitState("small", "Created", "");

        assertThat(server.object(PODS + "small")).isPresent();
    }

    @Test
    void createsAPodOnceItFits() throws InterruptedException {
        server.put(task("large", requests("2")));
        awaitState("large", "Waiting", "0/1 nodes are available: 1 Insufficient cpu.");
        assertThat(server.object(PODS + "large")).isEmpty();

        server.delete(PODS + "other");

        awaitState("large", "Created", "");
        assertThat(server.object(PODS + "large")).isPresent();
    }

    @Test
    void reportsTheMessageOfAdmission() throws InterruptedException {
        server.put(task("gold", "{priorityClassName: gold, containers: [{name: c, image: i}]}"));

        awaitState("gold", "Rejected", "no PriorityClass with name gold was found");
    }
}
