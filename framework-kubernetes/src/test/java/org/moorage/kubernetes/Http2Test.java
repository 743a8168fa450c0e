// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.SocketEffect;
import okhttp3.Protocol;
import okhttp3.internal.http2.ErrorCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectMeta;
import org.moorage.api.model.Pod;
import org.moorage.api.model.PodSpec;
import org.moorage.api.plugin.cluster.ClusterException;
import org.moorage.api.plugin.cluster.ClusterException.Outcome;

/** Bindings over HTTP/2, where the server may turn away single requests. */
class Http2Test {
    private static final MockResponse BOUND =
            new MockResponse.Builder().code(201).body("{}").build();
    private static final Pod WEB = Pod.of(
            ObjectMeta.named("web").namespace("default").build(),
            PodSpec.builder().build());

    private final MockWebServer server = new MockWebServer();
    private KubernetesCluster cluster;

    @BeforeEach
    void start() throws IOException {
        server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
        server.start();
        ApiClient client = new ApiConnection(
                        Optional.empty(), Optional.of(server.url("/").toString()))
                .open()
                .with(http -> http.protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)));
        cluster = new KubernetesCluster(
                client, ClusterSettings.on("host-1"), InstantSource.system(), new Random(1), Thread::new);
    }

    @AfterEach
    void stop() {
        cluster.close();
        server.close();
    }

    private static MockResponse reset(ErrorCode code) {
        return new MockResponse.Builder()
                .onRequestStart(new SocketEffect.CloseStream(code.getHttpCode()))
                .build();
    }

    @Test
    void thatWereRefusedBeforeTheServerLookedAtThemAreSentAgain() {
        server.enqueue(reset(ErrorCode.REFUSED_STREAM));
        server.enqueue(reset(ErrorCode.REFUSED_STREAM));
        server.enqueue(BOUND);

        cluster.bind(WEB, "n");

        assertThat(server.getRequestCount()).isEqualTo(3);
    }

    static final List<ErrorCode> OTHERS = List.of(ErrorCode.INTERNAL_ERROR, ErrorCode.CANCEL);

    @ParameterizedTest
    @FieldSource("OTHERS")
    void thatBrokeOffAreNot(ErrorCode code) {
        server.enqueue(reset(code));
        server.enqueue(BOUND);

        assertThatThrownBy(() -> cluster.bind(WEB, "n"))
                .isInstanceOfSatisfying(
                        ClusterException.class,
                        failure -> assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN));
        // The count of a request that broke off may come later than the failure, but no second request does.
        assertThat(server.getRequestCount()).isLessThanOrEqualTo(1);
    }
}
