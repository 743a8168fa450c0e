// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.LabelSelector;
import org.moorage.api.model.NodeAffinity;
import org.moorage.api.model.NodeSelector;
import org.moorage.api.plugin.IntOrString;
import org.moorage.api.plugin.PluginArgs;
import org.moorage.api.plugin.Problems;
import org.moorage.config.internal.RecordBinder;
import org.moorage.config.internal.Setting;
import org.moorage.config.internal.SourceTree;
import org.moorage.config.internal.ZeroIsUnset;

class RecordBinderTest {
    private static final ObjectMapper YAML = new YAMLMapper();

    enum Mode {
        FAST,
        VERY_SAFE,
        Odd
    }

    record Limit(String name, int most) {
        static final Limit DEFAULTS = new Limit("any", 7);
    }

    record Plain(String name, int most) {}

    record Args(
            int count,
            long big,
            double share,
            boolean on,
            String text,
            Duration timeout,
            Mode mode,
            Limit limit,
            Plain plain,
            Optional<Plain> maybe,
            OptionalInt maybeCount,
            OptionalLong maybeBig,
            Optional<String> maybeText,
            List<Limit> limits,
            Map<String, List<Integer>> byName)
            implements PluginArgs {
        static final Args DEFAULTS = new Args(
                1,
                2,
                0.5,
                true,
                "text",
                Duration.ofMinutes(10),
                Mode.VERY_SAFE,
                new Limit("mine", 9),
                new Plain("plain", 3),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                List.of(),
                Map.of());
    }

    record Models(Optional<NodeAffinity> affinity, Optional<LabelSelector> selector) implements PluginArgs {
        static final Models DEFAULTS = new Models(Optional.empty(), Optional.empty());
    }

    record Range(IntOrString range) implements PluginArgs {
        static final Range DEFAULTS = new Range(IntOrString.of("5m"));
    }

    @Nested
    class Reading {
        @Test
        void readsANumberOrATextAndWritesItBack() {
            for (String yaml : List.of("{}", "range: 60", "range: 90s", "range: '60'")) {
                Range args = read(yaml, Range.class);

                assertThat(args.range())
                        .isEqualTo(
                                switch (yaml) {
                                    case "{}" -> IntOrString.of("5m");
                                    case "range: 60" -> IntOrString.of(60);
                                    case "range: 90s" -> IntOrString.of("90s");
                                    default -> IntOrString.of("60");
                                });
                assertThat(read(RecordBinder.toTree(args).toString(), Range.class))
                        .isEqualTo(args);
            }
        }

        @Test
        void refusesWhatIsNeitherANumberNorAText() {
            assertThat(problems("range: [60]", Range.class))
                    .containsExactly("args.range: [60] (expected: a whole number or a text)");
            assertThat(problems("range: 1.5", Range.class))
                    .containsExactly("args.range: 1.5 (expected: a whole number)");
        }

        @Test
        void takesTheDefaultsForWhatIsNotGivenOrNull() {
            assertThat(read("{}", Args.class)).isEqualTo(Args.DEFAULTS);
            assertThat(read("{count: null, limits: null, limit: null, maybe: null}", Args.class))
                    .isEqualTo(Args.DEFAULTS);
        }

        @Test
        void readsEveryType() {
            Args args = read("""
                    count: -3
                    big: 9000000000
                    share: 2
                    on: false
                    text: ''
                    timeout: 1m30s
                    mode: Fast
                    limit: {name: x, most: 1}
                    plain: {name: 'y', most: 2}
                    maybe: {name: z}
                    maybeCount: 4
                    maybeBig: 5
                    maybeText: t
                    limits: [{name: a}, {most: 3.0}]
                    byName: {b: [2, 1], a: []}
                    """, Args.class);

            assertThat(args)
                    .isEqualTo(new Args(
                            -3,
                            9_000_000_000L,
                            2.0,
                            false,
                            "",
                            Duration.ofSeconds(90),
                            Mode.FAST,
                            new Limit("x", 1),
                            new Plain("y", 2),
                            Optional.of(new Plain("z", 0)),
                            OptionalInt.of(4),
                            OptionalLong.of(5),
                            Optional.of("t"),
                            List.of(new Limit("a", 7), new Limit("any", 3)),
                            Map.of("b", List.of(2, 1), "a", List.of())));
        }

        @Test
        void takesTheRestOfANestedRecordFromItsOwnDefaultsOrFromThoseAround() {
            Args args = read("{limit: {name: x}, plain: {name: 'y'}}", Args.class);

            assertThat(args.limit()).isEqualTo(new Limit("x", 7));
            assertThat(args.plain()).isEqualTo(new Plain("y", 3));
        }

        @Test
        void readsAffinityInTheFormOfKubernetes() {
            Models models = read("""
                    affinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms:
                        - matchExpressions: [{key: zone, operator: In, values: [a, b]}]
                        - matchFields: [{key: metadata.name, operator: NotIn, values: [x]}]
                      preferredDuringSchedulingIgnoredDuringExecution:
                      - weight: 5
                        preference: {matchExpressions: [{key: disk, operator: Exists}]}
                    selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: DoesNotExist}]}
                    """, Models.class);

            NodeSelector.Requirement zone = new NodeSelector.Requirement("zone", "In", List.of("a", "b"));
            NodeSelector.Requirement name = new NodeSelector.Requirement("metadata.name", "NotIn", List.of("x"));
            NodeSelector.Requirement disk = new NodeSelector.Requirement("disk", "Exists", List.of());
            assertThat(models)
                    .isEqualTo(new Models(
                            Optional.of(new NodeAffinity(
                                    Optional.of(new NodeSelector(List.of(
                                            new NodeSelector.Term(List.of(zone), List.of()),
                                            new NodeSelector.Term(List.of(), List.of(name))))),
                                    List.of(new NodeAffinity.Preferred(
                                            5, new NodeSelector.Term(List.of(disk), List.of()))))),
                            Optional.of(new LabelSelector(
                                    Map.of("app", "web"),
                                    List.of(new LabelSelector.Requirement("tier", "DoesNotExist", List.of()))))));
        }
    }

    @Nested
    class Refusing {
        record Case(String name, String yaml, String problem) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            return Stream.of(
                    new Case("text for a number", "count: '3'", "args.count: \"3\" (expected: a whole number)"),
                    new Case("fraction for a number", "count: 2.5", "args.count: 2.5 (expected: a whole number)"),
                    new Case(
                            "number out of range",
                            "count: 3000000000",
                            "args.count: 3000000000 (expected: a whole number from -2147483648 to 2147483647)"),
                    new Case("text for a fraction", "share: much", "args.share: \"much\" (expected: a number)"),
                    new Case("text for a switch", "'on': 'true'", "args.on: \"true\" (expected: true or false)"),
                    new Case("number for a text", "text: 5", "args.text: 5 (expected: a text; quote it)"),
                    new Case("list for a text", "text: [5]", "args.text: [5] (expected: a text)"),
                    new Case(
                            "number for a duration",
                            "timeout: 15",
                            "args.timeout: 15 (expected: a duration such as 15s, 1m30s or 100ms)"),
                    new Case(
                            "word that is no constant",
                            "mode: Slow",
                            "args.mode: \"Slow\" (expected: one of Fast, VerySafe, Odd)"),
                    new Case(
                            "name of a constant in Java",
                            "mode: FAST",
                            "args.mode: \"FAST\" (expected: one of Fast, VerySafe, Odd)"),
                    new Case("text for a record", "limit: x", "args.limit: \"x\" (expected: an object)"),
                    new Case("text for a list", "limits: x", "args.limits: \"x\" (expected: a list)"),
                    new Case("list for a map", "byName: []", "args.byName: [] (expected: a map)"),
                    new Case("wrong item", "byName: {a: [1, x]}", "args.byName.a[1]: \"x\" (expected: a whole number)"),
                    new Case("unknown field", "cuont: 3", "args.cuont: unknown field. Did you mean count?"),
                    new Case(
                            "unknown nested field",
                            "limits: [{}, {color: 3}]",
                            "args.limits[1].color: unknown field (expected: one of most, name)"));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void saysWhereAndWhatIsExpected(Case c) {
            assertThat(problems(c.yaml, Args.class)).containsExactly(c.problem);
        }

        @Test
        void refusesFieldsThatKubernetesDoesNotHave() {
            assertThat(problems("affinity: {required: {terms: []}}", Models.class))
                    .containsExactly("args.affinity.required: unknown field (expected: one of"
                            + " preferredDuringSchedulingIgnoredDuringExecution,"
                            + " requiredDuringSchedulingIgnoredDuringExecution)");
        }

        @Test
        void reportsWhatAConstructorThrows() {
            assertThat(problems("{least: 3}", Throwing.class))
                    .containsExactly("args: refused by " + Throwing.class.getName()
                            + ": java.lang.IllegalArgumentException: least: 3");
        }
    }

    record Throwing(int least) implements PluginArgs {
        static final Throwing DEFAULTS = new Throwing(0);

        Throwing {
            if (least == 3) {
                throw new IllegalArgumentException("least: 3");
            }
        }
    }

    record WithoutDefaults(int count) implements PluginArgs {}

    record Unreadable(Object anything) implements PluginArgs {
        static final Unreadable DEFAULTS = new Unreadable("x");
    }

    static final class NotARecord implements PluginArgs {}

    @Nested
    class TypesThatWillNotDo {
        @Test
        void saysWhatATypeLacks() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> read("{}", WithoutDefaults.class))
                    .withMessageContaining("a static DEFAULTS");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> read("{}", NotARecord.class))
                    .withMessageContaining("a record");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> read("{anything: 1}", Unreadable.class))
                    .withMessageStartingWith("java.lang.Object: not a type that arguments can have");
        }
    }

    @Nested
    class Writing {
        record Case(String name, Class<? extends PluginArgs> type, String yaml, String written) {
            @Override
            public String toString() {
                return name;
            }
        }

        static Stream<Case> cases() {
            return Stream.of(
                    new Case("defaults, without what is empty", Args.class, "{}", """
                            {count: 1, big: 2, share: 0.5, "on": true, text: text, timeout: 10m0s, mode: VerySafe,
                             limit: {name: mine, most: 9}, plain: {name: plain, most: 3}}
                            """),
                    new Case("everything", Args.class, """
                            {count: 0, big: 9000000000, share: 3, "on": false, text: "", timeout: 0s, mode: Odd,
                             limit: {name: a, most: 1}, plain: {name: b, most: 2}, maybe: {name: c, most: 0},
                             maybeCount: 0, maybeBig: 1, maybeText: "", limits: [{name: d, most: 4}], byName: {e: [5]}}
                            """, """
                            {count: 0, big: 9000000000, share: 3, "on": false, text: "", timeout: 0s, mode: Odd,
                             limit: {name: a, most: 1}, plain: {name: b, most: 2}, maybe: {name: c, most: 0},
                             maybeCount: 0, maybeBig: 1, maybeText: "", limits: [{name: d, most: 4}], byName: {e: [5]}}
                            """),
                    new Case("no affinity", Models.class, "{}", "{}"),
                    new Case("empty affinity", Models.class, "affinity: {}", "affinity: {}"),
                    new Case("affinity in the form of Kubernetes", Models.class, """
                            affinity:
                              preferredDuringSchedulingIgnoredDuringExecution:
                              - {weight: 5, preference: {matchExpressions: [{key: disk, operator: Exists, values: []}]}}
                            """, """
                            affinity:
                              preferredDuringSchedulingIgnoredDuringExecution:
                              - {weight: 5, preference: {matchExpressions: [{key: disk, operator: Exists}]}}
                            """));
        }

        @ParameterizedTest
        @MethodSource("cases")
        void writesWhatCanBeReadAgain(Case c) {
            PluginArgs args = read(c.yaml, c.type);

            JsonNode written = RecordBinder.toTree((Record) args);

            assertThat(written).isEqualTo(tree(c.written));
            assertThat(RecordBinder.bind(written, c.type, Problems.collector())).isEqualTo(args);
        }
    }

    @Nested
    class Settings {
        @ZeroIsUnset
        record Server(
                String address,
                @Setting(name = "mostHTTP", omitZero = true) int most,
                Duration timeout,
                @Setting(omitZero = true) boolean secure) {
            static final Server DEFAULTS = new Server("any", 0, Duration.ofSeconds(5), true);
        }

        @Test
        void haveTheirDefaultsInPlaceOfZeros() {
            Problems problems = Problems.collector();
            SourceTree source =
                    SourceTree.read("{address: '', mostHTTP: 3, timeout: 0s, secure: false}", "s.yaml", problems);
            RecordBinder binder = new RecordBinder(source);

            Server server = binder.read(source.root(), Server.class, problems);

            assertThat(problems.all()).isEmpty();
            assertThat(server).isEqualTo(new Server("any", 3, Duration.ofSeconds(5), false));
            assertThat(List.of("address", "mostHTTP", "timeout", "secure"))
                    .filteredOn(binder::isUnset)
                    .containsExactly("address", "timeout");
        }

        @Test
        void omitZerosWhereGoDoes() {
            assertThat(RecordBinder.toTree(new Server("", 0, Duration.ZERO, false)))
                    .hasToString("{\"address\":\"\",\"timeout\":\"0s\"}");
        }

        @Test
        void haveTheirDefaultsInPlaceOfValuesOfTheWrongType() {
            Problems problems = Problems.collector();
            SourceTree source = SourceTree.read("{address: 5, mostHTTP: x, timeout: null}", "s.yaml", problems);

            Server server = new RecordBinder(source).read(source.root(), Server.class, problems);

            assertThat(server).isEqualTo(Server.DEFAULTS);
            assertThat(problems.all())
                    .extracting(Problems.Problem::toString)
                    .containsExactly(
                            "address: 5 (expected: a text; quote it)",
                            "mostHTTP: \"x\" (expected: a whole number)",
                            "timeout: null (expected: a duration such as 15s, 1m30s or 100ms)");
        }
    }

    private static <A extends PluginArgs> A read(String yaml, Class<A> type) {
        Problems problems = Problems.collector();
        A args = RecordBinder.bind(tree(yaml), type, problems);
        assertThat(problems.all()).isEmpty();
        return args;
    }

    private static List<String> problems(String yaml, Class<? extends PluginArgs> type) {
        Problems problems = Problems.collector();
        RecordBinder.bind(tree(yaml), type, problems.at("args"));
        return problems.all().stream().map(Problems.Problem::toString).toList();
    }

    private static JsonNode tree(String yaml) {
        try {
            return YAML.readTree(yaml);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
