// SPDX-License-Identifier: Apache-2.0
package org.moorage.fabric8;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.Okio;
import org.moorage.kubernetes.ApiClient;

/**
 * Sends requests through a program's fabric8 client: to its server, with its HTTP client, certificates, proxies,
 * credentials and impersonation. fabric8's retries are disabled, so that a bind whose response was lost is not mistaken
 * for a rejected one.
 */
public final class Fabric8Requests implements Interceptor {
    private final HttpClient http;

    private Fabric8Requests(HttpClient http) {
        this.http = http;
    }

    /** Returns requests to the client's server. Closing them does not close the client. */
    public static ApiClient through(KubernetesClient client) {
        RequestConfig once = new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
                .withRequestRetryBackoffLimit(0)
                .build();
        HttpClient http = client.getHttpClient().newBuilder().tag(once).build();
        String address = client.getMasterUrl().toString();
        return new ApiClient(
                address.endsWith("/") ? address.substring(0, address.length() - 1) : address,
                new OkHttpClient.Builder()
                        .addInterceptor(new Fabric8Requests(http))
                        .build());
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request request = chain.request();
        StreamedBody body = new StreamedBody(chain);
        CompletableFuture<HttpResponse<AsyncBody>> sent = http.consumeBytes(translated(request), body);
        HttpResponse<AsyncBody> response = answer(sent, chain, body);
        body.begins(response.body());
        Response.Builder answer = new Response.Builder()
                .request(request)
                .protocol(Protocol.HTTP_1_1)
                .code(response.code())
                .message("")
                .body(ResponseBody.create(Okio.buffer(body), MediaType.get("application/json"), -1));
        String retryAfter = response.header("Retry-After");
        if (retryAfter != null) {
            answer.header("Retry-After", retryAfter);
        }
        return answer.build();
    }

    private HttpRequest translated(Request request) throws IOException {
        HttpRequest.Builder builder =
                http.newHttpRequestBuilder().uri(request.url().uri()).forStreaming();
        request.headers().forEach(header -> builder.header(header.getFirst(), header.getSecond()));
        RequestBody body = request.body();
        if (body != null) {
            Buffer text = new Buffer();
            body.writeTo(text);
            builder.method(request.method(), String.valueOf(body.contentType()), text.readUtf8());
        }
        return builder.build();
    }

    private static HttpResponse<AsyncBody> answer(
            CompletableFuture<HttpResponse<AsyncBody>> sent, Chain chain, StreamedBody body) throws IOException {
        boolean isAnswered = false;
        try {
            long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(chain.readTimeoutMillis());
            while (true) {
                try {
                    HttpResponse<AsyncBody> response = sent.get(StreamedBody.POLL_MILLIS, TimeUnit.MILLISECONDS);
                    isAnswered = true;
                    return response;
                } catch (TimeoutException notYet) {
                    StreamedBody.check(chain, limit);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (ExecutionException e) {
            throw StreamedBody.failure(e.getCause());
        } finally {
            if (!isAnswered) {
                // Canceling it would cancel the body of a response that still arrives, possibly after its end.
                CompletableFuture<?> ignored = sent.thenAccept(late -> {
                    body.begins(late.body());
                    body.close();
                });
            }
        }
    }
}
