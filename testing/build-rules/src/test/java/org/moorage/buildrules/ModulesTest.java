// SPDX-License-Identifier: Apache-2.0
package org.moorage.buildrules;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The libraries as modules: they export their public API, and a program and its plugin use them from a module. */
@Tag("any-jvm")
class ModulesTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", "."), "..", "..");
    private static final List<String> MODULES = List.of(
            "support/tls",
            "framework-api",
            "framework-objects",
            "framework-config",
            "framework-runtime",
            "framework-simulation",
            "framework-testkit",
            "plugins-builtin");
    private static final String PROGRAM = "com.example.gold";
    /** Libraries that the modules require. */
    private static final Pattern LIBRARY = Pattern.compile(
            "(failureaccess|guava|jackson-(annotations|core|databind|dataformat-yaml)|jspecify|slf4j-api|snakeyaml)-.*\\.jar");

    private static final Map<String, String> SOURCES = Map.of(
            "module-info.java",
            """
            module com.example.gold {
                requires org.moorage.builtin;
                requires org.moorage.testkit;

                exports com.example.gold;

                opens com.example.gold.plugin to
                        org.moorage.config,
                        org.moorage.testkit;

                provides org.moorage.api.plugin.PluginFactory with
                        com.example.gold.plugin.GoldNodes.Factory;
            }
            """,
            "com/example/gold/plugin/GoldNodes.java",
            """
            package com.example.gold.plugin;

            import java.util.List;
            import java.util.Set;
            import org.moorage.api.CycleState;
            import org.moorage.api.NodeInfo;
            import org.moorage.api.Status;
            import org.moorage.api.event.ActionType;
            import org.moorage.api.event.EventRegistration;
            import org.moorage.api.model.ObjectKind;
            import org.moorage.api.model.Pod;
            import org.moorage.api.plugin.point.EnqueueExtensions;
            import org.moorage.api.plugin.point.FilterPlugin;
            import org.moorage.api.plugin.Handle;
            import org.moorage.api.plugin.Plugin;
            import org.moorage.api.plugin.PluginArgs;
            import org.moorage.api.plugin.PluginFactory;

            public record GoldNodes(Args args) implements FilterPlugin, EnqueueExtensions {
                public record Args(String label) implements PluginArgs {
                    public static final Args DEFAULTS = new Args("gold");
                }

                @Override
                public String name() {
                    return "GoldNodes";
                }

                @Override
                public Status filter(CycleState state, Pod pod, NodeInfo node) {
                    return node.node().labels().containsKey(args.label)
                            ? Status.success()
                            : Status.unresolvable("node(s) were not " + args.label);
                }

                @Override
                public List<EventRegistration> eventsToRegister() {
                    return List.of(EventRegistration.always(
                            ObjectKind.NODE, Set.of(ActionType.ADD, ActionType.UPDATE_NODE_LABEL)));
                }

                public static final class Factory implements PluginFactory<Args> {
                    @Override
                    public String name() {
                        return "GoldNodes";
                    }

                    @Override
                    public Class<Args> argsType() {
                        return Args.class;
                    }

                    @Override
                    public Plugin create(Args args, Handle handle) {
                        return new GoldNodes(args);
                    }
                }
            }
            """,
            "com/example/gold/Program.java",
            """
            package com.example.gold;

            import com.example.gold.plugin.GoldNodes;
            import java.util.List;
            import org.moorage.api.model.Node;
            import org.moorage.api.model.Pod;
            import org.moorage.builtin.BuiltinPlugins;
            import org.moorage.config.ConfigLoader;
            import org.moorage.config.LoadedConfig;
            import org.moorage.config.plugin.PluginRegistry;
            import org.moorage.runtime.Scheduler;
            import org.moorage.runtime.whatif.WhatIf;
            import org.moorage.simulation.Simulation;
            import org.moorage.testkit.Nodes;
            import org.moorage.testkit.PluginContract;
            import org.moorage.testkit.PluginTester;
            import org.moorage.testkit.Pods;

            public final class Program {
                private static final String CONFIG = ""\"
                        apiVersion: kubescheduler.config.k8s.io/v1
                        kind: KubeSchedulerConfiguration
                        profiles:
                        - plugins: {filter: {enabled: [{name: GoldNodes}]}}
                          pluginConfig:
                          - {name: GoldNodes, args: {label: golden}}
                          - {name: InterPodAffinity, args: {hardPodAffinityWeight: 7}}
                        ""\";

                public static String run() {
                    PluginRegistry plugins = PluginRegistry.of(BuiltinPlugins.all())
                            .withServices(Program.class.getClassLoader());
                    LoadedConfig config = ConfigLoader.load(CONFIG, "config", plugins);
                    Node golden = Nodes.named("golden-1").label("golden", "yes").build();
                    Node grey = Nodes.named("grey-1").build();
                    Pod pod = Pods.named("p").build();
                    PluginContract.verify(new GoldNodes.Factory());
                    PluginTester.of(new GoldNodes.Factory())
                            .cluster(Nodes.named("gold-1").label("gold", "").build())
                            .pod(pod)
                            .accepts("gold-1");
                    List<SimulatedPlace> places = Simulation.of(List.of(golden, grey, pod), config, plugins).run().pods().stream()
                            .map(simulated -> new SimulatedPlace(simulated.pod().name(), simulated.nodeName()))
                            .toList();
                    try (WhatIf cluster = Scheduler.whatIf(List.of(golden, grey), config, plugins)) {
                        return cluster.fits(pod).feasible() + " " + places;
                    }
                }

                private record SimulatedPlace(String pod, String node) {}
            }
            """);

    static List<String> modules() {
        return MODULES;
    }

    @ParameterizedTest
    @MethodSource("modules")
    void exportsThePackagesOfThePublicApi(String folder) throws IOException {
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(ROOT.resolve(folder).resolve("api.txt"))) {
            Matcher type = Pattern.compile("^\\S.*?\\b(org\\.moorage(?:\\.[a-z]\\w*)+)\\.[A-Z]")
                    .matcher(line);
            if (type.find()) {
                listed.add(type.group(1));
            }
        }
        Set<String> exported = new TreeSet<>();
        for (ModuleDescriptor.Exports exports : descriptor(folder).exports()) {
            assertThat(exports.targets())
                    .as("modules that alone see %s", exports.source())
                    .isEmpty();
            exported.add(exports.source());
        }

        assertThat(listed).as("packages in %s/api.txt", folder).isNotEmpty();
        assertThat(exported).isEqualTo(listed);
    }

    @Test
    void serveAProgramAndAPluginInModules(@TempDir Path folder) throws Exception {
        Path[] path = modulePath();
        Path classes = compile(folder, path);
        Configuration configuration = ModuleLayer.boot()
                .configuration()
                .resolveAndBind(ModuleFinder.of(classes), ModuleFinder.of(path), Set.of(PROGRAM));
        ClassLoader loader = ModuleLayer.boot()
                .defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader())
                .findLoader(PROGRAM);

        assertThat(loader.loadClass("org.moorage.runtime.Scheduler").getModule().isNamed())
                .isTrue();
        assertThat(loader.loadClass("com.example.gold.Program").getMethod("run").invoke(null))
                .isEqualTo("[golden-1] [SimulatedPlace[pod=p, node=golden-1]]");
    }

    private static Path compile(Path folder, Path[] path) throws IOException {
        for (Map.Entry<String, String> source : new TreeMap<>(SOURCES).entrySet()) {
            Path file = folder.resolve("sources").resolve(source.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.getValue());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> sources = Files.walk(folder.resolve("sources"))) {
            boolean compiles = compiler.getTask(
                            messages,
                            files,
                            null,
                            List.of(
                                    "--release",
                                    "17",
                                    "--module-path",
                                    Stream.of(path).map(Path::toString).collect(joining(File.pathSeparator)),
                                    "-d",
                                    folder.resolve("classes").toString()),
                            null,
                            files.getJavaFileObjectsFromPaths(
                                    sources.filter(Files::isRegularFile).toList()))
                    .call();
            assertThat(compiles).as(messages.toString()).isTrue();
        }
        return folder.resolve("classes");
    }

    // The modules as they were compiled, and the jars that they require.
    private static Path[] modulePath() {
        return Stream.concat(
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .map(Path::of)
                                .filter(file -> LIBRARY.matcher(
                                                file.getFileName().toString())
                                        .matches()),
                        MODULES.stream().map(module -> ROOT.resolve(module).resolve("target/classes")))
                .toArray(Path[]::new);
    }

    private static ModuleDescriptor descriptor(String folder) throws IOException {
        try (InputStream in = Files.newInputStream(ROOT.resolve(folder).resolve("target/classes/module-info.class"))) {
            return ModuleDescriptor.read(in);
        }
    }
}
