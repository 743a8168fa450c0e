// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.datapoints.GaugeDataPoint;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.moorage.kubernetes.RequestMetrics;

/**
 * The metrics of requests to API servers in a registry, each with the name, help, labels and buckets of
 * kube-scheduler's client.
 */
public final class ApiServerMetrics implements RequestMetrics {
    private static final double NANOS = 1e9;
    private static final double[] SECONDS = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
    private static final double[] BYTES = {
        64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216
    };

    private final LabeledSeries<CounterDataPoint> requests;
    private final LabeledSeries<CounterDataPoint> retries;
    private final LabeledSeries<DistributionDataPoint> durations;
    private final LabeledSeries<DistributionDataPoint> rateLimiter;
    private final LabeledSeries<DistributionDataPoint> sentBytes;
    private final LabeledSeries<DistributionDataPoint> receivedBytes;
    private final LabeledSeries<CounterDataPoint> podCalls;
    private final LabeledSeries<DistributionDataPoint> podCallDurations;
    private final LabeledSeries<GaugeDataPoint> pendingPodCalls;
    private final LabeledSeries<CounterDataPoint> claimCreations;

    /**
     * Metrics without values.
     *
     * @param registry where they are found
     */
    public ApiServerMetrics(PrometheusRegistry registry) {
        Families families = new Families(registry);
        requests = families.counters(
                "rest_client_requests_total",
                "[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.",
                "code",
                "method",
                "host");
        retries = families.counters(
                "rest_client_request_retries_total",
                "[ALPHA] Number of request retries, partitioned by status code, verb, and host.",
                "code",
                "verb",
                "host");
        durations = families.histograms(
                "rest_client_request_duration_seconds",
                "[ALPHA] Request latency in seconds. Broken down by verb, and host.",
                SECONDS,
                "verb",
                "host");
        rateLimiter = families.histograms(
                "rest_client_rate_limiter_duration_seconds",
                "[ALPHA] Client side rate limiter latency in seconds. Broken down by verb, and host.",
                SECONDS,
                "verb",
                "host");
        sentBytes = families.histograms(
                "rest_client_request_size_bytes",
                "[ALPHA] Request size in bytes. Broken down by verb and host.",
                BYTES,
                "verb",
                "host");
        receivedBytes = families.histograms(
                "rest_client_response_size_bytes",
                "[ALPHA] Response size in bytes. Broken down by verb and host.",
                BYTES,
                "verb",
                "host");
        podCalls = families.counters(
                "scheduler_async_api_call_execution_total",
                "[ALPHA] Total number of API calls executed by the async dispatcher.",
                "call_type",
                "result");
        podCallDurations = families.histograms(
                "scheduler_async_api_call_execution_duration_seconds",
                "[ALPHA] Duration in seconds for executing API call in the async dispatcher.",
                Families.exponential(0.001, 2, 15),
                "call_type",
                "result");
        pendingPodCalls = families.gauges(
                "scheduler_pending_async_api_calls",
                "[ALPHA] Number of API calls currently pending in the async queue.",
                "call_type");
        claimCreations = families.counters(
                "dynamic_resource_allocation_resourceclaim_creates_total",
                "[ALPHA] Number of ResourceClaims creation requests, categorized by creation status, admin access, and owning"
                        + " API group and kind (either Pod or scheduling.k8s.io/PodGroup)",
                "admin_access",
                "owner_api_group",
                "owner_api_kind",
                "status");
    }

    @Override
    public void rateLimited(String method, String host, long nanos) {
        rateLimiter.of(method, host).observe(nanos / NANOS);
    }

    @Override
    public void answered(String method, String host, String code, boolean isRetry) {
        requests.of(code, method, host).inc();
        if (isRetry) {
            retries.of(code, method, host).inc();
        }
    }

    @Override
    public void sent(String method, String host, long bytes) {
        sentBytes.of(method, host).observe((double) bytes);
    }

    @Override
    public void received(String method, String host, long bytes) {
        receivedBytes.of(method, host).observe((double) bytes);
    }

    @Override
    public void ended(String method, String host, long nanos) {
        durations.of(method, host).observe(nanos / NANOS);
    }

    @Override
    public void podCallStarted(String type) {
        pendingPodCalls.of(type).inc();
    }

    @Override
    public void podCallEnded(String type, boolean isSuccess, long nanos) {
        String result = isSuccess ? "success" : "error";
        pendingPodCalls.of(type).dec();
        podCalls.of(type, result).inc();
        podCallDurations.of(type, result).observe(nanos / NANOS);
    }

    @Override
    public void claimCreated(boolean isSuccess) {
        claimCreations.of("false", "", "Pod", isSuccess ? "success" : "failure").inc();
    }
}
