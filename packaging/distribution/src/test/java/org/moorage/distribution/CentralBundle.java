// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Checks a bundle against the rules that Maven Central's portal publishes for an upload: the layout, the POM's metadata, sources and
 * Javadoc, checksums and signatures. It needs nothing but the JDK and GnuPG, so that a release runs it from its source:
 * {@code java CentralBundle.java BUNDLE PUBLIC-KEY}.
 */
final class CentralBundle {
    /** The portal refuses a larger upload. */
    private static final long MOST_BYTES = 1L << 30;

    private static final List<String> CHECKSUMS = List.of("md5", "sha1");

    private final Map<String, byte[]> files = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    private CentralBundle() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length != 2) {
            System.err.println("usage: java CentralBundle.java BUNDLE PUBLIC-KEY");
            System.exit(2);
        }
        CentralBundle bundle = new CentralBundle();
        List<String> problems = bundle.check(Path.of(args[0]), Path.of(args[1]));
        problems.forEach(problem -> System.err.println(args[0] + ": " + problem));
        if (!problems.isEmpty()) {
            System.exit(1);
        }
        System.out.println(args[0] + ": " + bundle.folders().size() + " components, " + bundle.files.size()
                + " files, as Maven Central requires");
    }

    /**
     * Returns what Maven Central would refuse.
     *
     * @param bundle a ZIP archive
     * @param publicKey the exported public key of the signatures
     * @return one line for each problem; empty if there is none
     */
    static List<String> problems(Path bundle, Path publicKey) throws IOException, InterruptedException {
        return new CentralBundle().check(bundle, publicKey);
    }

    private List<String> check(Path bundle, Path publicKey) throws IOException, InterruptedException {
        if (Files.size(bundle) > MOST_BYTES) {
            problems.add("size: " + Files.size(bundle) + " bytes (expected: at most " + MOST_BYTES + ")");
            return problems;
        }
        read(bundle);
        if (files.isEmpty()) {
            problems.add("no files (expected: GROUP/ARTIFACT/VERSION/ARTIFACT-VERSION.pom)");
        }
        for (String folder : folders()) {
            checkComponent(folder);
        }
        for (String file : files.keySet()) {
            if (isSigned(file)) {
                checkChecksums(file);
            }
        }
        checkSignatures(publicKey);
        return problems;
    }

    private void read(Path bundle) throws IOException {
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(bundle))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (!entry.isDirectory()) {
                    files.put(entry.getName(), zip.readAllBytes());
                }
            }
        }
    }

    /** The folders with files: one for each component. */
    private Set<String> folders() {
        Set<String> folders = new TreeSet<>();
        for (String file : files.keySet()) {
            folders.add(file.substring(0, file.lastIndexOf('/') + 1));
        }
        return folders;
    }

    private void checkComponent(String folder) {
        String[] parts = folder.split("/");
        if (parts.length < 3) {
            problems.add("path: \"" + folder + "\" (expected: GROUP/ARTIFACT/VERSION/)");
            return;
        }
        String version = parts[parts.length - 1];
        String artifact = parts[parts.length - 2];
        String stem = artifact + "-" + version;
        if (version.endsWith("-SNAPSHOT")) {
            problems.add(folder + ": version: \"" + version + "\" (expected: no snapshot)");
        }
        for (String file : files.keySet()) {
            if (isSigned(file)
                    && file.startsWith(folder)
                    && !file.substring(folder.length()).startsWith(stem)) {
                problems.add(file + ": name (expected: " + stem + "...)");
            }
        }
        Optional<Element> pom = pom(folder + stem + ".pom");
        if (pom.isPresent()) {
            checkPom(folder + stem + ".pom", pom.get(), folder);
            if (!text(pom.get(), "packaging").equals("pom")) {
                for (String suffix : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
                    checkJar(folder + stem + suffix);
                }
            }
        }
    }

    private void checkJar(String file) {
        byte[] jar = files.get(file);
        if (jar == null) {
            problems.add(file + ": missing (expected: a jar, its sources and its Javadoc)");
            return;
        }
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(jar))) {
            boolean isEmpty = true;
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                isEmpty &= entry.isDirectory() || entry.getName().startsWith("META-INF/MANIFEST");
            }
            if (isEmpty) {
                problems.add(file + ": no files in the jar (expected: at least one next to the manifest)");
            }
        } catch (IOException e) {
            problems.add(file + ": not a jar: " + e.getMessage());
        }
    }

    /** The root element of a POM; nothing, and a problem, if there is none that can be read. */
    private Optional<Element> pom(String file) {
        byte[] pom = files.get(file);
        if (pom == null) {
            problems.add(file + ": missing (expected: a POM in each folder)");
            return Optional.empty();
        }
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            // Its default prints to standard error, too.
            builder.setErrorHandler(null);
            return Optional.of(builder.parse(new ByteArrayInputStream(pom)).getDocumentElement());
        } catch (ParserConfigurationException | SAXException | IOException e) {
            problems.add(file + ": not a POM: " + e.getMessage());
            return Optional.empty();
        }
    }

    private void checkPom(String file, Element pom, String folder) {
        Optional<Element> parent = child(pom, "parent");
        String group = parent.map(element -> text(element, "groupId")).orElse("");
        String version = parent.map(element -> text(element, "version")).orElse("");
        group = text(pom, "groupId").isEmpty() ? group : text(pom, "groupId");
        version = text(pom, "version").isEmpty() ? version : text(pom, "version");
        String expected = group.replace('.', '/') + "/" + text(pom, "artifactId") + "/" + version + "/";
        if (!expected.equals(folder)) {
            problems.add(file + ": its coordinates belong to " + expected + " (expected: " + folder + ")");
        }
        for (String field : List.of("modelVersion", "artifactId", "name", "description")) {
            if (text(pom, field).isEmpty()) {
                problems.add(file + ": " + field + " is missing (expected: a text)");
            }
        }
        for (String field : List.of(
                "url",
                "licenses/license/name",
                "licenses/license/url",
                "developers/developer/name",
                "scm/connection",
                "scm/developerConnection",
                "scm/url")) {
            if (inherited(pom, field).isEmpty()) {
                problems.add(file + ": " + field + " is missing, also in its parents (expected: a text)");
            }
        }
        for (Element dependencies : children(pom, "dependencies")) {
            for (Element dependency : children(dependencies, "dependency")) {
                checkDependency(file, dependency);
            }
        }
    }

    private void checkDependency(String file, Element dependency) {
        String name = text(dependency, "groupId") + ":" + text(dependency, "artifactId");
        if (text(dependency, "version").endsWith("-SNAPSHOT")) {
            problems.add(
                    file + ": " + name + ": version \"" + text(dependency, "version") + "\" (expected: no snapshot)");
        }
        if (text(dependency, "scope").equals("system")) {
            problems.add(file + ": " + name + ": scope \"system\" (expected: a library that is published)");
        }
    }

    /** A field of a POM or of the nearest of its parents that has it and is in the bundle. */
    private String inherited(Element pom, String path) {
        Optional<Element> current = Optional.of(pom);
        for (int depth = 0; current.isPresent() && depth < 10; depth++) {
            String value = at(current.get(), path);
            if (!value.isEmpty()) {
                return value;
            }
            current = child(current.get(), "parent").flatMap(parent -> {
                String artifact = text(parent, "artifactId");
                String version = text(parent, "version");
                String file = text(parent, "groupId").replace('.', '/') + "/" + artifact + "/" + version + "/"
                        + artifact + "-" + version + ".pom";
                return files.containsKey(file) ? pom(file) : Optional.empty();
            });
        }
        return "";
    }

    private static String at(Element element, String path) {
        Optional<Element> current = Optional.of(element);
        for (String name : path.split("/")) {
            current = current.flatMap(each -> child(each, name));
        }
        return current.map(each -> each.getTextContent().strip()).orElse("");
    }

    private static String text(Element element, String name) {
        return at(element, name);
    }

    private static Optional<Element> child(Element element, String name) {
        return children(element, name).stream().findFirst();
    }

    private static List<Element> children(Element element, String name) {
        List<Element> children = new ArrayList<>();
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element child && child.getTagName().equals(name)) {
                children.add(child);
            }
        }
        return children;
    }

    /** Checksums and signatures have none of their own. */
    private static boolean isSigned(String file) {
        return !file.matches(".*\\.(md5|sha1|sha256|sha512|asc)");
    }

    private void checkChecksums(String file) {
        for (String checksum : CHECKSUMS) {
            byte[] sum = files.get(file + "." + checksum);
            if (sum == null) {
                problems.add(file + "." + checksum + ": missing (expected: a checksum for each file)");
                continue;
            }
            String seen = new String(sum, StandardCharsets.US_ASCII).strip().toLowerCase(Locale.ROOT);
            String expected = digest(checksum, files.get(file));
            if (!seen.equals(expected)) {
                problems.add(file + "." + checksum + ": \"" + seen + "\" (expected: " + expected + ")");
            }
        }
    }

    private static String digest(String checksum, byte[] content) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance(checksum.equals("md5") ? "MD5" : "SHA-1")
                            .digest(content));
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }

    private void checkSignatures(Path publicKey) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("bundle");
        try {
            Path home = Files.createDirectory(folder.resolve("gnupg"));
            if (!succeeds(home, "--import", publicKey.toString())) {
                problems.add(publicKey + ": not a public key (expected: the key of the signatures, exported)");
                return;
            }
            Path content = folder.resolve("file");
            Path signature = folder.resolve("file.asc");
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                if (!isSigned(file.getKey())) {
                    continue;
                }
                byte[] given = files.get(file.getKey() + ".asc");
                if (given == null) {
                    problems.add(file.getKey() + ".asc: missing (expected: a signature for each file)");
                    continue;
                }
                Files.write(content, file.getValue());
                Files.write(signature, given);
                if (!succeeds(home, "--verify", signature.toString(), content.toString())) {
                    problems.add(file.getKey() + ".asc: not a signature of the file by the key of " + publicKey);
                }
            }
        } finally {
            delete(folder);
        }
    }

    private static boolean succeeds(Path home, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "gpg",
                "--homedir",
                home.toString(),
                "--batch",
                "--quiet",
                "--no-autostart",
                "--trust-model",
                "always"));
        command.addAll(List.of(arguments));
        Process gpg = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return gpg.waitFor() == 0;
    }

    private static void delete(Path folder) throws IOException {
        List<Path> all;
        try (var paths = Files.walk(folder)) {
            all = new ArrayList<>(paths.toList());
        }
        for (int i = all.size() - 1; i >= 0; i--) {
            Files.delete(all.get(i));
        }
    }
}
