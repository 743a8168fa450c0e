// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.ClusterException;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.testkit.Pods;
import org.moorage.testkit.TestHandle;

class DefaultBinderTest {
    private final TestHandle handle = TestHandle.create();
    private final DefaultBinder plugin = new DefaultBinder.Factory().create(PluginArgs.None.DEFAULTS, handle);
    private final Pod pod = Pods.named("p").build();

    @Test
    void bindsThePod() {
        assertThat(plugin.bind(new CycleState(), pod, "n1")).isEqualTo(Status.success());
        assertThat(handle.changes()).containsExactly(new TestHandle.Change("bind", "default/p", "n1"));
    }

    @Test
    void leavesFailuresToTheScheduler() {
        handle.failing(new ClusterException("bind default/p to n1: conflict", 409, null));
        assertThatThrownBy(() -> plugin.bind(new CycleState(), pod, "n1")).isInstanceOf(ClusterException.class);
    }
}
