// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.reader.StreamReader;

class LongYamlTest {
    private static final int SHORT = 500_000;
    private static final int LONG = 8 * SHORT;
    private static final int SEEDS = 300;
    private static final String[] PIECES = {
        "a", "b: ", "\n", "\r\n", "\r", " ", "\t", "é", "\u2028", "😀", "\ufeff", "#"
    };

    /**
     * A part of a manifest that may have any length.
     *
     * @param yaml the value of the annotation, and what follows it, for a length
     */
    private record Part(String name, IntFunction<String> yaml) {
        String manifest(int length) {
            return "apiVersion: v1\nkind: Node\nmetadata:\n  name: web\n  annotations:\n    text: " + yaml.apply(length)
                    + "\n";
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Part> parts() {
        return Stream.of(
                new Part("a plain text", "a"::repeat),
                new Part("words", length -> "some words ".repeat(length / 11)),
                new Part("a text in single quotes", length -> "'" + "a".repeat(length) + "'"),
                new Part("a text in double quotes", length -> '"' + "a".repeat(length) + '"'),
                new Part("escapes", length -> '"' + "\\n".repeat(length / 2) + '"'),
                new Part("quoted lines", length -> '"' + "words\n      ".repeat(length / 12) + '"'),
                new Part("characters beyond 16 bits", length -> "😀".repeat(length / 2)),
                new Part("a long line of a block", length -> "|\n      " + "a".repeat(length)),
                new Part("many lines of a block", length -> "|" + "\n      a".repeat(length / 8)),
                new Part("a folded block", length -> ">" + "\n      a".repeat(length / 8)),
                new Part("a comment", length -> "a # " + "a".repeat(length)),
                new Part("a comment line", length -> "a\n#" + "a".repeat(length)),
                new Part("blank characters", length -> "a" + " ".repeat(length)),
                new Part("tabs that end a line", length -> "a" + "\t".repeat(length)),
                new Part("tabs in quotes", length -> "'" + "\t".repeat(length) + "a'"),
                new Part("marks of blocks", length -> "'" + " |".repeat(length / 2) + "'"),
                new Part("empty lines", length -> "a" + "\n".repeat(length)),
                new Part("digits", "1"::repeat),
                new Part("a number with underscores", length -> "0b1" + "_".repeat(length) + "x"),
                new Part("braces of a template", length -> "'" + "{{ ".repeat(length / 3) + "'"),
                new Part("documents", length -> "a" + "\n---".repeat(length / 4)));
    }

    @ParameterizedTest
    @MethodSource("parts")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void readsInMemoryProportionalToTheLength(Part part) {
        long ignored = allocated(part.manifest(SHORT));
        long few = allocated(part.manifest(SHORT));
        long many = allocated(part.manifest(LONG));

        // Eight times as much, or 64 times as much where each part is copied again and again.
        assertThat((double) many / few).isLessThan(24);
    }

    // Unlike its time, the allocation of one thread does not depend on the load of the machine.
    private static long allocated(String manifest) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] bytes = manifest.getBytes(UTF_8);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        List<ObjectNode> read = ClusterFiles.read(List.of("-"), new ByteArrayInputStream(bytes));
        long after = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        assertThat(read).hasSize(1);
        return after - before;
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void readsCharactersAsTheLibrarysOwnReader() {
        for (int seed = 0; seed < SEEDS; seed++) {
            RandomGenerator random = new SplittableRandom(seed);
            StringBuilder text = new StringBuilder();
            int pieces = random.nextInt(3000);
            for (int i = 0; i < pieces; i++) {
                text.append(PIECES[random.nextInt(PIECES.length)]);
            }
            StreamReader expected = new StreamReader(new StringReader(text.toString()));
            StreamReader read = new LinearStreamReader(inPieces(text.toString(), random.nextInt(1, 50)));
            for (int step = 0; step < 400; step++) {
                int length = random.nextInt(random.nextInt(10) == 0 ? 400 : 5);
                int kind = random.nextInt(4);
                assertThat(step(read, kind, length))
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(step(expected, kind, length));
            }
        }
    }

    private static Reader inPieces(String text, int length) {
        return new StringReader(text) {
            @Override
            public int read(char[] buffer, int offset, int most) throws IOException {
                return super.read(buffer, offset, Math.min(most, length));
            }
        };
    }

    private static String step(StreamReader reader, int kind, int length) {
        String seen = switch (kind) {
            case 0 -> Integer.toHexString(reader.peek(length));
            case 1 -> reader.prefix(length);
            case 2 -> {
                reader.forward(length);
                yield "";
            }
            default -> Integer.toHexString(reader.peek());
        };
        // Not the text around it, of which a window may lack the part before it.
        Mark mark = reader.getMark();
        return seen + " " + mark.getLine() + ":" + mark.getColumn() + ":" + mark.getIndex() + " " + reader.getIndex()
                + " " + reader.getDocumentIndex() + " " + reader.getLine() + " " + reader.getColumn();
    }
}
