// SPDX-License-Identifier: Apache-2.0
package org.moorage.kubernetes;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import okhttp3.Request;
import okhttp3.Response;

/** Records the metrics of one request with all its tries. For use by one thread at a time. */
final class MeasuredRequest {
    private static final String NO_ANSWER = "<error>";

    private final RequestMetrics metrics;
    private final String method;
    private final String host;
    private final boolean isWatch;
    private final long sentBytes;
    private final long start = System.nanoTime();
    private int tries;
    private long receivedBytes;

    /**
     * Creates a request that starts now.
     *
     * @param sentBytes the size of its body
     */
    MeasuredRequest(RequestMetrics metrics, Request request, long sentBytes) {
        this.metrics = metrics;
        this.sentBytes = sentBytes;
        method = request.method();
        host = request.url().host() + ":" + request.url().port();
        isWatch = request.url().queryParameter("watch") != null;
    }

    /** Records how long the request waited for the rate limit and a permit. */
    void waited(long nanos) {
        if (!isWatch) {
            metrics.rateLimited(method, host, nanos);
        }
    }

    void answered(Response response) {
        triedWith(String.valueOf(response.code()));
    }

    void unanswered() {
        triedWith(NO_ANSWER);
    }

    private void triedWith(String code) {
        metrics.answered(method, host, code, ++tries > 1);
        if (!isWatch) {
            metrics.sent(method, host, sentBytes);
        }
    }

    /** Returns the body with its bytes counted. */
    InputStream counted(InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public int read() throws IOException {
                int read = in.read();
                receivedBytes += read < 0 ? 0 : 1;
                return read;
            }

            @Override
            public int read(byte[] buffer, int from, int length) throws IOException {
                int read = in.read(buffer, from, length);
                receivedBytes += Math.max(0, read);
                return read;
            }
        };
    }

    /** Records the end of the request, after the caller has read what it needs of the response. */
    void ended(Response response) {
        if (!isWatch) {
            // An unread body counts as received if its length is declared.
            metrics.received(
                    method, host, Math.max(receivedBytes, response.body().contentLength()));
        }
        endedWithoutAnswer();
    }

    void endedWithoutAnswer() {
        if (!isWatch) {
            metrics.ended(method, host, System.nanoTime() - start);
        }
    }
}
