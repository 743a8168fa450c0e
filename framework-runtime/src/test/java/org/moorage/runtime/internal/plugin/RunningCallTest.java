// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.moorage.api.CycleState;
import org.moorage.api.Status;
import org.moorage.api.event.Hint;
import org.moorage.api.event.ObjectChange;
import org.moorage.api.event.QueueingHint;
import org.moorage.api.model.Pod;
import org.moorage.api.plugin.point.PostBindPlugin;
import org.moorage.api.plugin.point.PreEnqueuePlugin;
import org.moorage.runtime.Samples;

/** Tests which call is known to run; PluginIsolationTest tests calls that do not return. */
final class RunningCallTest {
    private static final Pod POD = Samples.pod("p");

    private record Acting(String name, Runnable action) implements PostBindPlugin, PreEnqueuePlugin {
        @Override
        public Status preEnqueue(Pod pod) {
            action.run();
            return Status.success();
        }

        @Override
        public void postBind(CycleState state, Pod pod, String nodeName) {
            action.run();
        }
    }

    private static void postBind(PluginCaller caller) {
        caller.postBind(new CycleState(), POD, "n");
    }

    private static String ofThread() {
        return ((PluginThread) Thread.currentThread())
                .call()
                .map(call -> call.failure("x"))
                .orElse("none");
    }

    private static String ofQueue(PluginCaller caller) {
        return PluginCaller.queueCall(List.of(caller))
                .map(call -> call.failure("x"))
                .orElse("none");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aThreadIsInTheInnermostCallThatHasNotReturned() throws InterruptedException {
        List<String> seen = new ArrayList<>();
        PluginCaller inner = PluginCaller.of(new Acting("Inner", () -> seen.add(ofThread())));
        PluginCaller outer = PluginCaller.of(new Acting("Outer", () -> {
            seen.add(ofThread());
            postBind(inner);
            seen.add(ofThread());
        }));
        PluginThread thread = new PluginThread(
                () -> {
                    postBind(outer);
                    seen.add(ofThread());
                },
                "test",
                null);
        thread.start();
        thread.join();

        assertThat(seen)
                .containsExactly(
                        "running PostBind plugin \"Outer\": x",
                        "running PostBind plugin \"Inner\": x",
                        "running PostBind plugin \"Outer\": x",
                        "none");
    }

    @Test
    void aHintThatIsAskedElsewhereLeavesTheCallThatTheQueueWaitsFor() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        PluginCaller plugin = PluginCaller.of(new Acting("Suspect", () -> {
            begun.countDown();
            await(released);
        }));
        QueueingHint<Object> hint = plugin.checked((pod, change) -> Hint.QUEUE);
        Thread holder = new Thread(() -> {
            Status ignored = plugin.preEnqueue(POD);
        });
        holder.start();
        await(begun);

        assertThat(hint.hint(POD, ObjectChange.added(new Object()))).isEqualTo(Hint.QUEUE);
        assertThat(ofQueue(plugin)).isEqualTo("running PreEnqueue plugin \"Suspect\": x");

        released.countDown();
        holder.join();

        assertThat(ofQueue(plugin)).isEqualTo("none");
    }
}
