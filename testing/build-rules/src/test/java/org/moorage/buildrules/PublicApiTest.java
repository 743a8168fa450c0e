// SPDX-License-Identifier: Apache-2.0
package org.moorage.buildrules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.annotation.Experimental;
import org.moorage.api.plugin.ApiVersion;

/**
 * The API that programs and plugins compile against: {@code api.txt} of each published module lists its public and protected types and
 * members, and which of them are {@link Experimental}. A change of the API shows there, to be reviewed with the code.
 */
@Tag("any-jvm")
class PublicApiTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", "."), "..", "..");
    private static final String ACCEPT = "./dev accept api";
    /** A type of the one package that is about the trees of a parser. */
    private static final Pattern TYPE_OF_TREES = Pattern.compile("^(?:\\w+ )+(?:org\\.moorage\\.objects\\.tree\\.)");
    /** Each object has these. */
    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

    /** The modules whose versions the bill of materials gives. */
    static Stream<String> published() throws IOException {
        return Pattern.compile("<groupId>org.moorage</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>\\$")
                .matcher(Files.readString(ROOT.resolve("packaging/bom/pom.xml")))
                .results()
                .map((MatchResult module) -> module.group(1));
    }

    // The folder of a module, as the parent lists it.
    private static String folder(String module) throws IOException {
        Matcher folder = Pattern.compile("<module>((?:[a-z]+/)?" + module + ")</module>")
                .matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(folder.find()).as("module %s in pom.xml", module).isTrue();
        return folder.group(1);
    }

    @ParameterizedTest
    @MethodSource("published")
    void isAsAccepted(String module) throws IOException, ReflectiveOperationException {
        Path folder = ROOT.resolve(folder(module));
        Path file = folder.resolve("api.txt");
        List<String> current = listing(folder.resolve("target/classes"));
        assertThat(withTypes(current))
                .as("members with types of a parser, whose version programs would have to follow")
                .noneMatch(
                        line -> hasParser(line) && !TYPE_OF_TREES.matcher(line).find());
        if (Boolean.getBoolean("api.accept")) {
            Files.write(file, current);
            return;
        }
        List<String> accepted = Files.exists(file) ? Files.readAllLines(file) : List.of();

        assertThat(current.equals(accepted))
                .as(
                        "whether %s/api.txt lists the public API of the module; it does not:%n%s%nto accept it: %s",
                        folder(module), differences(accepted, current), ACCEPT)
                .isTrue();
    }

    /** A jar is taken or refused by {@link ApiVersion#CURRENT}, which must be that of the artifact. */
    @Test
    void hasTheVersionOfTheBuild() throws IOException {
        String pom = Files.readString(ROOT.resolve("framework-api/pom.xml"));
        Matcher version = Pattern.compile("<artifactId>moorage-parent</artifactId>\\s*<version>(.*)</version>")
                .matcher(pom);

        assertThat(version.find()).isTrue();
        assertThat(ApiVersion.parse(version.group(1))).isEqualTo(ApiVersion.CURRENT);
    }

    private static boolean hasParser(String line) {
        return line.contains("com.fasterxml") || line.contains("org.yaml");
    }

    // A line has the member only, so each is shown with its type.
    private static String differences(List<String> accepted, List<String> current) {
        List<String> before = withTypes(accepted);
        List<String> now = withTypes(current);
        List<String> differences = new ArrayList<>();
        Set<String> kept = new HashSet<>(now);
        before.stream().filter(line -> !kept.contains(line)).forEach(line -> differences.add("- " + line));
        Set<String> known = new HashSet<>(before);
        now.stream().filter(line -> !known.contains(line)).forEach(line -> differences.add("+ " + line));
        return String.join("\n", differences);
    }

    private static List<String> withTypes(List<String> lines) {
        List<String> whole = new ArrayList<>();
        String type = "";
        for (String line : lines) {
            if (line.startsWith(" ")) {
                whole.add(type + ":" + line.substring(3));
            } else {
                type = line;
                whole.add(line);
            }
        }
        return whole;
    }

    private static List<String> listing(Path classes) throws IOException, ReflectiveOperationException {
        List<String> names;
        try (Stream<Path> files = Files.walk(classes)) {
            names = files.map(file -> classes.relativize(file).toString().replace('/', '.'))
                    .filter(name -> name.endsWith(".class") && !name.contains("-") && !name.contains(".internal."))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .sorted()
                    .toList();
        }
        List<String> lines = new ArrayList<>();
        for (String name : names) {
            Class<?> type = Class.forName(name, false, PublicApiTest.class.getClassLoader());
            if (isExported(type)) {
                lines.add(stability(type) + signature(type) + supertypes(type));
                lines.addAll(members(type));
            }
        }
        return lines;
    }

    // Later JDKs also say which types are sealed.
    private static String signature(Class<?> type) {
        return type.toGenericString().replace("non-sealed ", "").replace("sealed ", "");
    }

    private static String stability(AnnotatedElement element) {
        return element.isAnnotationPresent(Experimental.class) ? "@Experimental " : "";
    }

    private static boolean isExported(Class<?> type) {
        boolean isExported = isExported(type.getModifiers()) && !type.isAnonymousClass() && !type.isLocalClass();
        Class<?> outer = type.getEnclosingClass();
        return isExported && (outer == null || isExported(outer));
    }

    private static boolean isExported(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String supertypes(Class<?> type) {
        List<String> names = new ArrayList<>();
        Type superclass = type.getGenericSuperclass();
        if (superclass != null && superclass != Object.class) {
            names.add(superclass.getTypeName());
        }
        Arrays.stream(type.getGenericInterfaces()).map(Type::getTypeName).forEach(names::add);
        return names.isEmpty() ? "" : " : " + String.join(", ", names);
    }

    private static Set<String> members(Class<?> type) {
        Set<String> lines = new TreeSet<>();
        for (Field field : type.getDeclaredFields()) {
            add(field, field.toGenericString(), lines);
        }
        for (Executable constructor : type.getDeclaredConstructors()) {
            add(constructor, constructor.toGenericString(), lines);
        }
        for (Method method : type.getDeclaredMethods()) {
            if (!OF_EVERY_OBJECT.contains(method.getName())) {
                add(method, method.toGenericString(), lines);
            }
        }
        return lines;
    }

    private static <M extends Member & AnnotatedElement> void add(M member, String text, Set<String> lines) {
        if (isExported(member.getModifiers()) && !member.isSynthetic()) {
            String name = member.getDeclaringClass().getName();
            lines.add("    " + stability(member) + text.replace(name + ".", "").replace("synchronized ", ""));
        }
    }
}
