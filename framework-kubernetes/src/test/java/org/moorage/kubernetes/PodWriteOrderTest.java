// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;

@Timeout(30)
class PodWriteOrderTest {
    private static final Set<Thread.State> WAITS_OR_HAS_ENDED =
            Set.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED);

    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final PodWriteOrder order = new PodWriteOrder();

    private static Pod pod(String uid) {
        return Pod.of(
                ObjectMeta.named("web").namespace("default").uid(uid).build(),
                PodSpec.builder().build());
    }

    @Test
    void sendsABindingAfterThePatchThatIsBeingSent() throws InterruptedException {
        Thread binding = new Thread(() -> order.bind(pod("u1"), () -> sent.add("binding")));

        order.patch(pod("u1"), () -> {
            binding.start();
            while (!WAITS_OR_HAS_ENDED.contains(binding.getState())) {
                Thread.onSpinWait();
            }
            sent.add("patch");
        });
        binding.join();

        assertThat(sent).containsExactly("patch", "binding");
    }

    @Test
    void doesNotHoldABindingForAPatchThatHangs() {
        order.patch(pod("u1"), () -> {
            order.bind(pod("u1"), () -> sent.add("binding"));
            sent.add("patch");
        });

        assertThat(sent).containsExactly("binding", "patch");
    }

    @Test
    void sendsNoPatchWhileThePodIsBeingBound() {
        order.bind(pod("u1"), () -> {
            order.patch(pod("u1"), () -> sent.add("patch of the pod"));
            order.patch(pod("u2"), () -> sent.add("patch of another pod"));
        });
        order.patch(pod("u1"), () -> sent.add("patch after a binding that failed"));

        assertThat(sent).containsExactly("patch of another pod", "patch after a binding that failed");
    }
}
