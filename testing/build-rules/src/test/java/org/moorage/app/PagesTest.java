// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.api.feature.FeatureGates;
import org.moorage.app.internal.report.Terminal;
import picocli.CommandLine;

/**
 * What the pages name is there: Java types and their members, commands and flags, files, and what links lead to. What
 * tables have in columns under "kube-scheduler" or "Go" is not ours.
 */
@Tag("any-jvm")
class PagesTest {
    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Set<String> SKIPPED = Set.of("target", ".git", "archetype-resources");
    private static final Set<String> COLUMNS_OF_OTHERS = Set.of("kube-scheduler", "Go");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w*)");
    private static final Pattern NAME = Pattern.compile(
            "@?([A-Z]\\w*[a-z]\\w*(?:\\.[A-Z]\\w*[a-z]\\w*)*)(?:\\.([a-z]\\w*|[A-Z][A-Z_]+))?(?:[(<].*)?");
    private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
    private static final Pattern FLAG = Pattern.compile("--[a-z][a-z-]*");
    private static final Pattern PATH = Pattern.compile("(?<![\\w./~$-])([\\w.-]+)/[\\w./*-]*");
    private static final Pattern PACKAGE = Pattern.compile("\\borg\\.moorage(?:\\.\\w+)+(?![\\w.])");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s:]+)\\)");
    // Of kube-scheduler, Kubernetes and libraries, and words that only look like the name of a type.
    private static final List<String> OTHERS = List.of(
            ("All Autodetect BalancedAllocation Dedicated LeastAllocated LeastNUMANodes Localhost Most MostAllocated"
                            + " NetperfCosts NodePowerModel OnlyExclusiveResources OnlyResources Shared SignalFx UserDefined WatcherAddress"
                            + " AsyncAppender Clone Delete Fail FailedAndUnresolvableNodes FailedNodes FailedScheduling"
                            + " GuardedBy Gt Host Ignore ImagePullBackOff KubeSchedulerConfiguration Lt ManifestResourceTransformer"
                            + " MoorageHeapNearlyFull NetworkTrafficUnknown Neutral NewSchedulerCommand NullMarked Nullable"
                            + " OpaWasm PluginSuspended PodGroupInitiallyScheduled PodInfo PodScheduled QueueSkip RejectPod RuntimeEquality ReadWriteOncePod ReservedNodes ReservedNodesTest Scheduled"
                            + " SchedulerError SchedulingThroughput Sign TargetPod UnscheduledPod UnscheduledPodDelete UpdatePodLabel Worst")
                    .split(" "));
    // Of kubectl, Helm, Maven and the programs of the benchmarks.
    private static final List<String> FLAGS_OF_OTHERS =
            List.of("--all", "--limit", "--out", "--params", "--set-file", "--strict-checksums", "--wait");

    private static final Map<Path, List<String>> PAGES = new TreeMap<>();
    private static final Map<String, Set<String>> SOURCES_BY_TYPE = new HashMap<>();
    private static final Set<Path> FILES = new HashSet<>();
    private static final List<Code> CODE = new ArrayList<>();

    private final List<String> missing = new ArrayList<>();
    private int checked;

    /** A code span, or a line of a block of code. */
    private record Code(Path page, int line, String text, boolean isSpan) {}

    @BeforeAll
    static void read() throws IOException {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                FILES.add(ROOT.relativize(folder));
                boolean isSkipped = SKIPPED.contains(folder.getFileName().toString());
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path path = ROOT.relativize(file);
                FILES.add(path);
                if (path.toString().endsWith(".java")) {
                    String source = Files.readString(file);
                    matches(DECLARED, source)
                            .forEach(type -> SOURCES_BY_TYPE
                                    .computeIfAbsent(type.group(1), any -> new HashSet<>())
                                    .add(source));
                } else if (path.toString().endsWith(".md")) {
                    PAGES.put(path, Files.readAllLines(file));
                    readCode(path, PAGES.get(path));
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void readCode(Path page, List<String> lines) {
        boolean isBlock = false;
        List<String> columns = List.of();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            isBlock ^= line.startsWith("```");
            if (isBlock || line.startsWith("    ")) {
                CODE.add(new Code(page, i + 1, line.strip(), false));
                continue;
            }
            List<String> cells = List.of(line.split("\\s*(?<!\\\\)\\|\\s*"));
            columns = !line.startsWith("|") ? List.of() : columns.isEmpty() ? cells : columns;
            for (int j = 0; j < cells.size(); j++) {
                boolean isOurs = j >= columns.size() || !COLUMNS_OF_OTHERS.contains(columns.get(j));
                for (MatchResult span : matches(SPAN, isOurs ? cells.get(j) : "")) {
                    CODE.add(new Code(page, i + 1, span.group(1), true));
                }
            }
        }
    }

    private static List<MatchResult> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().toList();
    }

    private void check(boolean isThere, Code code, String name) {
        checked++;
        if (!isThere) {
            missing.add(code.page() + ":" + code.line() + ": " + name);
        }
    }

    private void assertAllThere(int atLeast) {
        assertThat(missing).as("named and not there").isEmpty();
        assertThat(checked).as("names that were looked for").isGreaterThan(atLeast);
    }

    @Test
    void types() {
        for (Code code : CODE) {
            Matcher name = NAME.matcher(code.text());
            if (code.isSpan() && name.matches() && !OTHERS.contains(name.group(1))) {
                check(isType(List.of(name.group(1).split("\\.")), name.group(2)), code, name.group());
            }
        }
        assertAllThere(500);
    }

    // A type, or one within another, that declares the member; of the JDK any is taken.
    private static boolean isType(List<String> types, @Nullable String member) {
        Set<String> sources = new HashSet<>(SOURCES_BY_TYPE.getOrDefault(types.get(0), Set.of()));
        if (sources.isEmpty()) {
            return FeatureGates.DEFAULTS.all().containsKey(types.get(0))
                    || Stream.of("java/lang/", "java/util/", "java/time/")
                            .anyMatch(
                                    folder -> ClassLoader.getSystemResource(folder + types.get(0) + ".class") != null);
        }
        types.forEach(type -> sources.retainAll(SOURCES_BY_TYPE.getOrDefault(type, Set.of())));
        Pattern declared = Pattern.compile("(?m)(?:(?<!return|new|else|throw) |^ *)" + member + "(?: [={]|[(;,)])");
        return sources.stream()
                .anyMatch(source -> member == null || declared.matcher(source).find());
    }

    @Test
    void commandsAndFlags() {
        CommandLine moorage = Main.commandLine(Terminal.ofProcess());
        Set<String> flags = new HashSet<>(FLAGS_OF_OTHERS);
        addFlags(moorage, flags);
        for (Code code : CODE) {
            for (String part : code.text().split("[|;&#]")) {
                List<String> words = List.of(part.replaceFirst("^[$ ]+", "").split("[\\s=]+"));
                String first = words.get(0).replaceFirst(".*/", "");
                if (first.equals("moorage")
                        || code.isSpan() && moorage.getSubcommands().containsKey(words.get(0))) {
                    checkCommand(moorage, code, words);
                } else if (code.isSpan() && FLAG.matcher(first).matches()) {
                    check(flags.contains(first), code, first);
                }
            }
        }
        assertAllThere(200);
    }

    private static void addFlags(CommandLine command, Set<String> flags) {
        flags.addAll(command.getCommandSpec().optionsMap().keySet());
        command.getSubcommands().values().forEach(subcommand -> addFlags(subcommand, flags));
    }

    private void checkCommand(CommandLine moorage, Code code, List<String> words) {
        // Flags without a command are those of the scheduler.
        boolean isScheduler = words.get(0).endsWith("moorage")
                && words.size() > 1
                && FLAG.matcher(words.get(1)).matches()
                && !words.get(1).matches("--help|--version");
        CommandLine command =
                isScheduler ? Objects.requireNonNull(moorage.getSubcommands().get("run")) : moorage;
        for (String word : words) {
            if (FLAG.matcher(word).matches()) {
                check(
                        command.getCommandSpec().optionsMap().containsKey(word),
                        code,
                        command.getCommandName() + " " + word);
            } else if (word.matches("[a-z-]+")
                    && !word.equals("moorage")
                    && !command.getSubcommands().isEmpty()) {
                CommandLine next = command.getSubcommands().get(word);
                check(next != null, code, command.getCommandName() + " " + word);
                if (next == null) {
                    return;
                }
                command = next;
            }
        }
    }

    @Test
    void filesAndPackages() {
        for (Code code : CODE) {
            for (MatchResult path : matches(PATH, code.text())) {
                String glob = path.group().replaceFirst("[/.]+$", "");
                if (FILES.contains(Path.of(path.group(1))) && !("/" + glob).contains("/target")) {
                    PathMatcher matcher = ROOT.getFileSystem().getPathMatcher("glob:" + glob);
                    check(FILES.stream().anyMatch(matcher::matches), code, glob);
                }
            }
            for (MatchResult name : matches(PACKAGE, code.text())) {
                String path = "/java/" + name.group().replace('.', '/');
                check(FILES.stream().anyMatch(file -> file.toString().contains(path)), code, name.group());
            }
        }
        assertAllThere(80);
    }

    @Test
    void links() {
        PAGES.forEach((page, lines) -> {
            for (int i = 0; i < lines.size(); i++) {
                for (MatchResult link : matches(LINK, lines.get(i))) {
                    String[] target = link.group(1).split("#", 2);
                    Path file = target[0].isEmpty()
                            ? page
                            : page.resolveSibling(target[0]).normalize();
                    boolean isThere = FILES.contains(file)
                            && (target.length == 1 || anchors(file).contains(target[1]));
                    check(isThere, new Code(page, i + 1, "", false), link.group(1));
                }
            }
        });
        assertAllThere(200);
    }

    /** The number of cases that pages name is the number of recorded answers of kube-scheduler and the API server. */
    @Test
    void recordedCases() throws IOException {
        long cases = 0;
        try (Stream<Path> files = Files.walk(ROOT.resolve("testing/conformance/vectors"))) {
            for (Path file : files.filter(path -> path.toString().matches(".*\\.jsonl(\\.gz)?"))
                    .filter(path -> !path.getParent().endsWith("plugins"))
                    .toList()) {
                try (InputStream in = Files.newInputStream(file);
                        BufferedReader lines = new BufferedReader(new InputStreamReader(
                                file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in, UTF_8))) {
                    cases += lines.lines().count();
                }
            }
        }
        String named = String.format(Locale.ROOT, "%,d cases", cases);
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains(named);
        assertThat(Files.readString(ROOT.resolve("docs/README.md"))).contains(named);
    }

    // As GitHub makes them of headings.
    private static List<String> anchors(Path page) {
        return PAGES.getOrDefault(page, List.of()).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\w -]", "").replace(' ', '-'))
                .toList();
    }
}
