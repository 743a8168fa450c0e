// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.binding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.testkit.Nodes;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestScheduler;
import org.moorage.testkit.Write;

class DefaultBinderTest {
    private final PluginTester plugin =
            PluginTester.of(DefaultBinder.FACTORY).cluster(Nodes.named("n1").build());
    private final Pod pod = Pods.named("p").build();

    @Test
    void bindsThePod() {
        try (TestScheduler scheduler = plugin.start()) {
            scheduler.reserve(pod, "n1");
            scheduler.bind(pod);
            assertThat(scheduler.cluster().find(ObjectKind.POD, "default", "p").map(Pod::nodeName))
                    .isEqualTo(Optional.of("n1"));
            assertThat(scheduler.writes())
                    .extracting(Write::method)
                    .filteredOn("bind"::equals)
                    .isEqualTo(List.of("bind"));
        }
    }

    @Test
    void leavesFailuresToTheScheduler() {
        try (TestScheduler scheduler = plugin.start()) {
            scheduler.reserve(pod, "n1");
            scheduler.failWrites(new ClusterException("bind default/p to n1: conflict", 409, null));
            scheduler.failsToBind(pod, "bind default/p to n1: conflict");
        }
    }
}
