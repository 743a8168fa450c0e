// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class OrderedTasksTest {
    private static final int TASKS = 1000;

    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final List<Integer> done = new ArrayList<>();

    @AfterEach
    void endsItsThread() throws InterruptedException {
        pool.shutdown();
        assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    private static List<Integer> upTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    @Test
    void runsTasksInTheirOrder() {
        try (OrderedTasks tasks = OrderedTasks.on(pool)) {
            for (int i = 0; i < TASKS; i++) {
                int number = i;
                tasks.add(() -> done.add(number));
            }
            tasks.finish();
            assertThat(done).isEqualTo(upTo(TASKS));
        }
    }

    @Test
    void runsTasksOnTheCallerIfNoThreadStarts() {
        try (OrderedTasks tasks = OrderedTasks.on(task -> {})) {
            for (int i = 0; i < TASKS; i++) {
                int number = i;
                tasks.add(() -> done.add(number));
                assertThat(done.size()).isGreaterThanOrEqualTo(i - 4);
            }
            tasks.finish();
            assertThat(done).isEqualTo(upTo(TASKS));
        }
    }

    @Test
    void throwsWhatATaskThrows() {
        try (OrderedTasks tasks = OrderedTasks.on(pool)) {
            tasks.add(() -> done.add(0));
            assertThatThrownBy(() -> {
                        tasks.add(() -> {
                            throw new IllegalStateException("wrong");
                        });
                        for (int i = 1; i < TASKS; i++) {
                            int number = i;
                            tasks.add(() -> done.add(number));
                        }
                        tasks.finish();
                    })
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("wrong");
            assertThat(done).containsExactly(0);
        }
    }

    @Test
    void dropsTasksWhenItIsClosed() {
        OrderedTasks tasks = OrderedTasks.on(task -> {});
        tasks.add(() -> done.add(0));
        tasks.close();
        tasks.finish();
        assertThat(done).isEmpty();
    }
}
