// SPDX-License-Identifier: Apache-2.0
package org.moorage.examples.opa;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.ClusterObject;
import org.moorage.api.plugin.Handle;

/**
 * Policies compiled to WebAssembly, in this process. Each is a whole of its own; they are asked in the order of their ids, and the first
 * whose fit document is defined has its way.
 *
 * <p>An instance of a policy serves one thread at a time, and has the cluster's objects in its memory, so there is one of each policy.
 * Scheduling cycles ask one after the other anyway; the threads of a preemption take turns.
 */
final class WasmPolicies implements PolicyEngine {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int MOST_BYTES = 64 << 20;
    /** How much longer the first evaluation of an instance may take, while the JVM has yet to compile it. */
    private static final int COLD_FACTOR = 4;

    private static final int TAR_BLOCK = 512;
    private static final int TAR_NAME = 100;
    private static final int TAR_SIZE = 124;
    private static final int TAR_SIZE_END = 135;

    private final String path;
    private final Duration timeout;
    private final ClusterData data;
    private final Handle handle;
    private final Map<String, Compiled> policies = new TreeMap<>();

    WasmPolicies(OpaPolicy.Args args, ClusterData data, Handle handle) {
        path = args.fitPath().substring(1);
        timeout = args.timeout();
        this.data = data;
        this.handle = handle;
    }

    /** A compiled policy, with its instance while that is in order. */
    private static final class Compiled {
        final byte[] sent;
        final byte[] module;
        final ClusterData.Reader changes;
        boolean isComplete;
        boolean isWarm;

        @Nullable
        WasmModule instance;

        Compiled(byte[] sent, byte[] module, WasmModule instance, ClusterData.Reader changes) {
            this.sent = sent;
            this.module = module;
            this.instance = instance;
            this.changes = changes;
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
            handle.backgroundAfter(limit, deadline::pass);
            Optional<JsonNode> fit = instance.evaluate(input);
            isDone = true;
            policy.isWarm = true;
            return fit;
        } catch (PolicyException failed) {
            throw failed;
        } catch (RuntimeException failed) {
            throw new PolicyException(
                    deadline.hasPassed()
                            ? "the policy is not evaluated within " + limit.toMillis() + "ms"
                            : "the policy cannot be evaluated: " + failed.getMessage(),
                    failed);
        } finally {
            deadline.end();
            if (!isDone) {
                // Nobody knows what state its memory is in.
                policy.instance = null;
            }
        }
    }

    private static void update(WasmModule instance, Compiled policy) {
        if (!policy.isComplete) {
            policy.changes.all().forEach((resource, table) -> {
                instance.clear(resource);
                table.forEach((uid, object) -> instance.put(resource, uid, ObjectText.of(object)));
            });
            policy.isComplete = true;
            return;
        }
        for (var changed : policy.changes.changes().entrySet()) {
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

    /** Interrupts a thread when time is up, which ends an evaluation; not after it has gone on to other things. */
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
                // The interruption was meant for the evaluation.
                Thread.interrupted();
            }
        }
    }

    @Override
    public Reply put(String id, byte[] policy) {
        byte[] module;
        WasmModule instance;
        try {
            module = module(policy);
            instance = WasmModule.of(module, path);
        } catch (PolicyException refused) {
            return Reply.error(400, "invalid_parameter", refused.getMessage() == null ? "" : refused.getMessage());
        }
        synchronized (this) {
            Compiled before = policies.put(id, new Compiled(policy, module, instance, data.reader()));
            if (before != null) {
                before.changes.close();
            }
        }
        return Reply.json(200, JSON.createObjectNode());
    }

    private byte[] module(byte[] policy) {
        if (startsWith(policy, 0x00, 'a', 's', 'm')) {
            return policy;
        }
        if (startsWith(policy, 0x1f, 0x8b)) {
            return unpacked(policy);
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

    // A bundle is a tar file: for each file a block with its name and its size in octal digits, and
    // its bytes in whole blocks.
    private static byte[] unpacked(byte[] bundle) {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bundle))) {
            byte[] tar = in.readNBytes(MOST_BYTES);
            int at = 0;
            while (at + TAR_BLOCK <= tar.length && tar[at] != 0) {
                String name = new String(tar, at, TAR_NAME, StandardCharsets.UTF_8).split("\0", 2)[0];
                int size = Integer.parseInt(
                        new String(tar, at + TAR_SIZE, TAR_SIZE_END - TAR_SIZE, StandardCharsets.US_ASCII).strip(), 8);
                int begin = at + TAR_BLOCK;
                if (name.endsWith("policy.wasm") && begin + size <= tar.length) {
                    return Arrays.copyOfRange(tar, begin, begin + size);
                }
                at = begin + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
            }
        } catch (IOException | NumberFormatException broken) {
            throw new PolicyException("a bundle that cannot be unpacked: " + broken.getMessage(), broken);
        }
        throw new PolicyException("a bundle without /policy.wasm (expected: one of opa build -t wasm)");
    }

    @Override
    public synchronized Reply delete(String id) {
        Compiled removed = policies.remove(id);
        if (removed == null) {
            return notFound(id);
        }
        removed.changes.close();
        return Reply.json(200, JSON.createObjectNode());
    }

    @Override
    public synchronized Reply get(String id) {
        if (!id.isEmpty()) {
            Compiled policy = policies.get(id);
            return policy == null ? notFound(id) : new Reply(200, "application/octet-stream", policy.sent);
        }
        ObjectNode all = JSON.createObjectNode();
        ArrayNode list = all.putArray("result");
        policies.forEach((name, policy) -> list.addObject().put("id", name).put("bytes", policy.sent.length));
        return Reply.json(200, all);
    }

    private static Reply notFound(String id) {
        return Reply.error(404, "resource_not_found", "storage_not_found_error: policy id " + id);
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
}
