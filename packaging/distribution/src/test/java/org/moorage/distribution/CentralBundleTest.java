// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Bundles with one fault each are refused for it. Signatures are made by GnuPG with a throw-away key. */
class CentralBundleTest {
    private static final String PARENT = "org/example/parent/1.0/parent-1.0";
    private static final String LIB = "org/example/lib/1.0/lib-1.0";

    private static final String PARENT_POM = """
        <project>
          <modelVersion>4.0.0</modelVersion>
          <groupId>org.example</groupId>
          <artifactId>parent</artifactId>
          <version>1.0</version>
          <packaging>pom</packaging>
          <name>Parent</name>
          <description>What modules share</description>
          <url>https://example.org</url>
          <licenses><license><name>Apache-2.0</name><url>https://example.org/licence</url></license></licenses>
          <developers><developer><name>Maintainers</name></developer></developers>
          <scm>
            <connection>scm:git:https://example.org/lib.git</connection>
            <developerConnection>scm:git:ssh://example.org/lib.git</developerConnection>
            <url>https://example.org/lib</url>
          </scm>
        </project>
        """;

    private static final String LIB_POM = """
        <project>
          <modelVersion>4.0.0</modelVersion>
          <parent>
            <groupId>org.example</groupId>
            <artifactId>parent</artifactId>
            <version>1.0</version>
          </parent>
          <artifactId>lib</artifactId>
          <name>Library</name>
          <description>A library</description>
          <dependencies>
            <dependency><groupId>org.example</groupId><artifactId>other</artifactId><version>2.0</version></dependency>
          </dependencies>
        </project>
        """;

    /** By key and content: most cases sign the same files. */
    private static final Map<String, byte[]> SIGNATURES = new TreeMap<>();

    @TempDir
    private static Path keys;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeKeys() throws IOException, InterruptedException {
        for (String name : List.of("release", "other")) {
            Path home = Files.createDirectory(keys.resolve(name));
            gpg(home, "--passphrase", "", "--quick-generate-key", name + " (throw-away)", "ed25519", "sign", "never");
            gpg(home, "--armor", "--output", keys.resolve(name + ".asc").toString(), "--export");
        }
    }

    @AfterAll
    static void stopAgents() throws IOException, InterruptedException {
        for (String name : List.of("release", "other")) {
            Process kill = new ProcessBuilder(
                            "gpgconf", "--homedir", keys.resolve(name).toString(), "--kill", "all")
                    .inheritIO()
                    .start();
            assertThat(kill.waitFor()).isZero();
        }
    }

    private static void gpg(Path home, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("gpg", "--homedir", home.toString(), "--batch", "--quiet", "--pinentry-mode", "loopback"));
        command.addAll(List.of(arguments));
        Process gpg = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(gpg.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(gpg.waitFor()).as(output).isZero();
    }

    /** The files of a bundle before they have checksums and signatures. */
    private static Map<String, byte[]> components() {
        Map<String, byte[]> files = new TreeMap<>();
        files.put(PARENT + ".pom", bytes(PARENT_POM));
        files.put(LIB + ".pom", bytes(LIB_POM));
        files.put(LIB + ".jar", jar("org/example/Lib.class"));
        files.put(LIB + "-sources.jar", jar("org/example/Lib.java"));
        files.put(LIB + "-javadoc.jar", jar("index.html"));
        files.put(LIB + "-cyclonedx.json", bytes("{}"));
        return files;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] jar(String... entries) {
        return zip(Map.of("META-INF/MANIFEST.MF", bytes("Manifest-Version: 1.0\n")), entries);
    }

    private static byte[] zip(Map<String, byte[]> files, String... more) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                zip.putNextEntry(entry(file.getKey()));
                zip.write(file.getValue());
            }
            for (String name : more) {
                zip.putNextEntry(entry(name));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.toByteArray();
    }

    private static ZipEntry entry(String name) {
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(0);
        return entry;
    }

    private void sign(String key, String file, byte[] content, Map<String, byte[]> files)
            throws IOException, InterruptedException {
        String made = key + " " + sum("SHA-1", content);
        if (SIGNATURES.containsKey(made)) {
            files.put(file + ".asc", SIGNATURES.get(made));
            return;
        }
        Path unsigned = Files.write(folder.resolve("unsigned"), content);
        Path signature = folder.resolve("signature");
        Files.deleteIfExists(signature);
        gpg(keys.resolve(key), "--armor", "--detach-sign", "--output", signature.toString(), unsigned.toString());
        SIGNATURES.put(made, Files.readAllBytes(signature));
        files.put(file + ".asc", SIGNATURES.get(made));
    }

    private static String sum(String algorithm, byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }

    /** Adds checksums and signatures, makes the last changes, and returns what is refused. */
    private List<String> problems(Map<String, byte[]> components, String key, Consumer<Map<String, byte[]>> last)
            throws IOException, InterruptedException {
        Map<String, byte[]> files = new TreeMap<>(components);
        for (Map.Entry<String, byte[]> file : components.entrySet()) {
            files.put(file.getKey() + ".md5", bytes(sum("MD5", file.getValue())));
            files.put(file.getKey() + ".sha1", bytes(sum("SHA-1", file.getValue())));
            sign(key, file.getKey(), file.getValue(), files);
        }
        last.accept(files);
        Path bundle = Files.write(folder.resolve("bundle.zip"), zip(files));
        return CentralBundle.problems(bundle, keys.resolve("release.asc"));
    }

    @Test
    void takesABundleWithoutFaults() throws IOException, InterruptedException {
        assertThat(problems(components(), "release", files -> {})).isEmpty();
    }

    /**
     * A bundle with a fault.
     *
     * @param first changes the components before they have checksums and signatures
     * @param last changes all files
     * @param problem a part of the only problem that is reported
     */
    record Case(String name, Consumer<Map<String, byte[]>> first, Consumer<Map<String, byte[]>> last, String problem) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = List.of(
            components("no sources", files -> files.remove(LIB + "-sources.jar"), "lib-1.0-sources.jar: missing"),
            components("no Javadoc", files -> files.remove(LIB + "-javadoc.jar"), "lib-1.0-javadoc.jar: missing"),
            components("no jar", files -> files.remove(LIB + ".jar"), "lib-1.0.jar: missing"),
            components("an empty Javadoc jar", files -> files.put(LIB + "-javadoc.jar", jar()), "no files in the jar"),
            components("no POM", files -> files.remove(LIB + ".pom"), "lib-1.0.pom: missing"),
            components("a POM that is not XML", files -> files.put(LIB + ".pom", bytes("<project>")), "not a POM"),
            pom("no name", LIB, "<name>Library</name>", "", "name is missing"),
            pom("no description", LIB, "<description>A library</description>", "", "description is missing"),
            pom("other coordinates", LIB, "<artifactId>lib</artifactId>", "<artifactId>lob</artifactId>", "belong to"),
            pom("a snapshot as dependency", LIB, "<version>2.0", "<version>2.0-SNAPSHOT", "no snapshot"),
            pom("a jar of the machine", LIB, "<version>2.0</version>", "<scope>system</scope>", "scope \"system\""),
            snapshot(),
            components(
                    "a file of another name",
                    files -> files.put("org/example/lib/1.0/notes.txt", bytes("x")),
                    "notes.txt: name"),
            all("no MD5", files -> files.remove(LIB + ".jar.md5"), "lib-1.0.jar.md5: missing"),
            all("no SHA-1", files -> files.remove(LIB + ".pom.sha1"), "lib-1.0.pom.sha1: missing"),
            all(
                    "another SHA-1",
                    files -> files.put(LIB + ".jar.sha1", bytes(sum("SHA-1", bytes("other")))),
                    "lib-1.0.jar.sha1: \""),
            all("no signature", files -> files.remove(LIB + ".jar.asc"), "lib-1.0.jar.asc: missing"),
            all(
                    "a signature of another file",
                    files -> files.put(LIB + ".jar.asc", files.getOrDefault(LIB + ".pom.asc", new byte[0])),
                    "lib-1.0.jar.asc: not a signature of the file"));

    private static Case components(String name, Consumer<Map<String, byte[]>> first, String problem) {
        return new Case(name, first, files -> {}, problem);
    }

    private static Case all(String name, Consumer<Map<String, byte[]>> last, String problem) {
        return new Case(name, files -> {}, last, problem);
    }

    private static Case pom(String name, String component, String old, String replacement, String problem) {
        return components(name, files -> replace(files, component + ".pom", old, replacement), problem);
    }

    private static void replace(Map<String, byte[]> files, String file, String old, String replacement) {
        String text = new String(files.getOrDefault(file, new byte[0]), StandardCharsets.UTF_8);
        assertThat(text).contains(old);
        files.put(file, bytes(text.replace(old, replacement)));
    }

    private static Case snapshot() {
        return components(
                "a snapshot",
                files -> {
                    Map<String, byte[]> renamed = new TreeMap<>();
                    files.forEach((file, content) -> renamed.put(file.replace("1.0", "1.0-SNAPSHOT"), content));
                    files.clear();
                    files.putAll(renamed);
                    files.keySet().removeIf(file -> file.contains("/lib/"));
                    replace(
                            files,
                            PARENT.replace("1.0", "1.0-SNAPSHOT") + ".pom",
                            "<version>1.0</version>",
                            "<version>1.0-SNAPSHOT</version>");
                },
                "version: \"1.0-SNAPSHOT\"");
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void refusesABundleWithOneFault(Case given) throws IOException, InterruptedException {
        Map<String, byte[]> components = components();
        given.first.accept(components);

        assertThat(problems(components, "release", given.last))
                .singleElement()
                .asString()
                .contains(given.problem);
    }

    static final List<String> METADATA = List.of(
            "<url>https://example.org</url>",
            "<license><name>Apache-2.0</name><url>https://example.org/licence</url></license>",
            "<developer><name>Maintainers</name></developer>",
            "<connection>scm:git:https://example.org/lib.git</connection>",
            "<developerConnection>scm:git:ssh://example.org/lib.git</developerConnection>",
            "<url>https://example.org/lib</url>");

    /** What the parent lacks, its modules lack. */
    @ParameterizedTest
    @FieldSource("METADATA")
    void refusesAParentWithoutMetadata(String metadata) throws IOException, InterruptedException {
        Map<String, byte[]> components = components();
        replace(components, PARENT + ".pom", metadata, "");

        assertThat(problems(components, "release", files -> {}))
                .hasSizeBetween(2, 4)
                .allSatisfy(problem -> assertThat(problem).contains(" is missing, also in its parents"))
                .anySatisfy(problem -> assertThat(problem).contains("parent-1.0.pom"))
                .anySatisfy(problem -> assertThat(problem).contains("lib-1.0.pom"));
    }

    @Test
    void refusesSignaturesOfAnotherKey() throws IOException, InterruptedException {
        assertThat(problems(components(), "other", files -> {}))
                .hasSize(components().size())
                .allSatisfy(problem -> assertThat(problem).contains("not a signature of the file by the key of"));
    }

    @Test
    void refusesAnEmptyBundle() throws IOException, InterruptedException {
        assertThat(problems(Map.of(), "release", files -> {}))
                .singleElement()
                .asString()
                .startsWith("no files");
    }
}
