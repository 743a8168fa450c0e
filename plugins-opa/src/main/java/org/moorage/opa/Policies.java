// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.moorage.api.StateKey;
import org.moorage.api.model.ObjectKind;
import org.moorage.api.plugin.Handle;
import org.moorage.api.plugin.PluginLogger;

/**
 * The policies of a scheduler: from files, from the folder of persisted pushed policies, and from clients that push
 * them. Profiles with equal arguments share them.
 *
 * <p>Files are polled every two seconds, because a ConfigMap update replaces a symbolic link to a folder. Safe for use
 * by several threads.
 */
final class Policies implements AutoCloseable {
    /** The value in {@code policies} for the policy that comes with the plugin. */
    static final String SHIPPED = "shipped";

    private static final StateKey<Map<OpaPolicy.Args, Policies>> ALL = StateKey.of("OpaPolicy/policies");
    private static final Duration LOOK = Duration.ofSeconds(2);
    // Compiling takes some seconds on a machine with a busy processor.
    private static final Duration COMPILE_LIMIT = Duration.ofSeconds(30);
    private static final String SHIPPED_ID = "policy";

    private final OpaPolicy.Args args;
    private final Handle handle;
    private final PluginLogger logger;
    private final ClusterData data;
    private final PolicyMetrics metrics = new PolicyMetrics();
    private final PolicyEngine engine;
    private final @Nullable PolicyPort port;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean isClosed;

    private final Map<String, byte[]> pushed = new TreeMap<>();
    /** The digests of the active policies, by id. */
    private final Map<String, String> inForce = new HashMap<>();
    /** The digests of rejected policies, by id, so that each is rejected only once. */
    private final Map<String, String> refused = new HashMap<>();

    private Policies(OpaPolicy.Args args, Handle handle) {
        this.args = args;
        this.handle = handle;
        logger = handle.logger();
        List<ObjectKind<?>> kinds = new ArrayList<>();
        for (String resource : args.resources()) {
            kinds.add(OpaPolicy.kind(resource).orElseThrow());
        }
        data = new ClusterData(kinds, handle);
        if (!args.policyDir().isEmpty()) {
            readPushed(Path.of(args.policyDir()));
        }
        if (args.mode() == OpaPolicy.Mode.server) {
            String session = Long.toHexString(handle.random().nextLong()) + "-"
                    + handle.clock().millis();
            engine = new OpaServer(args, data, session, this::applyAll, metrics, logger);
        } else {
            engine = new WasmPolicies(args, data, COMPILE_LIMIT);
            // An invalid policy is an error in the configuration.
            List<String> faults = apply(read(true));
            if (!faults.isEmpty()) {
                throw new IllegalArgumentException(String.join("; ", faults));
            }
        }
        port = args.policyServer().isPresent()
                ? PolicyPort.open(args.policyServer().get(), this, handle)
                : null;
        boolean isFixed =
                args.mode() == OpaPolicy.Mode.wasm && args.policies().stream().allMatch(SHIPPED::equals);
        if (!isFixed) {
            handle.tasks().backgroundAfter(LOOK, this::lookAgain);
        }
    }

    /** Returns the policies for these arguments, which the first call creates. */
    static Policies of(OpaPolicy.Args args, Handle handle) {
        Map<OpaPolicy.Args, Policies> all = handle.shared(ALL, HashMap::new);
        synchronized (all) {
            return all.computeIfAbsent(args, any -> new Policies(args, handle));
        }
    }

    ClusterData data() {
        return data;
    }

    PolicyMetrics metrics() {
        return metrics;
    }

    /** Registers a callback that runs when the active policies have changed. */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Returns the fit document for an input; empty if it is undefined.
     *
     * @throws PolicyException if it cannot be evaluated
     */
    Optional<JsonNode> fit(String input) {
        return engine.fit(input);
    }

    private void lookAgain() {
        if (isClosed) {
            return;
        }
        try {
            engine.keepUp();
            apply(read(false)).forEach(fault -> logger.warn("Policy is not in force", "fault", fault));
        } catch (PolicyException notNow) {
            logger.debug("OPA cannot be given policies now", "err", notNow.getMessage());
        } finally {
            handle.tasks().backgroundAfter(LOOK, this::lookAgain);
        }
    }

    // Sends all policies again to an OPA that has lost them.
    private void applyAll() {
        synchronized (this) {
            inForce.clear();
            refused.clear();
        }
        apply(read(false)).forEach(fault -> logger.warn("Policy is not in force", "fault", fault));
    }

    /**
     * Returns the policies that should be active: the content by id, empty for a file that cannot be read at the
     * moment.
     */
    private synchronized Map<String, Optional<byte[]>> read(boolean isDemanded) {
        Map<String, Optional<byte[]>> wanted = new TreeMap<>();
        for (String source : args.policies()) {
            if (source.equals(SHIPPED)) {
                wanted.put(SHIPPED_ID, Optional.of(engine.shipped()));
            } else {
                for (Path file : files(Path.of(source))) {
                    wanted.put(file.getFileName().toString(), content(file, isDemanded));
                }
            }
        }
        pushed.forEach((id, policy) -> wanted.put(id, Optional.of(policy)));
        return wanted;
    }

    private List<Path> files(Path source) {
        if (!Files.isDirectory(source)) {
            return List.of(source);
        }
        try (Stream<Path> all = Files.list(source)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> engine.isPolicyFile(file.getFileName().toString()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new PolicyException(source + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    private static Optional<byte[]> content(Path file, boolean isDemanded) {
        try {
            return Optional.of(Files.readAllBytes(file));
        } catch (IOException e) {
            if (isDemanded) {
                throw new IllegalArgumentException("policies: " + file + ": cannot be read: " + e, e);
            }
            return Optional.empty();
        }
    }

    /**
     * Activates new and changed policies, and removes deleted ones. Returns the error of each newly rejected policy.
     */
    private List<String> apply(Map<String, Optional<byte[]>> wanted) {
        Map<String, String> faults = new TreeMap<>();
        boolean isChanged = false;
        boolean isProgress = true;
        // Policies may import each other, so a policy may be rejected until another one is active.
        while (isProgress) {
            isProgress = false;
            for (Map.Entry<String, Optional<byte[]>> entry : wanted.entrySet()) {
                String id = entry.getKey();
                byte[] policy = entry.getValue().orElse(null);
                if (policy == null) {
                    continue;
                }
                String digest = digest(policy);
                if (!isDue(id, digest, isChanged)) {
                    continue;
                }
                if (apply(id, policy, digest, engine.prepare(id, policy), faults)) {
                    isProgress = true;
                    isChanged = true;
                }
            }
        }
        if (removeOthers(wanted) || isChanged) {
            listeners.forEach(Runnable::run);
        }
        return List.copyOf(faults.values());
    }

    private synchronized boolean isDue(String id, String digest, boolean isChanged) {
        return !digest.equals(inForce.get(id)) && (!digest.equals(refused.get(id)) || isChanged);
    }

    private synchronized boolean apply(
            String id, byte[] policy, String digest, Supplier<PolicyResponse> put, Map<String, String> faults) {
        byte[] latest = pushed.get(id);
        if (latest != null && !Arrays.equals(latest, policy)) {
            // A client pushed another policy with this id while this one was compiled.
            return false;
        }
        PolicyResponse reply = put.get();
        boolean isNews = !digest.equals(refused.put(id, digest));
        if (reply.isSuccess()) {
            refused.remove(id);
            faults.remove(id);
            inForce.put(id, digest);
            metrics.pushed("accepted");
            logger.info("Policy is in force", "policy", id);
        } else if (isNews) {
            metrics.pushed("refused");
            faults.put(
                    id,
                    "policy " + id + " is refused, what was in force remains: " + OpaServer.messageOf(reply.text()));
        }
        return reply.isSuccess();
    }

    private synchronized boolean removeOthers(Map<String, Optional<byte[]>> wanted) {
        boolean isChanged = false;
        for (String id : List.copyOf(inForce.keySet())) {
            if (!wanted.containsKey(id) && !pushed.containsKey(id)) {
                engine.delete(id);
                inForce.remove(id);
                isChanged = true;
            }
        }
        return isChanged;
    }

    private static String digest(byte[] policy) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(policy));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Activates a pushed policy and persists it. */
    PolicyResponse push(String id, byte[] policy) {
        return push(id, policy, engine.prepare(id, policy));
    }

    private synchronized PolicyResponse push(String id, byte[] policy, Supplier<PolicyResponse> put) {
        PolicyResponse reply = put.get();
        metrics.pushed(reply.isSuccess() ? "accepted" : "refused");
        if (reply.isSuccess()) {
            pushed.put(id, policy);
            inForce.put(id, digest(policy));
            refused.remove(id);
            keep(id, policy);
            logger.info("Policy is in force", "policy", id);
            listeners.forEach(Runnable::run);
        }
        return reply;
    }

    /** Deactivates a policy. A policy from a file is activated again when the file changes. */
    synchronized PolicyResponse delete(String id) {
        PolicyResponse reply = engine.delete(id);
        if (reply.isSuccess()) {
            pushed.remove(id);
            // A policy from a file stays inactive until the file changes.
            String digest = inForce.remove(id);
            if (digest != null) {
                refused.put(id, digest);
            }
            if (!args.policyDir().isEmpty()) {
                delete(Path.of(args.policyDir()).resolve(fileName(id)));
            }
            logger.info("Policy is deleted", "policy", id);
            listeners.forEach(Runnable::run);
        }
        return reply;
    }

    PolicyResponse get(String id) {
        return engine.get(id);
    }

    private static String fileName(String id) {
        String name = URLEncoder.encode(id, StandardCharsets.UTF_8);
        return name.startsWith(".") ? "%2E" + name.substring(1) : name;
    }

    private void readPushed(Path folder) {
        try {
            Files.createDirectories(folder);
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    String name = file.getFileName().toString();
                    if (!name.startsWith(".")) {
                        pushed.put(URLDecoder.decode(name, StandardCharsets.UTF_8), Files.readAllBytes(file));
                    }
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("policyDir: " + folder + ": cannot be used: " + e, e);
        }
    }

    private void keep(String id, byte[] policy) {
        if (args.policyDir().isEmpty()) {
            return;
        }
        Path file = Path.of(args.policyDir()).resolve(fileName(id));
        try {
            Path written = Files.write(file.resolveSibling(".new"), policy);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            logger.warn("Policy is in force, but cannot be kept", "policy", id, "err", e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        if (port != null) {
            port.close();
        }
        engine.close();
    }
}
