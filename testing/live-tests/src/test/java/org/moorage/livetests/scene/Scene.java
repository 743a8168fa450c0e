// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.scene;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.moorage.testkit.Ports;

/** A control plane, access to its API, and the programs that a test starts, which all end with the scene. */
public final class Scene implements AutoCloseable {
    private final ControlPlane plane;
    private final ApiAccess api;
    private final Ports ports = new Ports();
    private final List<RunningProgram> programs = new ArrayList<>();
    private int schedulers;

    private Scene(ControlPlane plane) {
        this.plane = plane;
        api = new ApiAccess(plane.kubeconfig());
    }

    /** A scene whose control plane is etcd and an API server. */
    public static Scene open() {
        return open(Map.of());
    }

    /** A scene whose control plane has the controllers, too. */
    public static Scene withControllers() {
        return open(Map.of("CONTROLLERS", "1"));
    }

    /**
     * A scene with another control plane.
     *
     * @param settings of {@code up.sh}: for example {@code APISERVER_ARGS} to further flags
     */
    public static Scene open(Map<String, String> settings) {
        return open(settings, Map.of());
    }

    /**
     * As {@link #open(Map)}, with files in the folder where the control plane runs.
     *
     * @param files their texts by their names
     */
    public static Scene open(Map<String, String> settings, Map<String, String> files) {
        return new Scene(ControlPlane.start(settings, files));
    }

    /**
     * The seed of random tests: that of the system property {@code seed}, which may be {@code random}, or a fixed one.
     *
     * @param test to print it with
     */
    public static long seed(String test) {
        String text = System.getProperty("seed", "1");
        long seed = text.equals("random") ? ThreadLocalRandom.current().nextInt(1_000_000) : Long.parseLong(text);
        System.out.println(test + ": seed " + seed);
        return seed;
    }

    public ControlPlane plane() {
        return plane;
    }

    public ApiAccess api() {
        return api;
    }

    /** A port on loopback that no other program gets while the scene is open. */
    public int port() {
        return ports.next();
    }

    /** Writes a file into the scene's folder. */
    public Path write(String name, String text) {
        try {
            return Files.writeString(plane.folder().resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of a file next to a test. */
    public static String resource(Class<?> test, String name) {
        try (var stream = test.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The administrator's kubeconfig with a change. */
    public Path kubeconfig(String name, UnaryOperator<String> change) {
        try {
            return write("kubeconfig-" + name, change.apply(Files.readString(plane.kubeconfig())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The administrator's kubeconfig with another port, which leads through a proxy. */
    public Path kubeconfigThrough(int port) {
        return kubeconfig(
                "through-" + port, text -> text.replace(":" + api.server().getPort(), ":" + port));
    }

    /** A proxy in front of the API server, which the caller closes. */
    public AnsweringProxy answeringProxy() {
        return new AnsweringProxy(api.server(), plane.folder().resolve("certs"));
    }

    /** Creates objects from YAML or JSON. */
    public void create(String manifests) {
        api.create(manifests);
    }

    /**
     * Builds a program of {@code testing/conformance/cluster} that is not part of a control plane, and returns its
     * path.
     */
    public Path build(String name) {
        return ControlPlane.build(plane.folder(), name).resolve(name);
    }

    /**
     * Starts a program.
     *
     * @param name of its log
     */
    public RunningProgram start(String name, List<String> command) {
        RunningProgram program =
                RunningProgram.start(plane.folder().resolve("log").resolve(name + ".log"), command);
        programs.add(program);
        return program;
    }

    /** Starts the application. */
    public RunningProgram moorage(String name, String... arguments) {
        return start(name, Moorage.command(arguments));
    }

    /** A scheduler to start: without leader election, unless it gets another configuration. */
    public SchedulerProcess.Command scheduler(SchedulerProcess.Kind kind) {
        return new SchedulerProcess.Command(this, kind, "scheduler-" + schedulers++);
    }

    /** Waits until a state is as awaited, and returns it. */
    public <T> T await(String what, Supplier<T> look, Predicate<? super T> condition) {
        return Waiting.await(what, look, condition, plane::folder);
    }

    public void await(String what, BooleanSupplier condition) {
        boolean ignored = await(what, condition::getAsBoolean, holds -> holds);
    }

    public JsonNode pod(String name) {
        return api.get(ApiAccess.PODS + "/" + name);
    }

    /** Waits until a pod is on a node, and returns the node's name. */
    public String awaitNode(String pod) {
        return PodVersions.nodeName(await(
                "pod " + pod + " has a node",
                () -> pod(pod),
                seen -> !PodVersions.nodeName(seen).isEmpty()));
    }

    /** Kills all programs. */
    @Override
    public void close() {
        programs.forEach(RunningProgram::close);
        ports.close();
        plane.close();
    }
}
