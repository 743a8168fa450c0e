// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.moorage.app.internal.process.CommandException;

class HtmlReportTest {
    private static final Pattern POLICY = Pattern.compile("Content-Security-Policy\" content=\"([^\"]*)\"");
    private static final Pattern STYLE = Pattern.compile("<style>(.*?)</style>", Pattern.DOTALL);
    private static final Pattern SCRIPT = Pattern.compile("<script>(.*?)</script>", Pattern.DOTALL);
    // Markup that makes a browser load a resource.
    private static final Pattern LOADS =
            Pattern.compile("<(?:link|iframe|object|embed|img|base)\\b|\\bsrc=|@import|url\\(|\\bimport\\(");

    @TempDir
    Path folder;

    private static String group(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        assertThat(found.find()).isTrue();
        String first = found.group(1);
        assertThat(found.find()).as("only one").isFalse();
        return first;
    }

    private static String hash(String text) throws NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    }

    @Test
    void loadsNothingAndRunsOnlyItsOwnScript() throws NoSuchAlgorithmException {
        String page =
                new String(HtmlReport.bytes(PageFixture.generated(folder, 3, 9).build()), UTF_8);

        String policy = group(POLICY, page);
        assertThat(policy.split("; "))
                .containsExactly(
                        "default-src 'none'",
                        "script-src " + hash(group(SCRIPT, page)),
                        "style-src " + hash(group(STYLE, page)),
                        "base-uri 'none'",
                        "form-action 'none'");
        String markup = page.replace(group(SCRIPT, page), "");
        assertThat(LOADS.matcher(markup).find()).isFalse();
    }

    @Test
    void asksItsOwnServerIfItIsServed() {
        byte[] page = HtmlReport.bytes(PageFixture.generated(folder, 3, 9)
                .paths(new PageContent.Paths("data", "explain", "", ""))
                .build());

        assertThat(group(POLICY, new String(page, UTF_8))).endsWith("; connect-src 'self'");
    }

    @Test
    void takesNoTextForMarkup() throws IOException {
        byte[] page = HtmlReport.bytes(PageFixture.hostile(folder).build());

        assertThat(new String(page, UTF_8)).doesNotContain("pwned");
        JsonNode data = PageFixture.data(page).orElseThrow();
        assertThat(data.path("title").asText()).isEqualTo(PageFixture.HOSTILE);
        assertThat(data.path("cluster").path("names"))
                .anyMatch(name -> name.asText().equals(PageFixture.HOSTILE));
    }

    @Test
    void isSmallForAThousandNodesAndMore() {
        PageContent.Builder builder = PageFixture.generated(folder, 1_500, 8_000);
        PageContent content = builder.before(builder.build().cluster()).build();

        assertThat(HtmlReport.bytes(content)).hasSizeLessThan(1 << 20);
    }

    @Test
    void hasAValueOfEachColumnForEachNodeAndPod() throws IOException {
        PageContent content = PageFixture.generated(folder, 40, 200).build();

        JsonNode cluster =
                PageFixture.data(HtmlReport.bytes(content)).orElseThrow().path("cluster");

        Map<String, Integer> bounds = new HashMap<>();
        for (String column : List.of("zone", "type", "state", "taints", "namespace", "owner", "message")) {
            bounds.put(column, cluster.path("names").size());
        }
        for (String column : List.of("allocatable", "requests")) {
            bounds.put(column, cluster.path("amounts").size());
        }
        bounds.put("node", content.cluster().nodes().size());
        for (String table : List.of("nodes", "pods")) {
            int rows = table.equals("nodes")
                    ? content.cluster().nodes().size()
                    : content.cluster().pods().size();
            cluster.path(table).properties().forEach(column -> {
                assertThat(column.getValue()).as(column.getKey()).hasSize(rows);
                Integer bound = bounds.get(column.getKey());
                if (bound != null) {
                    assertThat(column.getValue()).allMatch(value -> value.asInt() >= -1 && value.asInt() < bound);
                }
            });
        }
        assertThat(cluster.path("amounts"))
                .allMatch(set -> set.size() == cluster.path("resources").size());
        assertThat(cluster.path("resources"))
                .extracting(JsonNode::asText)
                .containsExactly("cpu", "memory", "ephemeral-storage", "nvidia.com/gpu");
    }

    @Test
    void omitsHundredsOfArbitraryResources() throws IOException {
        StringBuilder allocatable = new StringBuilder("\"cpu\":\"4\",\"pods\":\"10\"");
        for (int i = 0; i < 500; i++) {
            allocatable.append(",\"example.com/r").append(i).append("\":\"1\"");
        }
        ClusterView view = ClusterView.of(PageFixture.cluster(
                        folder,
                        "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"status\":{\"allocatable\":{"
                                + allocatable + "}}}\n")
                .objects());

        JsonNode data = PageFixture.data(
                        HtmlReport.bytes(PageContent.of("many", view).build()))
                .orElseThrow();

        assertThat(data.path("cluster").path("resources")).hasSize(26);
    }

    @Test
    void reportsThatAFileCannotBeWritten() throws IOException {
        Path file = Files.createDirectory(folder.resolve("taken"));
        PageContent content = PageFixture.generated(folder, 1, 1).build();

        assertThatThrownBy(() -> HtmlReport.write(file, content))
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("--report " + file + ": cannot be written: ");
    }
}
