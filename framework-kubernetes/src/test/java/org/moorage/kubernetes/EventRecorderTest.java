// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.cluster.PodEvent;
import org.moorage.testkit.apiserver.FakeApiServer;
import org.moorage.testkit.apiserver.Request;
import org.moorage.testkit.apiserver.Response;

/** Events of several namespaces, some of which the API server does not take. */
@Timeout(60)
class EventRecorderTest {
    private static final String PREFIX = "/apis/events.k8s.io/v1/namespaces/";

    private final FakeApiServer server = FakeApiServer.start();
    private final BlockingQueue<String> posted = new LinkedBlockingQueue<>();
    private final KubernetesCluster cluster = new KubernetesCluster(
            new ApiClient(server.address(), new OkHttpClient()),
            ClusterSettings.on("host-1").withRate(0, 1),
            InstantSource.system(),
            new Random(1),
            Thread::new);

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    private void report(String namespace, int number) {
        cluster.report(event(namespace, number));
    }

    private static PodEvent event(String namespace, int number) {
        Pod pod = Pod.of(
                ObjectMeta.named("pod-" + number)
                        .namespace(namespace)
                        .uid(namespace + "/" + number)
                        .build(),
                PodSpec.builder().build());
        return PodEvent.warning(pod, "FailedScheduling", "Scheduling", "" + number);
    }

    private void take(String namespace) {
        server.on("POST", PREFIX + namespace + "/events", request -> {
            posted.add(namespace + "/" + request.fields().string("note").orElseThrow());
            return Response.status(201, "", "");
        });
    }

    record Case(String name, int namespaces, Function<Request, Response> answer) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            new Case("a namespace with errors", 1, request -> Response.status(500, "InternalError", "oops")),
            new Case(
                    "a namespace that asks to wait",
                    1,
                    request -> Response.status(429, "TooManyRequests", "later").with("Retry-After", "1")),
            new Case("a namespace that never answers", 1, request -> {
                new CompletableFuture<Response>()
                        .orTimeout(20, TimeUnit.SECONDS)
                        .join();
                return Response.status(500, "", "");
            }),
            new Case(
                    "as many namespaces with errors as fill all the room",
                    6,
                    request -> Response.status(500, "InternalError", "oops")));

    @ParameterizedTest
    @FieldSource("CASES")
    void doNotWaitFor(Case c) throws InterruptedException {
        AtomicInteger failed = new AtomicInteger();
        for (int i = 0; i < c.namespaces; i++) {
            server.on("POST", PREFIX + "bad-" + i + "/events", request -> {
                failed.incrementAndGet();
                return c.answer.apply(request);
            });
            for (int number = 0; number < 1000; number++) {
                report("bad-" + i, number);
            }
        }
        take("good");

        for (int number = 0; number < 20; number++) {
            report("good", number);
        }

        for (int number = 0; number < 20; number++) {
            assertThat(posted.take()).isEqualTo("good/" + number);
        }
        assertThat(failed).hasValueLessThan(50 * c.namespaces);
    }

    record Thrown(String name, Throwable thrown) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Thrown> THROWN = List.of(
            new Thrown("an exception", new IllegalArgumentException("Unexpected char 0x0a in header value")),
            new Thrown("an error", new NoClassDefFoundError("org/example/Missing")),
            new Thrown("a failed assertion", new AssertionError("never")));

    @ParameterizedTest
    @FieldSource("THROWN")
    void areSentAfterOneForWhichARequestThrew(Thrown c) throws InterruptedException {
        List<Throwable> told = new CopyOnWriteArrayList<>();
        OkHttpClient http = new OkHttpClient.Builder()
                .addInterceptor(chain -> {
                    if (chain.request().url().encodedPath().contains("/bad")) {
                        throw EventRecorderTest.<RuntimeException>unchecked(c.thrown);
                    }
                    return chain.proceed(chain.request());
                })
                .build();
        try (KubernetesCluster throwing = new KubernetesCluster(
                new ApiClient(server.address(), http),
                ClusterSettings.on("host-1").withRate(0, 1),
                InstantSource.system(),
                new Random(1),
                task -> {
                    Thread thread = new Thread(task);
                    thread.setUncaughtExceptionHandler((ended, thrown) -> told.add(thrown));
                    return thread;
                })) {
            take("good");
            // More than there are threads.
            for (int number = 0; number < 2 * EventRecorder.THREADS; number++) {
                throwing.report(event("bad-" + number, number));
            }
            throwing.report(event("good", 1));

            assertThat(posted.take()).isEqualTo("good/1");
        }
        assertThat(told).allMatch(c.thrown::equals);
        assertThat(told.isEmpty())
                .as("an exception of a call says that it failed")
                .isEqualTo(c.thrown instanceof Exception);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // nothing is cast to it
    private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void areSentBeforeTheClusterIsClosed() {
        take("good");
        for (int number = 0; number < 20; number++) {
            report("good", number);
        }

        cluster.close();

        assertThat(posted).hasSize(20);
    }

    @Test
    void thatCannotBeSentDoNotKeepTheClusterOpen() throws InterruptedException {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<Response> answer = new CompletableFuture<>();
        server.on("POST", PREFIX + "bad/events", request -> {
            asked.complete(null);
            return answer.join();
        });
        report("bad", 1);
        asked.join();

        cluster.close();

        assertThat(answer.complete(Response.status(500, "", ""))).isTrue();
    }
}
