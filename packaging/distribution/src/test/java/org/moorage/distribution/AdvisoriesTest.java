// SPDX-License-Identifier: Apache-2.0
package org.moorage.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.distribution.Shipped.Component;

class AdvisoriesTest {
    /** Names an export of an OSV database: a folder, or an archive such as the one of all advisories for Maven. */
    private static final String DATABASE = "OSV_DATABASE";

    @TempDir
    private Path folder;

    @Test
    void noneConcernsWhatIsShipped() throws IOException {
        String database = System.getenv(DATABASE);
        if (database == null) {
            System.err.println("advisories: skipped, since " + DATABASE + " names no export of an OSV database");
        }
        assumeThat(database).as(DATABASE).isNotNull();
        Advisories advisories = new Advisories(Path.of(String.valueOf(database)));

        List<String> found = advisories.concerning(Shipped.components());

        System.err.println("advisories: " + advisories.read() + " read, " + found.size() + " concern what is shipped");
        assertThat(advisories.read()).as("advisories in " + database).isPositive();
        assertThat(found).as("known vulnerabilities of what is shipped").isEmpty();
    }

    record Case(String name, String affected, String version, boolean isConcerned) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String RANGE = "\"ranges\": [{\"type\": \"ECOSYSTEM\", \"events\": [%s]}]";

    static final List<Case> CASES = List.of(
            range("before the first version of the range", "{\"introduced\": \"1.2\"}", "1.1", false),
            range("the first version of the range", "{\"introduced\": \"1.2\"}", "1.2", true),
            range("any version of a range that is open", "{\"introduced\": \"0\"}", "9", true),
            range("a snapshot of the first version", "{\"introduced\": \"0\"}", "0-SNAPSHOT", true),
            range("the last version before the fix", "{\"introduced\": \"0\"}, {\"fixed\": \"2.10\"}", "2.9", true),
            range("the fix", "{\"introduced\": \"0\"}, {\"fixed\": \"2.10\"}", "2.10.0", false),
            range("a candidate of the fix", "{\"introduced\": \"0\"}, {\"fixed\": \"2.10\"}", "2.10-rc1", true),
            range("the last that is affected", "{\"introduced\": \"0\"}, {\"last_affected\": \"2.4\"}", "2.4", true),
            range(
                    "after the last that is affected",
                    "{\"introduced\": \"0\"}, {\"last_affected\": \"2.4\"}",
                    "2.5",
                    false),
            range(
                    "between two ranges, out of order",
                    "{\"introduced\": \"3\"}, {\"fixed\": \"2.1\"}, {\"introduced\": \"0\"}, {\"fixed\": \"3.3\"}",
                    "2.5",
                    false),
            range(
                    "in the second of two ranges, out of order",
                    "{\"introduced\": \"3\"}, {\"fixed\": \"2.1\"}, {\"introduced\": \"0\"}, {\"fixed\": \"3.3\"}",
                    "3.1",
                    true),
            new Case("a version that is listed", "\"versions\": [\"1.0\", \"1.1\"]", "1.1", true),
            new Case("a version that is not listed", "\"versions\": [\"1.0\", \"1.1\"]", "1.2", false));

    private static Case range(String name, String events, String version, boolean isConcerned) {
        return new Case(name, String.format(RANGE, events), version, isConcerned);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void findsAffectedVersions(Case given) throws IOException {
        Files.writeString(folder.resolve("made-up.json"), advisory("", "Maven", "com.example:lib", given.affected));

        List<String> found = new Advisories(folder)
                .concerning(List.of(
                        new Component("com.example", "lib", given.version, ""),
                        new Component("com.example", "other", given.version, "")));

        assertThat(found)
                .isEqualTo(
                        given.isConcerned
                                ? List.of("com.example:lib:" + given.version + ": MADE-UP-1 of a generated library")
                                : List.of());
    }

    @Test
    void readsAnArchiveAndSkipsWithdrawnAdvisoriesAndOtherEcosystems() throws IOException {
        Path archive = folder.resolve("all.zip");
        String all = String.format(RANGE, "{\"introduced\": \"0\"}");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
            for (String text : List.of(
                    advisory("\"withdrawn\": \"2026-01-01T00:00:00Z\",", "Maven", "com.example:lib", all),
                    advisory("", "npm", "com.example:lib", all),
                    advisory("", "Maven", "com.example:second", all))) {
                zip.putNextEntry(new ZipEntry(Integer.toHexString(text.hashCode()) + ".json"));
                zip.write(text.getBytes(StandardCharsets.UTF_8));
            }
        }
        Advisories advisories = new Advisories(archive);

        assertThat(advisories.concerning(List.of(
                        new Component("com.example", "lib", "1", ""), new Component("com.example", "second", "1", ""))))
                .containsExactly("com.example:second:1: MADE-UP-1 of a generated library");
        assertThat(advisories.read()).isEqualTo(3);
    }

    private static String advisory(String more, String ecosystem, String name, String affected) {
        return "{\"id\": \"MADE-UP-1\", " + more + " \"summary\": \"of a generated library\", \"affected\": [{"
                + "\"package\": {\"ecosystem\": \"" + ecosystem + "\", \"name\": \"" + name + "\"}, " + affected
                + "}]}";
    }
}
