// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.moorage.objects.ClusterFileException;

/** Compares the parser on another thread with the one on the caller's. */
final class ReadAheadTest {
    private static final int SEEDS = 100;
    /** Longer than what is parsed on the caller's thread. */
    private static final int LONG = 80_000;

    private static final List<String> JSON = List.of(
            "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%d\"}}",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"name\":\"p%d\"}}",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"twice\"},\"x\":%d}",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"generateName\":\"g-\"},\"x\":%d}",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":%d}}",
            "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"unversioned-%d\"}}",
            "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\","
                    + "\"metadata\":{\"name\":\"i%d\"}},7,{\"a\":1,\"a\":2},[],"
                    + "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"i\",\"name\":\"twice\"}}]}",
            "{\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"u%d\"}},{\"metadata\":{}}],\"kind\":\"PodList\"}",
            "{\"kind\":\"Pod\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"w%d\"}}]}",
            "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"items\":"
                    + "[{\"metadata\":{\"name\":\"nested-%d\"}},{\"metadata\":{\"name\":\"nested\"}}]}]}",
            "[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a%d\"}},[[{\"b\":1}]]]",
            "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":%d}",
            "%d",
            "null");

    private static final List<String> BROKEN = List.of(
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"{{ x }}\"}}",
            "{\"apiVersion\":",
            "}",
            "[{]",
            "{\"a\" 1}",
            "\u0000");

    private static final List<String> YAML = List.of(
            "apiVersion: v1\nkind: Node\nmetadata: {name: y%d}\n",
            "apiVersion: v1\nkind: Node\nmetadata:\n  name: y\n  name: z%d\n",
            "# %d\n",
            "apiVersion: v1\nkind: List\nitems:\n- &first {apiVersion: v1, kind: Node, metadata: {name: f%d}}\n- *first\n",
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: l%d}}\n- text\n",
            "name: {{ .Values.name }}-%d\n",
            "a: *none\nb: %d\n",
            "a: [%d\n");

    /** Everything that a reader returns. */
    private record Outcome(List<String> objects, List<String> notes, List<String> warnings, String problems) {}

    private static final Executor THREADS = work -> new Thread(work, "parser").start();

    private static Outcome read(String text, Optional<Executor> parsers) {
        List<String> objects = new ArrayList<>();
        InputNotes notes = new InputNotes();
        ClusterFiles.read(
                List.of("-"),
                new ByteArrayInputStream(text.getBytes(UTF_8)),
                notes,
                (object, position) -> {
                    objects.add(position + " " + object);
                    notes.check(object, position);
                    if (object.has("x")) {
                        throw new ClusterFileException("x: refused");
                    }
                },
                parsers);
        String problems = "";
        try {
            notes.throwProblems();
        } catch (ClusterFileException e) {
            problems = String.valueOf(e.getMessage());
        }
        return new Outcome(objects, notes.notes(), notes.warnings(), problems);
    }

    private static String json(RandomGenerator random) {
        StringBuilder text =
                new StringBuilder("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"first\"}}\n");
        while (text.length() < LONG) {
            int kind = random.nextInt(40);
            text.append(JSON.get(kind < JSON.size() && random.nextBoolean() ? kind : 0)
                            .replace("%d", "" + text.length()))
                    .append(random.nextBoolean() ? "\n" : " ");
        }
        return text + (random.nextBoolean() ? BROKEN.get(random.nextInt(BROKEN.size())) : "");
    }

    private static String yaml(RandomGenerator random) {
        StringBuilder text = new StringBuilder("apiVersion: v1\nkind: Node\nmetadata: {name: first}\n");
        while (text.length() < LONG) {
            int kind = random.nextInt(random.nextInt(8) > 0 ? 5 : 900);
            text.append("---\n").append(YAML.get(kind < YAML.size() ? kind : 0).replace("%d", "" + text.length()));
        }
        return text.toString();
    }

    @Test
    void readsWhatTheCallersThreadReads() {
        for (int seed = 0; seed < SEEDS; seed++) {
            RandomGenerator random = new SplittableRandom(seed);
            String text = seed % 10 == 0 ? yaml(random) : json(random);

            assertThat(read(text, Optional.of(THREADS))).as("seed %d", seed).isEqualTo(read(text, Optional.empty()));
        }
    }

    @Test
    void readsAnObjectThatIsLongerThanABatch() {
        String text = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{\"a\":\""
                + "a".repeat(1_000_000) + "\"}}"
                + "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"}}";

        assertThat(read(text, Optional.of(THREADS))).isEqualTo(read(text, Optional.empty()));
    }

    @Test
    void endsTheParserBeforeItReturnsAFailureOfTheReceiver() {
        AtomicReference<Thread> parser = new AtomicReference<>();
        Executor executor = work -> {
            parser.set(new Thread(work, "parser"));
            parser.get().start();
        };
        byte[] text = json(new SplittableRandom(1)).getBytes(UTF_8);

        assertThatThrownBy(() -> ClusterFiles.read(
                        List.of("-"),
                        new ByteArrayInputStream(text),
                        new InputNotes(),
                        (object, position) -> {
                            throw new IllegalStateException("the receiver fails");
                        },
                        Optional.of(executor)))
                .hasMessage("the receiver fails");
        assertThat(parser.get()).satisfies(thread -> {
            thread.join();
            assertThat(thread.isAlive()).isFalse();
        });
    }

    @Test
    void reportsAnInputThatCannotBeReadAfterItsObjects() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the disk fails");
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                throw new IOException("the disk fails");
            }
        };
        StringBuilder nodes = new StringBuilder();
        for (int i = 0; i < 2000; i++) {
            nodes.append(JSON.get(0).formatted(i));
        }
        byte[] text = nodes.toString().getBytes(UTF_8);
        InputNotes notes = new InputNotes();
        List<String> names = new ArrayList<>();

        ClusterFiles.read(
                List.of("-"),
                new SequenceInputStream(new ByteArrayInputStream(text, 0, 70_000), broken),
                notes,
                (object, position) ->
                        names.add(object.path("metadata").path("name").asText()),
                Optional.of(THREADS));

        assertThat(names).startsWith("n0", "n1").hasSizeBetween(500, 1500);
        assertThatThrownBy(notes::throwProblems).hasMessageContaining("the disk fails");
    }
}
