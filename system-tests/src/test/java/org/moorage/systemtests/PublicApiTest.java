// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.plugin.ApiVersion;

/**
 * What plugin authors compile against, as text: {@code api.txt} of each module, one line for each public type, constructor,
 * method and field. A change of the API shows there, to be reviewed with the code. {@code -Dapi.accept=additions} writes the files,
 * {@code breaks} also where plugins built for the API before would fail, unless the version promises that they do not; {@code release}
 * after a release, which later versions are held to.
 */
class PublicApiTest {
    /** A module and its exported packages. */
    record Module(String name, String packages) {
        @Override
        public String toString() {
            return name;
        }

        Path file() {
            return Path.of(System.getProperty("basedir", "."))
                    .resolveSibling(name)
                    .resolve("api.txt");
        }
    }

    private static final String ACCEPT = "mvn -pl system-tests -am test -Dtest=PublicApiTest -Dtests.required=false"
            + " -Dsurefire.failIfNoSpecifiedTests=false -Dapi.accept=";

    static final Module[] MODULES = {
        new Module("framework-api", "org.moorage.api"), new Module("framework-testkit", "org.moorage.testkit")
    };

    @ParameterizedTest
    @FieldSource("MODULES")
    void isAsRecorded(Module module) throws IOException {
        List<String> lines = List.copyOf(lines(module));
        RecordedApi recorded = RecordedApi.read(module.file());
        List<String> breaks = recorded.breaks(lines);
        String accept = System.getProperty("api.accept", "");
        assertThat(accept).as("-Dapi.accept").isIn("", "additions", "breaks", "release");
        if (!breaks.isEmpty()) {
            assertThat(recorded.mayBreakIn(ApiVersion.CURRENT))
                    .as(
                            "whether version %s may leave out what release %s had: plugins built for that would be taken, and fail"
                                    + " for want of%n%s",
                            ApiVersion.CURRENT, recorded.lastRelease(), String.join("\n", breaks))
                    .isTrue();
            if (!accept.equals("breaks")) {
                assertThat(breaks)
                        .as(
                                "what breaks plugins built for the public API of %s; to accept it: %sbreaks",
                                module, ACCEPT)
                        .isEmpty();
            }
        }
        if (accept.equals("release")) {
            new RecordedApi(ApiVersion.CURRENT.toString(), lines).write(module.file());
        } else if (!accept.isEmpty()) {
            new RecordedApi(recorded.lastRelease(), lines).write(module.file());
        } else {
            assertThat(recorded.added(lines))
                    .as("what is new in the public API of %s; to accept it: %sadditions", module, ACCEPT)
                    .isEmpty();
        }
    }

    /** A jar is taken or refused by {@link ApiVersion#CURRENT}, which must be that of the artifact. */
    @Test
    void hasTheVersionOfTheBuild() throws IOException {
        String pom = Files.readString(MODULES[0].file().resolveSibling("pom.xml"));
        Matcher version = Pattern.compile("<artifactId>moorage-parent</artifactId>\\s*<version>(.*)</version>")
                .matcher(pom);

        assertThat(version.find()).isTrue();
        assertThat(ApiVersion.parse(version.group(1))).isEqualTo(ApiVersion.CURRENT);
    }

    private static Set<String> lines(Module module) {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(module.packages);
        Set<String> lines = new TreeSet<>();
        for (JavaClass type : classes) {
            if (isExported(type)) {
                add(type, lines);
            }
        }
        return lines;
    }

    private static boolean isExported(JavaClass type) {
        return isExported((HasModifiers) type)
                && !type.isAnonymousClass()
                && !type.getSimpleName().equals("package-info")
                && type.getEnclosingClass().map(PublicApiTest::isExported).orElse(true);
    }

    private static boolean isExported(HasModifiers member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }

    private static void add(JavaClass type, Set<String> lines) {
        String supertypes = type.getInterfaces().stream()
                .map(JavaType::getName)
                .sorted()
                .map(name -> " " + name)
                .collect(Collectors.joining());
        String superclass = type.getRawSuperclass().map(JavaClass::getName).orElse("-");
        lines.add(type.getName() + " : " + modifiers(type) + " " + superclass + supertypes);
        for (JavaField field : type.getFields()) {
            if (isExported((HasModifiers) field)) {
                lines.add(type.getName() + "." + field.getName() + " : " + modifiers(field) + " "
                        + field.getType().getName());
            }
        }
        for (JavaCodeUnit unit : type.getCodeUnits()) {
            if (isExported((HasModifiers) unit)) {
                String parameters =
                        unit.getParameterTypes().stream().map(JavaType::getName).collect(Collectors.joining(", "));
                lines.add(type.getName() + "." + unit.getName() + "(" + parameters + ") : " + modifiers(unit) + " "
                        + unit.getReturnType().getName());
            }
        }
    }

    private static String modifiers(HasModifiers member) {
        return member.getModifiers().stream()
                .map(modifier -> modifier.toString().toLowerCase(Locale.ROOT))
                .sorted()
                .collect(Collectors.joining(" "));
    }
}
