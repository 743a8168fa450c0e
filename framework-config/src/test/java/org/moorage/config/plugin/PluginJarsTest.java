// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.plugin.ApiVersion;
import org.moorage.api.plugin.Plugin;
import org.moorage.api.plugin.PluginFactory;

class PluginJarsTest {
    private static final String SERVICES = "META-INF/services/org.moorage.api.plugin.PluginFactory";

    // NAME and INIT are replaced; Library is a class that each jar brings for itself.
    private static final String FACTORY = """
            package sample;
            public class Factory implements org.moorage.api.plugin.PluginFactory<org.moorage.api.plugin.PluginArgs.None> {
                INIT
                public String name() { return NAME; }
                public Class<org.moorage.api.plugin.PluginArgs.None> argsType() {
                    return org.moorage.api.plugin.PluginArgs.None.class;
                }
                public org.moorage.api.plugin.Plugin create(
                        org.moorage.api.plugin.PluginArgs.None args, org.moorage.api.plugin.Handle handle) {
                    return () -> name();
                }
            }
            """;

    @TempDir
    private Path directory;

    private final TreeMap<String, byte[]> noClasses = new TreeMap<>();

    @Test
    void loadsEveryJarInTheOrderOfTheirNames() throws IOException {
        jar("b.jar", "sample.Factory", Map.of("sample.Factory", factory("\"Second\"", "")));
        jar("a.jar", "# ours\nsample.Factory # the only one\n\n", Map.of("sample.Factory", factory("\"First\"", "")));
        Files.writeString(directory.resolve("README.txt"), "not a jar");

        List<PluginFactory<?>> factories =
                PluginJars.load(directory, JarRules.FOR_TOOLS).factories();

        assertThat(factories).extracting(PluginFactory::name).containsExactly("First", "Second");
        assertThat(PluginRegistry.of(factories).find("Second")).isPresent();
    }

    @Test
    void findsNothingInAnEmptyDirectory() {
        PluginJars loaded = PluginJars.load(directory, JarRules.FOR_TOOLS);

        assertThat(loaded.factories()).isEmpty();
        assertThat(loaded.notes()).isEmpty();
    }

    @Test
    void prefersTheClassesOfTheJarButSharesTheApi() throws IOException {
        // Each jar contains a class with the name of one of the scheduler's.
        String library =
                "package org.moorage.config.plugin; public class PluginRegistry { public static String of() { return \"X\"; } }";
        for (String name : List.of("One", "Two")) {
            jar(
                    name + ".jar",
                    "sample.Factory",
                    Map.of(
                            "sample.Factory", factory("org.moorage.config.plugin.PluginRegistry.of()", ""),
                            "org.moorage.config.plugin.PluginRegistry", library.replace("X", name)));
        }

        List<PluginFactory<?>> factories =
                PluginJars.load(directory, JarRules.FOR_TOOLS).factories();

        assertThat(factories).extracting(PluginFactory::name).containsExactly("One", "Two");
        assertThat(factories.get(0).getClass().getClassLoader())
                .isNotSameAs(factories.get(1).getClass().getClassLoader());
    }

    @Test
    void sharesTheApiEvenIfTheJarHasItToo() throws IOException {
        Map<String, String> sources = Map.of(
                "sample.Factory",
                factory("\"Shaded\"", ""),
                "org.moorage.api.plugin.Plugin",
                "package org.moorage.api.plugin; public interface Plugin { String name(); }");
        jar("shaded.jar", "sample.Factory", sources);

        List<PluginFactory<?>> factories =
                PluginJars.load(directory, JarRules.FOR_TOOLS).factories();

        assertThat(factories).hasSize(1);
        assertThat(factories.get(0).getClass().getInterfaces()).containsExactly(PluginFactory.class);
        assertThat(Plugin.class.getClassLoader()).isSameAs(PluginFactory.class.getClassLoader());
    }

    @Test
    void findsResourcesOfTheJarFirst() throws IOException {
        Map<String, byte[]> entries = compile(Map.of(
                "sample.Factory",
                factory(
                        "text()",
                        "private static String text() { try (var in = Factory.class.getResourceAsStream(\"/"
                                + "org/moorage/config/plugin/sample.txt\")) { return new String(in.readAllBytes()); }"
                                + " catch (java.io.IOException e) { throw new java.io.UncheckedIOException(e); } }")));
        entries.put("org/moorage/config/plugin/sample.txt", "Own".getBytes(StandardCharsets.UTF_8));
        write("own.jar", "sample.Factory", entries);

        assertThat(PluginJars.load(directory, JarRules.FOR_TOOLS).factories())
                .extracting(PluginFactory::name)
                .containsExactly("Own");
    }

    record Case(String name, String services, String factoryName, String init, String problem) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        String jar = "bad.jar: ";
        String factory = jar + "factory sample.Factory: ";
        return Stream.of(
                new Case(
                        "a class that is not there",
                        "sample.Other",
                        "\"X\"",
                        "",
                        jar + "factory sample.Other: no such class in the jar"),
                new Case(
                        "a class that is no factory",
                        "java.lang.Object",
                        "\"X\"",
                        "",
                        jar + "factory java.lang.Object: not a factory (expected: implements"
                                + " org.moorage.api.plugin.PluginFactory)"),
                new Case(
                        "no public constructor",
                        "sample.Factory",
                        "\"X\"",
                        "private Factory() {}",
                        factory + "cannot be made (expected: a public class with a public constructor without"
                                + " parameters)"),
                new Case(
                        "a constructor that throws",
                        "sample.Factory",
                        "\"X\"",
                        "public Factory() { throw new IllegalStateException(\"no\"); }",
                        factory + "cannot be made: java.lang.IllegalStateException: no"),
                new Case(
                        "a static initializer that throws",
                        "sample.Factory",
                        "\"X\"",
                        "static final int N = Integer.parseInt(\"x\");",
                        factory + "does not fit: java.lang.ExceptionInInitializerError"),
                new Case(
                        "a name that throws",
                        "sample.Factory",
                        "String.valueOf(1 / zero())",
                        "static int zero() { return 0; }",
                        factory + "cannot be asked what it makes: java.lang.ArithmeticException: / by zero"),
                new Case(
                        "no name",
                        "sample.Factory",
                        "null",
                        "",
                        factory + "cannot be asked what it makes: java.lang.NullPointerException: name"),
                new Case(
                        "a method that the API does not have",
                        "sample.Factory",
                        "org.moorage.api.Status.fromTheFuture()",
                        "",
                        factory + "does not fit: java.lang.NoSuchMethodError: 'java.lang.String"
                                + " org.moorage.api.Status.fromTheFuture()'. It was built for another version of the"
                                + " plugin API, or a library that it needs is not in the jar."),
                new Case(
                        "a class that the API does not have",
                        "sample.Factory",
                        "org.moorage.api.Future.name()",
                        "",
                        factory + "does not fit: java.lang.NoClassDefFoundError: org/moorage/api/Future. It was built"
                                + " for another version of the plugin API, or a library that it needs is not in the"
                                + " jar."));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void namesTheJarAndWhatIsWrongWithIt(Case c) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        sources.put("sample.Factory", factory(c.factoryName, c.init));
        // A class that the jar was built against and does not contain.
        sources.put(
                "org.moorage.api.Status",
                "package org.moorage.api; public class Status { public static String fromTheFuture() { return \"\"; } }");
        sources.put(
                "org.moorage.api.Future",
                "package org.moorage.api; public class Future { public static String name() { return \"\"; } }");
        Map<String, byte[]> classes = compile(sources);
        classes.keySet().removeIf(name -> !name.startsWith("sample/"));
        write("bad.jar", c.services, classes);

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(() -> PluginJars.load(directory, JarRules.FOR_TOOLS))
                .withMessage(directory.resolve("") + "/" + c.problem);
    }

    @Test
    void namesTheJavaThatAJarWasBuiltFor() throws IOException {
        Map<String, byte[]> classes = compile(Map.of("sample.Factory", factory("\"X\"", "")));
        classes.forEach((name, bytes) -> bytes[7] = 99);
        write("new.jar", "sample.Factory", classes);

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(() -> PluginJars.load(directory, JarRules.FOR_TOOLS))
                .withMessageContaining("new.jar: factory sample.Factory: does not fit:")
                .withMessageEndingWith("It was built for a newer Java than "
                        + Runtime.version().feature() + ".");
    }

    @Test
    void namesEveryBadJarAtOnce() throws IOException {
        Files.writeString(directory.resolve("broken.jar"), "not a zip file");
        write("two.jar", "sample.Other", noClasses);
        jar("good.jar", "sample.Factory", Map.of("sample.Factory", factory("\"Good\"", "")));

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(() -> PluginJars.load(directory, JarRules.FOR_TOOLS))
                .withMessageContaining("broken.jar: not a jar that can be read")
                .withMessageContaining("two.jar: factory sample.Other: no such class in the jar");
    }

    @Test
    void refusesOnePluginInTwoJars() throws IOException {
        jar("a.jar", "sample.Factory", Map.of("sample.Factory", factory("\"Same\"", "")));
        jar("b.jar", "sample.Factory", Map.of("sample.Factory", factory("\"Same\"", "")));

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(() -> PluginJars.load(directory, JarRules.FOR_TOOLS))
                .withMessage(directory.resolve("b.jar")
                        + ": plugin \"Same\" is in a.jar too (expected: one factory for a name)");
    }

    @Test
    void namesTheJarsOfOnePluginInTwoFolders() throws IOException {
        Path other = Files.createDirectory(directory.resolve("other"));
        jar("a.jar", "sample.Factory", Map.of("sample.Factory", factory("\"Same\"", "")));
        Files.copy(directory.resolve("a.jar"), other.resolve("a.jar"));
        PluginRegistry registry =
                PluginRegistry.of(PluginJars.load(directory, JarRules.FOR_TOOLS).factories());
        PluginJars jars = PluginJars.load(other, JarRules.FOR_TOOLS);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.with(jars.factories()))
                .withMessage("plugin \"Same\": registered by sample.Factory of " + directory.resolve("a.jar")
                        + " and by sample.Factory of " + other.resolve("a.jar")
                        + " (expected: one factory for a name)");
    }

    record WrongPath(String name, String file, String services, String problem) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<WrongPath> wrongPaths() {
        String expected = " (expected: a jar, or a folder of jars)";
        String noPlugin = ": no plugin in it (expected: the names of factory classes in " + SERVICES + ")";
        return Stream.of(
                new WrongPath("nothing there", "", "", ": not there" + expected),
                new WrongPath("a file that is no jar", "notes.txt", "", ": not a jar" + expected),
                new WrongPath("a jar without services", "a.jar", "", noPlugin),
                new WrongPath("a jar whose services are comments", "a.jar", "# nothing\n", noPlugin));
    }

    @ParameterizedTest
    @MethodSource("wrongPaths")
    void refusesAPathWithoutPlugins(WrongPath c) throws IOException {
        Path path = directory.resolve(c.file.isEmpty() ? "absent" : c.file);
        if (!c.file.isEmpty()) {
            write(c.file, c.services, noClasses);
        }

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(() -> PluginJars.load(path, JarRules.FOR_TOOLS))
                .withMessage(path + c.problem);
    }

    @Test
    void takesASingleJar() throws IOException {
        jar("a-sources.jar", "sample.Factory", Map.of("sample.Factory", factory("\"First\"", "")));
        jar("b.jar", "sample.Factory", Map.of("sample.Factory", factory("\"Second\"", "")));

        PluginJars loaded = PluginJars.load(directory.resolve("a-sources.jar"), JarRules.FOR_TOOLS);

        assertThat(loaded.factories()).extracting(PluginFactory::name).containsExactly("First");
        assertThat(loaded.notes()).isEmpty();
    }

    @Test
    void skipsOtherJarsOfABuild() throws IOException {
        Map<String, byte[]> classes = compile(Map.of("sample.Factory", factory("\"First\"", "")));
        write("p-1.0.jar", "sample.Factory", classes);
        write("original-p-1.0.jar", "sample.Factory", classes);
        write("p-1.0-sources.jar", "sample.Factory", noClasses);
        write("p-1.0-test-sources.jar", "sample.Factory", noClasses);
        write("p-1.0-javadoc.jar", "", noClasses);
        write("p-1.0-tests.jar", "sample.TestFactory", noClasses);
        write("library.jar", "", noClasses);

        PluginJars loaded = PluginJars.load(directory, JarRules.FOR_TOOLS);

        assertThat(loaded.factories()).extracting(PluginFactory::name).containsExactly("First");
        assertThat(loaded.notes())
                .containsExactly(directory + ": skipped jars without a plugin: library.jar, original-p-1.0.jar,"
                        + " p-1.0-javadoc.jar, p-1.0-sources.jar, p-1.0-test-sources.jar, p-1.0-tests.jar");
    }

    @Test
    void takesAPluginNamedLikeTheJarWithoutLibraries() throws IOException {
        jar("original-1.0.jar", "sample.Factory", Map.of("sample.Factory", factory("\"First\"", "")));

        assertThat(PluginJars.load(directory, JarRules.FOR_TOOLS).factories()).hasSize(1);
    }

    record Version(String name, @Nullable String manifest, String note, String problem) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Version> versions() {
        return Stream.of(
                new Version("the same version", "0.1", "", ""),
                new Version("another patch of it", "0.1.7", "", ""),
                new Version("its snapshot", "0.1.0-SNAPSHOT", "", ""),
                new Version(
                        "none",
                        null,
                        "/p.jar: taken as built for version 0.1 of the plugin API, since no Moorage-Api-Version is in its"
                                + " manifest. A scheduler refuses it.",
                        ""),
                new Version(
                        "a later one", "0.2.0", "", "/p.jar: built for version 0.2 of the plugin API (expected: 0.1)"),
                new Version(
                        "another major one",
                        "1.1",
                        "",
                        "/p.jar: built for version 1.1 of the plugin API (expected: 0.1)"),
                new Version(
                        "no version",
                        "${moorage.version}",
                        "",
                        "/p.jar: Moorage-Api-Version of its manifest: \"${moorage.version}\" (expected: a version such as"
                                + " 0.1)"));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void looksForTheVersionOfTheApiThatAJarWasBuiltFor(Version c) throws IOException {
        Map<String, byte[]> entries = compile(Map.of("sample.Factory", factory("\"First\"", "")));
        if (c.manifest != null) {
            entries.put(
                    JarFile.MANIFEST_NAME,
                    ("Manifest-Version: 1.0\nMoorage-Api-Version: " + c.manifest + "\n")
                            .getBytes(StandardCharsets.UTF_8));
        }
        writeEntries("p.jar", "sample.Factory", entries);

        if (c.problem.isEmpty()) {
            PluginJars loaded = PluginJars.load(directory, JarRules.FOR_TOOLS);
            assertThat(loaded.factories()).hasSize(1);
            assertThat(loaded.notes()).isEqualTo(c.note.isEmpty() ? List.of() : List.of(directory + c.note));
        } else {
            assertThatExceptionOfType(PluginJarException.class)
                    .isThrownBy(() -> PluginJars.load(directory, JarRules.FOR_TOOLS))
                    .withMessage(directory + c.problem);
        }
    }

    @Test
    void refusesAJarWithoutAVersionInAScheduler() throws IOException {
        writeEntries("p.jar", "sample.Factory", compile(Map.of("sample.Factory", factory("\"First\"", ""))));

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(() ->
                        PluginJars.load(directory, new JarRules(PluginChecksums.ANY, JarRules.WithoutVersion.REFUSED)))
                .withMessage(directory + "/p.jar: no Moorage-Api-Version in its manifest (expected: 0.1)");
    }

    /** A jar with a plugin and something that no plugin has. */
    record Hostile(String name, Jar jar, String problem) {
        interface Jar {
            void write(ZipOutputStream zip) throws IOException;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Hostile> hostile() {
        return Stream.of(
                new Hostile(
                        "a Class-Path",
                        zip -> manifest(zip, JarFile.MANIFEST_NAME, "Class-Path: a.jar http://192.0.2.1/b.jar\n"),
                        "/p.jar: Class-Path of its manifest: a.jar http://192.0.2.1/b.jar (expected: none, and the"
                                + " libraries' classes in the jar)"),
                new Hostile(
                        "a Class-Path in a manifest by another name",
                        zip -> manifest(zip, "meta-inf/Manifest.mf", "Class-Path: a.jar\n"),
                        "/p.jar: Class-Path of its manifest: a.jar (expected: none, and the libraries' classes in the"
                                + " jar)"),
                new Hostile(
                        "an index with another jar",
                        zip -> entry(
                                zip, "META-INF/INDEX.LIST", "JarIndex-Version: 1.0\n\np.jar\nsample\n\nb.jar\nb\n"),
                        "/p.jar: META-INF/INDEX.LIST: b.jar (expected: no other jar, and the libraries' classes in this"
                                + " one)"),
                new Hostile(
                        "a manifest of 40 MB",
                        zip -> zeros(zip, JarFile.MANIFEST_NAME, 40),
                        "/p.jar: META-INF/MANIFEST.MF: more than 16 MB (expected: less)"),
                new Hostile(
                        "a manifest without sense",
                        zip -> entry(zip, JarFile.MANIFEST_NAME, "no header\n"),
                        "/p.jar: not a jar that can be read: java.io.IOException: invalid header field"),
                new Hostile(
                        "names of factories of 40 MB",
                        zip -> zeros(zip, SERVICES, 40),
                        "/p.jar: " + SERVICES + ": more than 1 MB (expected: less)"),
                new Hostile(
                        "a class of 40 MB",
                        zip -> zeros(zip, "sample/Factory.class", 40),
                        "/p.jar: sample/Factory.class: more than 16 MB (expected: less)"),
                new Hostile(
                        "a class of zeros",
                        zip -> {
                            entry(zip, SERVICES, "sample.Factory");
                            manifest(zip, JarFile.MANIFEST_NAME, "");
                            zeros(zip, "sample/Factory.class", 1);
                        },
                        "/p.jar: factory sample.Factory: does not fit: java.lang.ClassFormatError: Incompatible magic"
                                + " value 0 in class file sample/Factory"));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void saysInOneLineWhyAJarIsRefused(Hostile c) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(directory.resolve("p.jar")))) {
            c.jar.write(zip);
            try {
                entry(zip, SERVICES, "sample.Factory");
            } catch (ZipException alreadyThere) {
                // The case has its own.
            }
        }

        assertThatExceptionOfType(PluginJarException.class)
                .isThrownBy(() -> PluginJars.load(directory, JarRules.FOR_TOOLS))
                .satisfies(refused ->
                        assertThat(refused.getMessage()).doesNotContain("\n").startsWith(directory + c.problem));
    }

    @Test
    void skipsAJarOfAHundredThousandEntriesWithoutAPlugin() throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(directory.resolve("p.jar")))) {
            for (int i = 0; i < 100_000; i++) {
                zip.putNextEntry(new ZipEntry("a/" + i));
            }
        }

        assertThat(PluginJars.load(directory, JarRules.FOR_TOOLS).notes())
                .containsExactly(directory + ": skipped jars without a plugin: p.jar");
    }

    @Test
    void refusesWhatIsNoFileWithoutWaitingForIt() throws IOException, InterruptedException {
        Files.createDirectory(directory.resolve("folder.jar"));
        Files.createSymbolicLink(directory.resolve("lost.jar"), directory.resolve("absent"));
        Files.createSymbolicLink(directory.resolve("loop.jar"), directory.resolve("loop.jar"));
        Path pipe = directory.resolve("pipe.jar");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();

        for (Path path : List.of(directory, pipe, directory.resolve("loop.jar"))) {
            assertThatExceptionOfType(PluginJarException.class)
                    .isThrownBy(() -> PluginJars.load(path, JarRules.FOR_TOOLS))
                    .satisfies(refused -> assertThat(refused.getMessage().lines())
                            .isSubsetOf(
                                    directory + "/folder.jar: not a regular file",
                                    directory + "/loop.jar: a link that leads to no file",
                                    directory + "/lost.jar: a link that leads to no file",
                                    directory + "/pipe.jar: not a regular file")
                            .hasSize(path.equals(directory) ? 4 : 1));
        }
    }

    private static void manifest(ZipOutputStream zip, String name, String line) throws IOException {
        entry(zip, name, "Manifest-Version: 1.0\nMoorage-Api-Version: " + ApiVersion.CURRENT + "\n" + line);
    }

    private static void entry(ZipOutputStream zip, String name, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void zeros(ZipOutputStream zip, String name, int megabytes) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        byte[] megabyte = new byte[1 << 20];
        for (int i = 0; i < megabytes; i++) {
            zip.write(megabyte);
        }
    }

    private static String factory(String name, String init) {
        return FACTORY.replace("NAME", name).replace("INIT", init);
    }

    private void jar(String name, String services, Map<String, String> sources) throws IOException {
        write(name, services, compile(sources));
    }

    /** A jar that was built for the version of the API that this is. */
    private void write(String name, String services, Map<String, byte[]> entries) throws IOException {
        Map<String, byte[]> all = new TreeMap<>(entries);
        all.put(
                JarFile.MANIFEST_NAME,
                ("Manifest-Version: 1.0\nMoorage-Api-Version: " + ApiVersion.CURRENT + "\n")
                        .getBytes(StandardCharsets.UTF_8));
        writeEntries(name, services, all);
    }

    private void writeEntries(String name, String services, Map<String, byte[]> entries) throws IOException {
        try (OutputStream out = Files.newOutputStream(directory.resolve(name));
                ZipOutputStream zip = new ZipOutputStream(out)) {
            if (!services.isEmpty()) {
                zip.putNextEntry(new ZipEntry(SERVICES));
                zip.write(services.getBytes(StandardCharsets.UTF_8));
            }
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
            }
        }
    }

    private Map<String, byte[]> compile(Map<String, String> sources) throws IOException {
        Path classes = Files.createDirectories(directory.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaFileObject> units = new ArrayList<>();
        sources.forEach((name, source) -> units.add(
                new SimpleJavaFileObject(
                        URI.create("string:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                }));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            files.setLocation(StandardLocation.CLASS_OUTPUT, List.of(classes.toFile()));
            List<String> options = List.of("-proc:none", "-cp", System.getProperty("java.class.path"));
            assertThat(compiler.getTask(null, files, null, options, null, units).call())
                    .isTrue();
        }
        Map<String, byte[]> compiled = new TreeMap<>();
        try (Stream<Path> found = Files.walk(classes)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                compiled.put(classes.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
                Files.delete(file);
            }
        }
        return compiled;
    }
}
