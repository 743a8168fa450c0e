// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.CycleState;
import org.moorage.api.NodeInfo;
import org.moorage.api.Status;
import org.moorage.api.event.ActionType;
import org.moorage.api.event.ClusterEvent;
import org.moorage.api.event.EventRegistration;
import org.moorage.api.event.EventResource;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.point.EnqueueExtensions;
import org.moorage.api.plugin.point.FilterPlugin;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.runtime.internal.plugin.PluginCaller;

final class PluginEventsTest {
    private record Binder(String name) implements PostBindPlugin {
        @Override
        public void postBind(CycleState state, Pod pod, String nodeName) {}
    }

    private record Gate(String name) implements PreEnqueuePlugin {
        @Override
        public Status preEnqueue(Pod pod) {
            return Status.success();
        }
    }

    private record Filter(String name) implements FilterPlugin {
        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.success();
        }
    }

    private record WaitingFilter(String name, List<EventRegistration> eventsToRegister)
            implements FilterPlugin, EnqueueExtensions {
        WaitingFilter(EventRegistration... registrations) {
            this("WaitingFilter", List.of(registrations));
        }

        @Override
        public Status filter(CycleState state, Pod pod, NodeInfo node) {
            return Status.success();
        }
    }

    private record WaitingBinder(String name) implements PostBindPlugin, EnqueueExtensions {
        @Override
        public void postBind(CycleState state, Pod pod, String nodeName) {}

        @Override
        public List<EventRegistration> eventsToRegister() {
            return List.of(on(EventResource.NODE, ActionType.ADD));
        }
    }

    private static EventRegistration on(EventResource resource, ActionType... actions) {
        return EventRegistration.always(QueueFixture.on(resource, actions));
    }

    record Case(String name, Plugin plugin, List<String> labels) {
        Case(String name, Plugin plugin, String... labels) {
            this(name, plugin, List.of(labels));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final String[] EVERYTHING = {
        "PodAll",
        "NodeAll",
        "PersistentVolumeAll",
        "PersistentVolumeClaimAll",
        "storage.k8s.io/CSINodeAll",
        "storage.k8s.io/CSIDriverAll",
        "storage.k8s.io/CSIStorageCapacityAll",
        "storage.k8s.io/StorageClassAll",
        "resource.k8s.io/ResourceClaimAll",
        "resource.k8s.io/DeviceClassAll",
        "scheduling.k8s.io/PodGroupAll"
    };

    static Stream<Case> cases() {
        return Stream.of(
                new Case("one that cannot reject waits for nothing", new Binder("Binder")),
                new Case("even if it says that it waits", new WaitingBinder("WaitingBinder")),
                new Case("one that can reject waits for everything", new Filter("Filter"), EVERYTHING),
                new Case("so does one that can only gate", new Gate("Gate"), EVERYTHING),
                new Case("unless it says that it waits for nothing", new WaitingFilter()),
                new Case("or for something", new WaitingFilter(on(EventResource.POD, ActionType.DELETE)), "PodDelete"),
                new Case(
                        "and for new nodes without their taints, unless it says so",
                        new WaitingFilter(on(EventResource.NODE, ActionType.ADD)),
                        "NodeAdd"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void waitsFor(Case plugin) {
        PluginEvents events = PluginEvents.of(PluginCaller.of(plugin.plugin()));

        assertThat(events.plugin()).isEqualTo(plugin.plugin().name());
        assertThat(events.registrations())
                .extracting(EventRegistration::event)
                .extracting(ClusterEvent::label)
                .isEqualTo(plugin.labels());
    }
}
