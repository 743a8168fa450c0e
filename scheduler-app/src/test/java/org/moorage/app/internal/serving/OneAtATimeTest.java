// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OneAtATimeTest {
    private static final Query QUERY = new Query("GET", "/", Map.of(), "", "", "");

    @Test
    void worksOnOneQueryOfAllItsPagesAtATime() throws InterruptedException, ExecutionException {
        OneAtATime turn = new OneAtATime();
        AtomicInteger working = new AtomicInteger();
        Page counting = query -> {
            int now = working.incrementAndGet();
            working.decrementAndGet();
            return Reply.text(200, Integer.toString(now));
        };
        List<Page> pages = List.of(turn.of(counting), turn.of(counting));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Reply>> replies = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Page page = pages.get(i % 2);
                replies.add(threads.submit(() -> page.reply(QUERY)));
            }
            for (Future<Reply> reply : replies) {
                assertThat(reply.get().body()).asString().isEqualTo("1");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void continuesAfterAFailingPage() {
        OneAtATime turn = new OneAtATime();
        Page failing = turn.of(query -> {
            throw new IllegalStateException("it fails");
        });

        assertThatThrownBy(() -> failing.reply(QUERY)).hasMessage("it fails");

        assertThat(turn.of(query -> Reply.text(200, "")).reply(QUERY).code()).isEqualTo(200);
    }
}
