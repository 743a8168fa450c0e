// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;

/**
 * Evaluates policies compiled to WebAssembly in this process. Policies are independent of each other; they are
 * evaluated in the order of their ids, and the first defined fit document is the result.
 *
 * <p>An instance of a policy serves one thread at a time and has the cluster's objects in its memory, so each policy
 * has only one instance. Scheduling cycles run one at a time anyway; the threads of a preemption take turns.
 */
final class WasmPolicies implements PolicyEngine {
    private static final JsonMapper JSON = new JsonMapper();
    /** Compiling takes up to 250 times the memory of a module, as measured with empty functions. */
    private static final int MOST_MODULE_BYTES =
            (int) Math.max(1 << 20, Math.min(16 << 20, Runtime.getRuntime().maxMemory() / 512));

    private static final int MOST_COMPILING = 4;
    private static final String NO_POD = "{\"pod\":{},\"requested_pod\":{},\"config\":{}}";
    /** The factor of the timeout for an instance's first evaluation, which the JVM has not compiled yet. */
    private static final int COLD_FACTOR = 4;

    private final String path;
    private final Duration timeout;
    private final ClusterData data;
    private final Duration compileLimit;
    private final Map<String, Compiled> policies = new TreeMap<>();
    private final ExecutorService compiling =
            new ThreadPoolExecutor(0, MOST_COMPILING, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task, "opa-policy-compile");
                thread.setDaemon(true);
                return thread;
            });

    /**
     * Creates an engine without policies.
     *
     * @param compileLimit the time limit for compiling a policy and evaluating it once
     */
    WasmPolicies(OpaPolicy.Args args, ClusterData data, Duration compileLimit) {
        path = args.fitPath().substring(1);
        timeout = args.timeout();
        this.data = data;
        this.compileLimit = compileLimit;
    }

    /** A compiled policy, with its instance while that is usable. */
    private static final class Compiled {
        final byte[] sent;
        final byte[] module;
        boolean isComplete;
        boolean isWarm;

        @Nullable
        WasmModule instance;

        /** Set when the policy is activated. */
        ClusterData.@Nullable Reader changes;

        Compiled(byte[] sent, byte[] module, @Nullable WasmModule instance) {
            this.sent = sent;
            this.module = module;
            this.instance = instance;
        }

        ClusterData.Reader changes() {
            return requireNonNull(changes, "changes");
        }

        void close() {
            changes().close();
        }
    }

    @Override
    public synchronized Optional<JsonNode> fit(String input) {
        for (Compiled policy : policies.values()) {
            Optional<JsonNode> fit = fit(policy, input);
            if (fit.isPresent()) {
                return fit;
            }
        }
        return Optional.empty();
    }

    private Optional<JsonNode> fit(Compiled policy, String input) {
        WasmModule instance = policy.instance;
        if (instance == null) {
            instance = WasmModule.of(policy.module, path);
            policy.instance = instance;
            policy.isComplete = false;
            policy.isWarm = false;
        }
        Duration limit = policy.isWarm ? timeout : timeout.multipliedBy(COLD_FACTOR);
        Deadline deadline = new Deadline(Thread.currentThread());
        boolean isDone = false;
        try {
            update(instance, policy);
            // Uses the system clock: simulated time does not advance during an evaluation.
            CompletableFuture.delayedExecutor(limit.toNanos(), TimeUnit.NANOSECONDS)
                    .execute(deadline::pass);
            Optional<JsonNode> fit = instance.evaluate(input);
            isDone = true;
            policy.isWarm = true;
            return fit;
        } catch (PolicyException failed) {
            throw failed;
        } catch (RuntimeException | StackOverflowError failed) {
            throw new PolicyException(
                    deadline.hasPassed()
                            ? "the policy is not evaluated within " + limit.toMillis() + "ms"
                            : "the policy cannot be evaluated: " + failed.getMessage(),
                    failed);
        } finally {
            deadline.end();
            if (!isDone) {
                // The state of its memory is unknown.
                policy.instance = null;
            }
        }
    }

    private static void update(WasmModule instance, Compiled policy) {
        if (!policy.isComplete) {
            policy.changes().all().forEach((resource, table) -> {
                instance.clear(resource);
                table.forEach((uid, object) -> instance.put(resource, uid, ObjectText.of(object)));
            });
            policy.isComplete = true;
            return;
        }
        for (var changed : policy.changes().changes().entrySet()) {
            for (Map.Entry<String, Optional<ClusterObject>> entry :
                    changed.getValue().entrySet()) {
                Optional<ClusterObject> object = entry.getValue();
                if (object.isPresent()) {
                    instance.put(changed.getKey(), entry.getKey(), ObjectText.of(object.get()));
                } else {
                    instance.remove(changed.getKey(), entry.getKey());
                }
            }
        }
    }

    /** Interrupts a thread after the time limit, which ends an evaluation; never interrupts it after the evaluation. */
    private static final class Deadline {
        private final Thread thread;
        private boolean isOver;
        private boolean hasPassed;

        Deadline(Thread thread) {
            this.thread = thread;
        }

        synchronized void pass() {
            if (!isOver) {
                hasPassed = true;
                thread.interrupt();
            }
        }

        synchronized boolean hasPassed() {
            return hasPassed;
        }

        synchronized void end() {
            isOver = true;
            if (hasPassed) {
                // The interrupt was meant for the evaluation.
                Thread.interrupted();
            }
        }
    }

    @Override
    public Supplier<PolicyResponse> prepare(String id, byte[] policy) {
        Compiled compiled;
        try {
            compiled = checked(policy);
        } catch (PolicyException refused) {
            PolicyResponse reply = PolicyResponse.error(400, "invalid_parameter", String.valueOf(refused.getMessage()));
            return () -> reply;
        }
        return () -> put(id, compiled);
    }

    private synchronized PolicyResponse put(String id, Compiled policy) {
        policy.changes = data.reader();
        Compiled before = policies.put(id, policy);
        if (before != null) {
            before.close();
        }
        return PolicyResponse.json(200, JSON.createObjectNode());
    }

    // Compiles on a thread that the caller can abandon, because the compiler ignores interrupts.
    private Compiled checked(byte[] policy) {
        Future<Compiled> compiled;
        try {
            compiled = compiling.submit(() -> compile(policy));
        } catch (RejectedExecutionException busy) {
            throw new PolicyException(MOST_COMPILING + " other policies are being compiled (expected: fewer)", busy);
        }
        try {
            return compiled.get(compileLimit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new PolicyException(
                    "the policy is not compiled and evaluated within " + compileLimit.toMillis() + "ms", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PolicyException("interrupted while the policy was compiled", interrupted);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof PolicyException refused) {
                throw refused;
            }
            throw new PolicyException("not a compiled policy: " + failed.getCause(), failed.getCause());
        } finally {
            compiled.cancel(true);
        }
    }

    private Compiled compile(byte[] policy) {
        byte[] module = module(policy);
        if (module.length > MOST_MODULE_BYTES) {
            throw new PolicyException(
                    "a module of " + module.length + " bytes (expected: at most " + MOST_MODULE_BYTES + ")");
        }
        WasmModule instance = WasmModule.of(module, path);
        try {
            Optional<JsonNode> ignored = instance.evaluate(NO_POD);
        } catch (RuntimeException | StackOverflowError failed) {
            // The evaluation may fail without a pod and a cluster, but it must end.
            instance = null;
        }
        return new Compiled(policy, module, instance);
    }

    private byte[] module(byte[] policy) {
        if (startsWith(policy, 0x00, 'a', 's', 'm')) {
            return policy;
        }
        if (startsWith(policy, 0x1f, 0x8b)) {
            return Bundle.module(policy, MOST_MODULE_BYTES);
        }
        throw new PolicyException(
                "neither a WebAssembly module nor a bundle; with mode: wasm, Rego is compiled before it is pushed:"
                        + " opa build -t wasm -e " + path + " policy.rego, then push bundle.tar.gz");
    }

    private static boolean startsWith(byte[] bytes, int... first) {
        if (bytes.length < first.length) {
            return false;
        }
        for (int i = 0; i < first.length; i++) {
            if ((bytes[i] & 0xff) != first[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public synchronized PolicyResponse delete(String id) {
        Compiled removed = policies.remove(id);
        if (removed == null) {
            return notFound(id);
        }
        removed.close();
        return PolicyResponse.json(200, JSON.createObjectNode());
    }

    @Override
    public synchronized PolicyResponse get(String id) {
        if (!id.isEmpty()) {
            Compiled policy = policies.get(id);
            return policy == null ? notFound(id) : new PolicyResponse(200, "application/octet-stream", policy.sent);
        }
        ObjectNode all = JSON.createObjectNode();
        ArrayNode list = all.putArray("result");
        policies.forEach((name, policy) -> list.addObject().put("id", name).put("bytes", policy.sent.length));
        return PolicyResponse.json(200, all);
    }

    private static PolicyResponse notFound(String id) {
        return PolicyResponse.error(404, "resource_not_found", "storage_not_found_error: policy id " + id);
    }

    @Override
    public boolean isPolicyFile(String name) {
        return name.endsWith(".wasm") || name.endsWith(".tar.gz");
    }

    @Override
    public byte[] shipped() {
        try (InputStream in = WasmPolicies.class.getResourceAsStream("policy.wasm")) {
            return in == null ? new byte[0] : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void keepUp() {}

    @Override
    public void close() {
        compiling.shutdownNow();
    }
}
