// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import static org.moorage.livetests.scene.SchedulerProcess.Kind.MOORAGE;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.moorage.api.plugin.ApiVersion;
import org.moorage.livetests.scene.SchedulerProcess;

/** {@link FailingPlugin} as its users get a plugin, and pods for which it fails. */
final class PluginJar {
    static final Duration CALL_LIMIT = Duration.ofSeconds(5);

    private PluginJar() {}

    // It binds only where it fails to: DefaultBinder comes after it.
    private static final String CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: false}
            clientConnection: {kubeconfig: "%s", qps: 1000, burst: 1000}
            profiles:
            - schedulerName: default-scheduler
              plugins:
                multiPoint: {enabled: [{name: Failing}]}
                bind:
                  enabled: [{name: Failing}, {name: DefaultBinder}]
                  disabled: [{name: "*"}]
            """;

    /** A scheduler with the plugin in a separate jar, and a time limit for its calls. */
    static SchedulerProcess.Command command(FaultScene scene) {
        Path folder = scene.plane().folder().resolve("plugins");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue(ApiVersion.MANIFEST_ATTRIBUTE, ApiVersion.CURRENT.toString());
        try {
            Files.createDirectories(folder);
            try (OutputStream file = Files.newOutputStream(folder.resolve("failing.jar"));
                    JarOutputStream jar = new JarOutputStream(file, manifest)) {
                for (String name : List.of(
                        "FailingPlugin",
                        "FailingPlugin$Factory",
                        "FailingPlugin$Way",
                        "FailingPlugin$Value",
                        "FailingPlugin$1")) {
                    String path = FailingPlugin.class.getPackageName().replace('.', '/') + "/" + name + ".class";
                    jar.putNextEntry(new JarEntry(path));
                    try (InputStream in = FailingPlugin.class.getResourceAsStream("/" + path)) {
                        if (in != null) {
                            in.transferTo(jar);
                        }
                    }
                }
                jar.putNextEntry(new JarEntry("META-INF/services/org.moorage.api.plugin.PluginFactory"));
                jar.write(FailingPlugin.Factory.class.getName().getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return scene.command(MOORAGE)
                .config(CONFIG)
                .java("-Dfailing.folder=" + folder)
                .flags("--plugin-dir=" + folder, "--plugin-call-timeout=" + CALL_LIMIT.toSeconds() + "s");
    }

    /** A pod for which the plugin fails at an extension point; {@code more} labels begin with a comma. */
    static String pod(String name, String point, FailingPlugin.Way way, String cpu, String more) {
        return """
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "%s", "labels": {"point": "%s", "how": "%s"%s}},
                 "spec": {"terminationGracePeriodSeconds": 0,
                  "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "%s"}}}]}}""".formatted(name, point, way, more, cpu);
    }
}
