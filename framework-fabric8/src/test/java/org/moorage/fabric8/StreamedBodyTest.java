// SPDX-License-Identifier: Apache-2.0
package org.moorage.fabric8;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.http.AsyncBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Okio;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bodies over a client that, as fabric8's with Vert.x, closes the connection of the next request if a body is cancelled
 * after its end.
 */
@Timeout(60)
class StreamedBodyTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private Exchange exchange = new Exchange();
    private Call call;

    /**
     * An answer: what has come is handed out on demand, and its end as well, but its connection is free as soon as the
     * end has come.
     */
    private static final class Exchange implements AsyncBody {
        private final Queue<String> come = new ArrayDeque<>();
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
        private StreamedBody reader;
        private int demand;
        private boolean hasEnded;
        private boolean isOtherRequestCut;

        synchronized void comes(String part) {
            come.add(part);
            deliver();
        }

        synchronized void ends() {
            hasEnded = true;
            deliver();
        }

        @Override
        public synchronized void consume() {
            demand++;
            deliver();
        }

        private void deliver() {
            while (demand > 0 && !come.isEmpty()) {
                demand--;
                reader.consume(List.of(ByteBuffer.wrap(come.remove().getBytes(UTF_8))), this);
            }
            if (hasEnded && come.isEmpty() && demand > 0) {
                done.complete(null);
            }
        }

        @Override
        public synchronized CompletableFuture<Void> done() {
            return done;
        }

        @Override
        public synchronized void cancel() {
            isOtherRequestCut |= hasEnded;
            cancelled.complete(null);
            done.cancel(false);
        }
    }

    @BeforeEach
    void start() {
        call = callWith(LONG);
    }

    private Call callWith(Duration readTimeout) {
        return new OkHttpClient.Builder()
                .readTimeout(readTimeout)
                .addInterceptor(chain -> {
                    StreamedBody body = new StreamedBody(chain);
                    exchange.reader = body;
                    body.begins(exchange);
                    return new Response.Builder()
                            .request(chain.request())
                            .protocol(Protocol.HTTP_1_1)
                            .code(200)
                            .message("")
                            .body(ResponseBody.create(Okio.buffer(body), MediaType.get("application/json"), -1))
                            .build();
                })
                .build()
                .newCall(new Request.Builder().url("http://localhost/").build());
    }

    private void assertReadToItsEnd() {
        assertThat(exchange.done).isCompleted();
        assertThat(exchange.cancelled).isNotDone();
    }

    @Test
    void aBodyThatIsNotReadIsDiscardedAsItComes() throws IOException {
        try (Response response = call.execute()) {
            assertThat(response.code()).isEqualTo(200);
            exchange.comes("a");
        }
        exchange.comes("b");
        exchange.ends();

        assertReadToItsEnd();
    }

    @Test
    void aBodyWhoseEndHasComeUnseenIsNotCancelled() throws IOException {
        try (Response response = call.execute()) {
            exchange.comes("ab");
            exchange.comes("cd");
            exchange.ends();
            assertThat(response.body().source().readUtf8(1)).isEqualTo("a");
        }

        assertReadToItsEnd();
    }

    @Test
    void aBodyWhoseEndComesAfterItWasClosedIsNotCancelled() throws IOException {
        try (Response response = call.execute()) {
            exchange.comes("ab");
            assertThat(response.body().source().readUtf8(2)).isEqualTo("ab");
        }
        assertThat(exchange.cancelled).isNotDone();
        exchange.ends();

        assertReadToItsEnd();
    }

    @Test
    void aBodyThatWasReadToItsEndIsNotCancelled() throws IOException {
        try (Response response = call.execute()) {
            exchange.comes("ab");
            exchange.ends();
            assertThat(response.body().string()).isEqualTo("ab");
        }

        assertReadToItsEnd();
    }

    @Test
    void aCallThatIsCancelledWhileItsReaderNeedsNoMoreIsDiscarded() throws IOException {
        try (Response response = call.execute()) {
            assertThat(response.code()).isEqualTo(200);
            exchange.comes("ab");
            exchange.ends();
            call.cancel();
        }

        assertReadToItsEnd();
    }

    @Test
    void aCallThatIsCancelledWhileItsReaderWaitsEndsItsExchange() throws IOException {
        try (Response response = call.execute()) {
            exchange.comes("ab");
            assertThat(response.body().source().readUtf8(2)).isEqualTo("ab");
            call.cancel();
            assertThatThrownBy(() -> response.body().source().readByte()).hasMessage("Canceled");
        }

        assertThat(exchange.cancelled).isDone();
        assertThat(exchange.isOtherRequestCut).isFalse();
    }

    @Test
    void aServerThatIsSilentForTooLongEndsTheExchange() throws IOException {
        call = callWith(Duration.ofMillis(20));
        try (Response response = call.execute()) {
            assertThatThrownBy(() -> response.body().source().readByte()).hasMessage("timeout");
        }

        assertThat(exchange.cancelled).isDone();
    }

    @Test
    void anAnswerThatDoesNotEndIsCancelledWhenTheReadTimeoutHasPassed() throws IOException {
        call = callWith(Duration.ofMillis(20));
        try (Response response = call.execute()) {
            exchange.comes("ab");
            assertThat(response.body().source().readUtf8(1)).isEqualTo("a");
        }

        assertThat(exchange.cancelled.orTimeout(30, TimeUnit.SECONDS)).succeedsWithin(Duration.ofSeconds(30));
    }

    /** Events in any order: no other request is cut, and each exchange ends. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void noOrderOfEventsCutsAnotherRequest(long seed) throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            exchange = new Exchange();
            call = callWith(LONG);
            StringBuilder events = new StringBuilder("seed " + seed + ", round " + round + ":");
            int unread = 0;
            try (Response response = call.execute()) {
                for (int i = random.nextInt(8); i > 0; i--) {
                    int event = random.nextInt(4);
                    if (event == 0 && unread > 0) {
                        response.body().source().skip(1);
                        unread--;
                        events.append(" read");
                    } else if (event == 1) {
                        exchange.ends();
                        events.append(" end");
                    } else if (event == 2) {
                        call.cancel();
                        events.append(" cancel");
                        break;
                    } else if (!exchange.hasEnded) {
                        exchange.comes("ab");
                        unread += 2;
                        events.append(" part");
                    }
                }
                if (random.nextBoolean() && call.isCanceled()) {
                    events.append(" read to the end");
                    try {
                        String ignored = response.body().string();
                    } catch (IOException canceled) {
                        events.append(" failed");
                    }
                }
            }
            if (!exchange.cancelled.isDone()) {
                exchange.ends();
            }

            assertThat(exchange.isOtherRequestCut).as(events.toString()).isFalse();
            assertThat(exchange.done).as(events.toString()).isDone();
        }
    }
}
