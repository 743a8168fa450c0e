// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher, with a program of two classes: one in a jar, and one in a jar of "lib" that the first one's manifest
 * names.
 */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
    private static final Path LAUNCHER = Path.of("..", "deploy", "archive", "bin", "moorage")
            .toAbsolutePath()
            .normalize();
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private Path cache;
    private Path library;

    @BeforeEach
    void makeProgram() throws IOException {
        cache = Files.createDirectory(folder.resolve("cache"));
        library = Files.createDirectory(folder.resolve("lib")).resolve("library.jar");
        Path classes = folder.resolve("classes");
        Path main = source(
                "Main",
                "public static void main(String[] args) { System.out.println(args.length < 2 ? Library.json()"
                        + " : java.nio.file.Files.exists(java.nio.file.Path.of(args[1]))); }");
        Path json = source("Library", "static String json() { return \"{}\"; }");
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-d", classes.toString(), main.toString(), json.toString()))
                .isZero();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "lib/library.jar");
        jar(folder.resolve("app.jar"), manifest, classes, "org/moorage/app/Main.class");
        jar(library, new Manifest(), classes, "org/moorage/app/Library.class");
    }

    private Path source(String name, String body) throws IOException {
        return Files.writeString(
                folder.resolve(name + ".java"), "package org.moorage.app; public class " + name + " { " + body + " }");
    }

    private static void jar(Path file, Manifest manifest, Path classes, String entry) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            jar.putNextEntry(new JarEntry(entry));
            Files.copy(classes.resolve(entry), jar);
        }
    }

    private CapturedRun run(String... args) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of(LAUNCHER.toString()), Stream.of(args))
                        .toList())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("MOORAGE_CACHE", cache.toString());
        builder.environment().put("MOORAGE_CLASSPATH", folder.resolve("app.jar").toString());
        Process process = builder.start();
        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return new CapturedRun(
                process.exitValue(),
                Files.readString(out, StandardCharsets.UTF_8),
                Files.readString(err, StandardCharsets.UTF_8));
    }

    private List<Path> recorded() throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.toList();
        }
    }

    @Test
    void standardOutputIsTheCommandsOwnWhenAJarOfTheManifestHasChanged() throws IOException, InterruptedException {
        assertThat(run("rehearse").exitCode()).isZero();
        List<Path> before = recorded();
        assertThat(before).hasSize(1);
        assertThat(run("simulate")).isEqualTo(new CapturedRun(0, "{}\n", ""));

        Files.setLastModifiedTime(library, FileTime.from(Instant.now().plusSeconds(2)));
        assertThat(run("simulate")).isEqualTo(new CapturedRun(0, "{}\n", ""));

        // The run before may record at the same time, in the background; then this one leaves it to that.
        run("rehearse");
        Instant deadline = Instant.now().plus(LIMIT);
        while ((recorded().size() != 1 || recorded().equals(before))
                && Instant.now().isBefore(deadline)) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(recorded()).hasSize(1).isNotEqualTo(before);
    }

    @Test
    void whatTheJvmWarnsOfGoesToStandardError() throws IOException, InterruptedException {
        assertThat(run("rehearse").exitCode()).isZero();
        // A file that no JVM takes.
        Files.write(recorded().get(0), new byte[] {1, 2, 3});

        assertThat(run("simulate").out()).isEqualTo("{}\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LC_ALL=C", "LC_ALL=POSIX", "LANG=C", "LC_CTYPE=C", "LC_ALL="})
    void namesOfFilesBeyondAsciiAreFoundInAnyLocale(String locale) throws IOException, InterruptedException {
        // The shell writes the bytes: the JVM of the tests may be in such a locale, too.
        String script =
                "name=$1/gr$(printf '\\303\\266\\303\\237')e.yaml; : > \"$name\"; unset LC_ALL LC_CTYPE LANG; export "
                        + locale + "; exec \"$2\" simulate \"$name\"";
        Path out = folder.resolve("out");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", script, "sh", folder.toString(), LAUNCHER.toString())
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("MOORAGE_CACHE", "");
        builder.environment().put("MOORAGE_CLASSPATH", folder.resolve("app.jar").toString());

        Process process = builder.start();

        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(out)).isEqualTo("true\n");
    }
}
