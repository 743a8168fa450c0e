// SPDX-License-Identifier: Apache-2.0
package org.moorage.systemtests.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.slf4j.LoggerFactory;

/**
 * The simulation finds faults that were mended: with the mend taken out of the source, some seed fails that does not fail with
 * it. The changed source is compiled here, and the whole scheduler loaded once more with it.
 */
class RemovedMendTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("org.moorage");
    private static final long MOST_SEEDS = Long.getLong("mend.seeds", 300);

    @BeforeAll
    static void silenceLogs() {
        LOGGER.setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreLogs() {
        LOGGER.setLevel(null);
    }

    /**
     * A mend.
     *
     * @param source the file that it is in
     * @param mend its text
     * @param without what was there before
     * @param problem part of the problem that must be found
     * @param firstSeed the seed to begin with: one that found it last, where few seeds do
     */
    record Case(String name, String source, String mend, String without, String problem, long firstSeed) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String RUNTIME = "framework-runtime/src/main/java/org/moorage/runtime/";
    private static final String DEVICES = "plugins-dra/src/main/java/org/moorage/builtin/dra/";

    static final List<Case> CASES = List.of(
            new Case(
                    "a deletion learnt only from a relist leaves an assumed pod in the cache",
                    RUNTIME + "internal/cluster/PodEventHandlers.java",
                    "cache.forget(pod);",
                    "",
                    "assumed pods",
                    0),
            new Case(
                    "a throw after assume leaves the pod assumed",
                    RUNTIME + "SchedulingCycle.java",
                    """
                                if (!answer.isSuccess()) {
                                    cache.forget(assumed);
                                }
                    """,
                    "",
                    "assumed pods",
                    0),
            new Case(
                    "a binding whose outcome is unknown counts as failed",
                    RUNTIME + "internal/binding/BindingCycle.java",
                    "isNotBound = isCertain(failure.getCause());",
                    "isNotBound = true;",
                    "",
                    0),
            new Case(
                    "a device is not given back when its claim comes and goes between two cycles",
                    DEVICES + "ClaimTracker.java",
                    """
                                if (wasAssumed) {
                                    assumed.remove(gone.key());
                                }
                    """,
                    "",
                    "assumed claim",
                    125),
            new Case(
                    "a claim stays in the process of being allocated",
                    DEVICES + "ClaimBinder.java",
                    """
                            if (tracker.removeInFlightAllocation(uid)) {
                                tracker.restore(claim);
                            }
                    """,
                    "",
                    "allocations in flight",
                    0),
            new Case(
                    "a handler that failed is not told again",
                    RUNTIME + "internal/cluster/ObjectStore.java",
                    "table.restore(object.key(), before);",
                    "",
                    "pods of the queue",
                    0));

    @ParameterizedTest
    @FieldSource("CASES")
    void isFoundAgain(Case removed, @TempDir Path classes) throws ReflectiveOperationException, IOException {
        compile(removed, classes);
        String found = "";
        try (URLClassLoader loader = new ChangedClasses(classes)) {
            var run = loader.loadClass(RuntimeSimulation.class.getName()).getMethod("run", long.class);
            long end = removed.firstSeed() + MOST_SEEDS;
            for (long seed = removed.firstSeed(); seed < end && found.isEmpty(); seed++) {
                String failure = (String) run.invoke(null, seed);
                if (problemsOf(failure).contains(removed.problem()) && !failure.isEmpty()) {
                    found = RuntimeSimulation.run(seed).isEmpty() ? failure : "";
                }
            }
        }

        assertThat(found)
                .as("a failure of one of %d seeds that the unchanged source does not have", MOST_SEEDS)
                .isNotEmpty();
        System.out.println(removed + ": found by " + found.lines().limit(2).toList());
    }

    private static String problemsOf(String failure) {
        int steps = failure.indexOf("\nlast steps");
        return steps < 0 ? failure : failure.substring(0, steps);
    }

    private static void compile(Case removed, Path classes) throws IOException {
        Path file = Path.of(System.getProperty("basedir", ".")).resolveSibling(removed.source());
        String source = Files.readString(file);
        assertThat(source).as("the source of the mend of \"%s\"", removed).containsOnlyOnce(removed.mend());
        Path changed = Files.writeString(
                Files.createDirectories(classes.resolve("source")).resolve(file.getFileName()),
                source.replace(removed.mend(), removed.without()));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-nowarn",
                    "--release",
                    "17",
                    "-parameters",
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"));
            assertThat(compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(changed))
                            .call())
                    .isTrue();
        }
    }

    /** Loads our own classes once more, the changed ones first; the libraries are those of the test. */
    private static final class ChangedClasses extends URLClassLoader {
        ChangedClasses(Path classes) throws MalformedURLException {
            super(urls(classes), RemovedMendTest.class.getClassLoader());
        }

        private static URL[] urls(Path classes) throws MalformedURLException {
            List<URL> urls = new ArrayList<>();
            urls.add(classes.toUri().toURL());
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            return urls.toArray(URL[]::new);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("org.moorage.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }
}
