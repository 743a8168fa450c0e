// SPDX-License-Identifier: Apache-2.0
package org.moorage.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ListMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Response;

class LenientListerWatcherTest {
    private static final String FINE = pod("fine", "'nodeName': 'n1'");
    /** A priority that is not a number, next to a request that can be read. */
    private static final String CONTAINERS =
            "'containers': [{'name': 'c', 'resources': {'requests': {'cpu': '2', 'memory': 'much'}}}]";

    private static final String ON_NODE = pod("on-node", "'nodeName': 'n1', 'priority': 'high', " + CONTAINERS);
    private static final String PENDING = pod("pending", "'priority': 'high', " + CONTAINERS);

    private final FakeApiServer server = FakeApiServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private static String pod(String name, String spec) {
        return "{'metadata': {'name': '" + name + "', 'namespace': 'default', 'uid': 'u-" + name
                + "', 'resourceVersion': '7', 'managedFields': [{'manager': 'kubelet'}]}, 'spec': {" + spec + "}}";
    }

    private LenientListerWatcher<V1Pod, V1PodList> answering(String json) {
        server.on("GET", "/api/v1/pods", request -> Response.ok(json.replace('\'', '"')));
        return LenientListerWatcher.pods(new ApiClient().setBasePath(server.address()));
    }

    private V1PodList list(String... pods) throws ApiException {
        return answering("{'kind': 'PodList', 'apiVersion': 'v1', 'metadata': {'resourceVersion': '9'}, 'items': ["
                        + String.join(",", pods) + "], 'newField': {'x': 1}}")
                .list(new CallGeneratorParams(false, null, null));
    }

    private static List<String> names(V1PodList list) {
        return list.getItems().stream().map(pod -> pod.getMetadata().getName()).toList();
    }

    @Test
    void anObjectThatTheModelCannotHoldKeepsNoOtherFromBeingListed() throws ApiException {
        V1PodList list = list(PENDING, FINE, ON_NODE);

        assertThat(names(list)).containsExactly("fine", "on-node");
        assertThat(list.getMetadata().getResourceVersion()).isEqualTo("9");
        assertThat(list.getItems().get(0).getMetadata().getManagedFields()).hasSize(1);
    }

    /** A model of a list whose items are null where the field is missing. */
    private record Pods(V1ListMeta metadata, List<V1Pod> items) implements KubernetesListObject {
        @Override
        public V1ListMeta getMetadata() {
            return metadata;
        }

        @Override
        public List<V1Pod> getItems() {
            return items;
        }

        @Override
        public String getApiVersion() {
            return "v1";
        }

        @Override
        public String getKind() {
            return "PodList";
        }
    }

    @Test
    void theModelOfAListMayHaveNullForMissingItems() throws ApiException {
        String json = "{'metadata': {}, 'items': [" + FINE + "]}";
        server.on("GET", "/api/v1/pods", request -> Response.ok(json.replace('\'', '"')));
        ApiClient client = new ApiClient().setBasePath(server.address());

        Pods list = new LenientListerWatcher<>(client, ObjectKind.POD, V1Pod.class, Pods.class)
                .list(new CallGeneratorParams(false, null, null));

        assertThat(list.getItems())
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactly("fine");
    }

    @Test
    void aPodOnANodeIsReadWithoutTheValuesThatTheModelCannotHold() throws ApiException {
        V1Pod pod = list(ON_NODE).getItems().get(0);

        assertThat(pod.getSpec().getNodeName()).isEqualTo("n1");
        assertThat(pod.getSpec().getPriority()).isNull();
        assertThat(pod.getSpec()
                        .getContainers()
                        .get(0)
                        .getResources()
                        .getRequests()
                        .get("cpu")
                        .getNumber())
                .isEqualByComparingTo("2");
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 5_000, 100_000})
    void theDepthOfAnObjectKeepsNoOtherFromBeingListed(int depth) throws ApiException {
        String deep = "'newField': " + "{'x':".repeat(depth) + "1" + "}".repeat(depth);

        assertThat(names(list(pod("deep", deep), FINE))).contains("fine");
    }

    @Test
    void aListThatBreaksOffIsAFailure() {
        assertThatThrownBy(
                        () -> answering("{'kind': 'PodList', 'metadata': {'resourceVersion': '9'}, 'items': [" + FINE)
                                .list(new CallGeneratorParams(false, null, null)))
                .isInstanceOf(ApiException.class);
        assertThatThrownBy(() -> answering("[]").list(new CallGeneratorParams(false, null, null)))
                .isInstanceOf(ApiException.class);
    }

    @Test
    void anEventThatTheModelCannotHoldKeepsNoOtherFromBeingSeen() throws ApiException, IOException {
        List<String> seen = new ArrayList<>();
        try (Watchable<V1Pod> watch = answering(event("ADDED", PENDING)
                        + event("MODIFIED", FINE)
                        + event("MODIFIED", ON_NODE)
                        + event("DELETED", PENDING))
                .watch(new CallGeneratorParams(true, "7", 60))) {
            while (watch.hasNext()) {
                Watch.Response<V1Pod> event = watch.next();
                seen.add(event.type + " " + event.object.getMetadata().getName() + " "
                        + event.object.getMetadata().getUid());
            }
        }
        assertThat(seen)
                .containsExactly("MODIFIED fine u-fine", "MODIFIED on-node u-on-node", "DELETED pending u-pending");
    }

    private static String event(String type, String pod) {
        return "{'type': '" + type + "', 'object': " + pod + "}\n";
    }
}
