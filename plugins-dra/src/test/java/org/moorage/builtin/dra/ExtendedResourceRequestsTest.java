// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.DeviceClass;
import org.moorage.api.model.Pod;

class ExtendedResourceRequestsTest {
    private static final Map<String, DeviceClass> CLASSES = Map.of(
            "example.com/gpu",
            DeviceObjects.deviceClass("gpu", "{}"),
            "example.com/nic",
            DeviceObjects.deviceClass("nic", "{}"));

    private record Case(String name, String spec, String requests, String mappings) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static String container(String name, String requests) {
        return "{name: " + name + ", image: i, resources: {requests: {" + requests + "}}}";
    }

    private static String sidecar(String name, String requests) {
        return "{name: " + name + ", image: i, restartPolicy: Always, resources: {requests: {" + requests + "}}}";
    }

    private static final String ONE = "example.com/gpu: 1";
    private static final String TWO = "example.com/gpu: 2";
    private static final String THREE = "example.com/gpu: 3";

    static final List<Case> CASES = List.of(
            new Case(
                    "a container requests devices",
                    "containers: [" + container("a", TWO) + "]",
                    "container-0-request-0 gpu 2",
                    "a gpu container-0-request-0"),
            new Case(
                    "the request is numbered among the resources of the container",
                    "containers: [" + container("a", "cpu: 1, " + ONE) + "]",
                    "container-0-request-1 gpu 1",
                    "a gpu container-0-request-1"),
            new Case(
                    "each container has its own request",
                    "containers: [" + container("a", ONE) + ", " + container("b", TWO) + "]",
                    "container-0-request-0 gpu 1, container-1-request-0 gpu 2",
                    "a gpu container-0-request-0, b gpu container-1-request-0"),
            new Case(
                    "each resource has its own request",
                    "containers: [" + container("a", ONE + ", example.com/nic: 1") + "]",
                    "container-0-request-0 gpu 1, container-0-request-1 nic 1",
                    "a gpu container-0-request-0, a nic container-0-request-1"),
            new Case("a container requests none", "containers: [" + container("a", "example.com/gpu: 0") + "]", "", ""),
            new Case(
                    "a container requests a part of one",
                    "containers: [" + container("a", "example.com/gpu: 500m") + "]",
                    "",
                    ""),
            new Case(
                    "an init container uses the devices of a later container",
                    "initContainers: [" + container("i", ONE) + "], containers: [" + container("a", TWO) + "]",
                    "container-1-request-0 gpu 2",
                    "a gpu container-1-request-0, i gpu container-1-request-0"),
            new Case(
                    "an init container requests what is missing",
                    "initContainers: [" + container("i", THREE) + "], containers: [" + container("a", TWO) + "]",
                    "container-0-request-0 gpu 1, container-1-request-0 gpu 2",
                    "a gpu container-1-request-0, i gpu container-1-request-0, i gpu container-0-request-0"),
            new Case(
                    "the largest request of an init container serves the others",
                    "initContainers: [" + container("i", TWO) + ", " + container("j", THREE) + "], containers: ["
                            + container("a", ONE) + "]",
                    "container-1-request-0 gpu 2, container-2-request-0 gpu 1",
                    "a gpu container-2-request-0, i gpu container-2-request-0, i gpu container-1-request-0,"
                            + " j gpu container-2-request-0, j gpu container-1-request-0"),
            new Case(
                    "a sidecar has its own request",
                    "initContainers: [" + sidecar("s", ONE) + "], containers: [" + container("a", ONE) + "]",
                    "container-0-request-0 gpu 1, container-1-request-0 gpu 1",
                    "s gpu container-0-request-0, a gpu container-1-request-0"),
            new Case(
                    "an init container does not use the devices of a sidecar that is running already",
                    "initContainers: [" + sidecar("s", ONE) + ", " + container("i", ONE) + "], containers: ["
                            + container("a", "cpu: 1") + "]",
                    "container-0-request-0 gpu 1, container-1-request-0 gpu 1",
                    "s gpu container-0-request-0, i gpu container-1-request-0"));

    @ParameterizedTest
    @FieldSource("CASES")
    void requestsDevicesForContainers(Case expected) {
        Pod pod = (Pod) DeviceObjects.object(
                "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, spec: {" + expected.spec + "}}");
        ExtendedResourceRequests requests = ExtendedResourceRequests.of(pod, CLASSES);
        assertThat(requests.requests().stream()
                        .map(request -> request.name() + " " + request.deviceClass() + " " + request.count())
                        .collect(Collectors.joining(", ")))
                .isEqualTo(expected.requests);
        assertThat(requests.mappings().stream()
                        .map(mapping -> mapping.containerName()
                                + " " + mapping.resourceName().replace("example.com/", "")
                                + " " + mapping.requestName())
                        .collect(Collectors.joining(", ")))
                .isEqualTo(expected.mappings);
    }
}
