// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands for the kubelets of all nodes: starts the bound pods, and reports that they are ready or have ended. */
public final class Kubelets implements AutoCloseable {
    private static final String READY = """
            {"status": {"phase": "Running", "startTime": "%s", "conditions": [{"type": "Ready", "status": "True"},
              {"type": "ContainersReady", "status": "True"}, {"type": "PodScheduled", "status": "True"}]}}""";
    private static final String SUCCEEDED = "{\"status\": {\"phase\": \"Succeeded\"}}";
    private static final String FAILED = "{\"status\": {\"phase\": \"Failed\"}}";
    private static final Duration PERIOD = Duration.ofMillis(50);
    private static final Instant FIRST_START = Instant.parse("2026-01-01T00:00:00Z");

    private final ApiAccess api;
    private final Containers containers;
    private final Set<String> started = new HashSet<>();
    // Each pod starts a second after the one before, so that preemption knows which one came last.
    private final AtomicInteger starts = new AtomicInteger();
    private final ExecutorService running = Executors.newCachedThreadPool();
    private final Thread thread = new Thread(this::run, "kubelets");
    private volatile boolean isClosed;

    /** The containers of a pod. */
    public interface Containers {
        /** They run until the pod is deleted. */
        Containers ENDLESS = pod -> true;

        /** Runs the containers of a pod to the end; returns whether they continue to be reported as running. */
        boolean run(JsonNode pod) throws Exception;
    }

    public Kubelets(ApiAccess api, Containers containers) {
        this.api = api;
        this.containers = containers;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!isClosed) {
            for (JsonNode pod : api.items("/api/v1/pods")) {
                boolean isBound = !pod.at("/spec/nodeName").asText().isEmpty();
                if (isBound && started.add(pod.at("/metadata/uid").asText())) {
                    running.execute(() -> start(pod));
                }
            }
            Waiting.pause(PERIOD);
        }
    }

    private void start(JsonNode pod) {
        String status = "/api/v1/namespaces/" + pod.at("/metadata/namespace").asText() + "/pods/"
                + pod.at("/metadata/name").asText() + "/status";
        patch(status, READY.formatted(FIRST_START.plusSeconds(starts.getAndIncrement())));
        try {
            if (!containers.run(pod)) {
                patch(status, SUCCEEDED);
            }
        } catch (Exception e) {
            e.printStackTrace();
            patch(status, FAILED);
        }
    }

    // The pod may be gone by then.
    private void patch(String path, String json) {
        boolean ignored = api.tryPatch(path, json);
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            thread.join();
            running.shutdown();
            boolean ignored = running.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
