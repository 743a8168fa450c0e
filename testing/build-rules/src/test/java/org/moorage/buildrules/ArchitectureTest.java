// SPDX-License-Identifier: Apache-2.0
package org.moorage.buildrules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;

/** The borders between modules, and what only a few places may do. */
@ArchTag("any-jvm")
@AnalyzeClasses(packages = "org.moorage", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    private static final String API = "org.moorage.api..";
    private static final String CONFIG = "org.moorage.config..";
    private static final String CONFIG_INTERNAL = "org.moorage.config.internal..";
    private static final String RUNTIME = "org.moorage.runtime..";
    private static final String INTERNAL = "org.moorage.runtime.internal..";
    private static final String BUILTIN = "org.moorage.builtin..";
    private static final String DEVICES = "org.moorage.builtin.dra..";
    private static final String OBJECTS = "org.moorage.objects..";
    private static final String SIMULATION = "org.moorage.simulation..";
    private static final String CONFORMANCE = "org.moorage.conformance..";
    private static final String KUBERNETES = "org.moorage.kubernetes..";
    private static final String CLIENT_JAVA = "org.moorage.clientjava..";
    private static final String FABRIC8 = "org.moorage.fabric8..";
    private static final String SPRING_BOOT = "org.moorage.springboot..";
    private static final String EXTENDER = "org.moorage.extender..";
    private static final String TESTKIT = "org.moorage.testkit..";
    private static final String APP = "org.moorage.app..";
    private static final String TLS = "org.moorage.tls..";
    private static final String PROMETHEUS = "org.moorage.prometheus..";
    private static final String HTTP = "org.moorage.http..";
    private static final String OPA = "org.moorage.opa..";
    private static final String SAFE = "org.moorage.safe..";
    private static final String SIGS = "org.moorage.sigs..";
    private static final String TRAFFIC = "org.moorage.traffic..";

    /** Measure how long calls take, for metrics and logs. Nothing depends on it. */
    private static final String MEASURES = "org\\.moorage\\.("
            + "runtime\\.internal\\.(cycle\\.(Parallelism|PodGroupAlgorithm)|plugin\\.(PluginCaller|PointRun)"
            + "|loop\\.(PodGroupCycle|SchedulingCycle)|binding\\.BindingCycle"
            + "|cluster\\.ObjectEventHandlers|queue\\.(PreEnqueue|QueuedEntity|QueueingHints))"
            + "|kubernetes\\.(ApiServer|MeasuredRequest|PodWrites)"
            + "|opa\\.OpaPolicy|app\\.internal\\.extender\\.ExtenderServer)([.$].*)?";

    /**
     * Limit operations that take real time regardless of the clock: answers over the network in libraries that have no
     * clock, the log of the process, the garbage collector, the search for changes while a page is waiting, a test that
     * waits for a program. The elector takes the timer as an argument.
     */
    private static final String WAITS_IN_REAL_TIME = "org\\.moorage\\.("
            + "prometheus\\.PrometheusConnection|fabric8\\.(Fabric8Requests|StreamedBody)|kubernetes\\.election\\.Leadership"
            + "|app\\.internal\\.(logging\\.(BoundedAppender|Logging)|process\\.HeapWatch)"
            + "|simulation\\.whatif\\.FittingChanges|testkit\\.apiserver\\.(FakeApiServer|ServerState))([.$].*)?";

    @ArchTest
    static void looksAtAllModules(JavaClasses imported) {
        for (String module : Set.of(
                "api",
                "tls",
                "objects",
                "config",
                "runtime",
                "simulation",
                "kubernetes",
                "clientjava",
                "fabric8",
                "springboot",
                "extender",
                "testkit",
                "builtin",
                "conformance",
                "app",
                "prometheus",
                "http",
                "opa",
                "safe",
                "sigs",
                "traffic")) {
            assertThat(imported.containPackage("org.moorage." + module))
                    .as("classes of org.moorage.%s", module)
                    .isTrue();
        }
    }

    @ArchTest
    static final ArchRule API_NEEDS_NOTHING = classes()
            .that()
            .resideInAPackage(API)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", API)
            .because("a plugin jar must not meet the scheduler's own versions of Guava, Jackson or anything else in the"
                    + " signatures that it compiles against");

    @ArchTest
    static final ArchRule TLS_NEEDS_THE_JDK_ONLY = classes()
            .that()
            .resideInAPackage(TLS)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "javax.net.ssl..", "org.jspecify..", TLS)
            .because("plugins carry it in their jars, with all that it needs");

    @ArchTest
    static final ArchRule PROMETHEUS_NEEDS_JSON_ONLY = classes()
            .that()
            .resideInAPackage(PROMETHEUS)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..", "javax.net.ssl..", "org.jspecify..", "com.fasterxml.jackson..", TLS, PROMETHEUS)
            .because("plugins carry it in their jars, with all that it needs");

    @ArchTest
    static final ArchRule HTTP_NEEDS_NETTY_ONLY = classes()
            .that()
            .resideInAPackage(HTTP)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "javax.net.ssl..", "org.jspecify..", "io.netty..", HTTP)
            .because("plugins carry it in their jars, with all that it needs");

    @ArchTest
    static final ArchRule BUILTIN_NEEDS_THE_API_ONLY = classes()
            .that()
            .resideInAPackage(BUILTIN)
            .and()
            .resideOutsideOfPackage(DEVICES)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", API, BUILTIN)
            .because("where a built-in plugin needs more, the API lacks something that other plugins need too");

    @ArchTest
    static final ArchRule DEVICES_NEED_THE_API_AND_A_LANGUAGE = classes()
            .that()
            .resideInAPackage(DEVICES)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    API,
                    "org.moorage.builtin",
                    DEVICES,
                    "dev.cel..",
                    "com.google.re2j..",
                    "com.google.common..",
                    "com.google.protobuf..",
                    "com.google.errorprone.annotations..")
            .because("device selectors are written in CEL, which nothing else here needs");

    @ArchTest
    static final ArchRule PLUGINS_NEED_THE_API_AND_WHAT_IS_IN_THEIR_JARS = classes()
            .that()
            .resideInAnyPackage(OPA, SAFE, SIGS, TRAFFIC)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.net.ssl..",
                    "org.jspecify..",
                    API,
                    OPA,
                    SAFE,
                    SIGS,
                    TRAFFIC,
                    PROMETHEUS,
                    HTTP,
                    "com.fasterxml.jackson..",
                    "com.styra.opa..",
                    "com.dylibso.chicory..",
                    "org.apache.commons.numbers..")
            .because("they are loaded with --plugin-dir, like third-party plugins");

    @ArchTest
    static final ArchRule RUNTIME_KNOWS_NEITHER_KUBERNETES_NOR_THE_APP = noClasses()
            .that()
            .resideInAPackage(RUNTIME)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "okhttp3..", SIMULATION, KUBERNETES, EXTENDER, CONFORMANCE, TESTKIT, BUILTIN, APP, "picocli..")
            .because("the scheduler is a library, for any cluster and any set of plugins");

    @ArchTest
    static final ArchRule OBJECTS_ARE_READ_WITHOUT_A_SCHEDULER = noClasses()
            .that()
            .resideInAPackage(OBJECTS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CONFIG, RUNTIME, SIMULATION, KUBERNETES, CONFORMANCE, TESTKIT, BUILTIN, APP)
            .because("a program may read manifests and dumps without running a scheduler");

    @ArchTest
    static final ArchRule CONFIGURATIONS_ARE_READ_WITHOUT_A_SCHEDULER = noClasses()
            .that()
            .resideInAPackage(CONFIG)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(RUNTIME, SIMULATION, KUBERNETES, CONFORMANCE, TESTKIT, BUILTIN, APP)
            .because("a program may check configurations and load plugins without running a scheduler");

    @ArchTest
    static final ArchRule SIMULATION_KNOWS_NO_PLUGINS = noClasses()
            .that()
            .resideInAPackage(SIMULATION)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(KUBERNETES, CONFORMANCE, TESTKIT, BUILTIN, APP, INTERNAL)
            .because("a cluster in memory serves any set of plugins, and needs nothing that changes without notice");

    @ArchTest
    static final ArchRule KUBERNETES_STAYS_BELOW_THE_APP = noClasses()
            .that()
            .resideInAPackage(KUBERNETES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    SIMULATION,
                    CONFORMANCE,
                    TESTKIT,
                    BUILTIN,
                    APP,
                    INTERNAL,
                    "picocli..",
                    "ch.qos.logback..",
                    "io.prometheus..")
            .because("an embedding program may schedule for an API server, with its own flags, log and metrics");

    @ArchTest
    static final ArchRule OTHER_CLIENTS_STAY_WITH_WHO_HAS_THEM = noClasses()
            .that()
            .resideOutsideOfPackages(CLIENT_JAVA, FABRIC8)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CLIENT_JAVA, FABRIC8, "io.kubernetes..", "io.fabric8..")
            .because("who does not use such a client needs no jar of it");

    @ArchTest
    static final ArchRule OTHER_CLIENTS_ARE_READ_IN_ONE_WAY = noClasses()
            .that()
            .resideInAnyPackage(CLIENT_JAVA, FABRIC8)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    SIMULATION,
                    EXTENDER,
                    CONFORMANCE,
                    TESTKIT,
                    BUILTIN,
                    APP,
                    "org.moorage.objects.tree..",
                    "picocli..",
                    "ch.qos.logback..",
                    "io.prometheus..")
            .because("they speak their client's language only; what follows from it is in framework-kubernetes");

    @ArchTest
    static final ArchRule SPRING_STAYS_WITH_WHO_HAS_IT = noClasses()
            .that()
            .resideOutsideOfPackage(SPRING_BOOT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SPRING_BOOT, "org.springframework..", "io.micrometer..")
            .because("a program without Spring needs no jar of it");

    @ArchTest
    static final ArchRule SPRING_BOOT_STAYS_BELOW_THE_APP = noClasses()
            .that()
            .resideInAPackage(SPRING_BOOT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(EXTENDER, CONFORMANCE, TESTKIT, APP, INTERNAL, CLIENT_JAVA, FABRIC8)
            .because("an application brings its own flags, log and metrics");

    @ArchTest
    static final ArchRule EXTENDER_STAYS_BELOW_THE_APP = noClasses()
            .that()
            .resideInAPackage(EXTENDER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SIMULATION, KUBERNETES, CONFORMANCE, TESTKIT, BUILTIN, HTTP, APP, INTERNAL)
            .because("a program may serve its plugins over its own HTTP server");

    @ArchTest
    static final ArchRule TESTKIT_STAYS_BELOW_THE_APP = noClasses()
            .that()
            .resideInAPackage(TESTKIT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(KUBERNETES, BUILTIN, APP, INTERNAL)
            .because("testing a custom plugin needs none of ours");

    @ArchTest
    static final ArchRule TESTKIT_IS_FOR_TESTS = noClasses()
            .that()
            .resideInAPackage(APP)
            .and()
            .resideOutsideOfPackage("org.moorage.app.internal.rehearsal..")
            .and()
            .doNotHaveFullyQualifiedName("org.moorage.app.RehearseCommand")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(TESTKIT)
            .because("the application runs nothing of the testkit but a rehearsal of its start");

    @ArchTest
    static final ArchRule INTERNALS_STAY_IN = noClasses()
            .that()
            .resideOutsideOfPackages(RUNTIME, "org.moorage.benchmarks..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(INTERNAL)
            .because(
                    "internals change without notice, and a check that calls them in its own way says nothing about what"
                            + " the scheduler does; only benchmarks may");

    @ArchTest
    static final ArchRule INTERNALS_OF_CONFIGURATIONS_STAY_IN = noClasses()
            .that()
            .resideOutsideOfPackage(CONFIG)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(CONFIG_INTERNAL)
            .because("how a text is read changes without notice; what was read is in SchedulerConfig");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES = slices().matching("org.moorage.(**)")
            .should()
            .beFreeOfCycles()
            .because("dependencies go one way, between packages as between modules");

    @ArchTest
    static void packagesAreNullMarked(JavaClasses imported) {
        Set<String> unmarked = new TreeSet<>();
        for (JavaClass type : imported) {
            JavaPackage home = type.getPackage();
            if (!home.isAnnotatedWith(NullMarked.class)) {
                unmarked.add(home.getName());
            }
        }

        assertThat(unmarked)
                .as("packages without a @NullMarked package-info, which NullAway therefore does not check")
                .isEmpty();
    }

    /** Names of two types, with the reason. */
    private static final Map<String, String> SHARED_NAMES = Map.of(
            "GroupResult", "the result of an attempt; in answers a name of the JSON schema",
            "NodeAffinity", "Kubernetes' names of a plugin and of a part of pods",
            "PodGroups", "the groups of the cache; in the test kit builders, named by kind as Pods and Nodes are",
            "PodState", "the state of a pod in the scheduler; in scheduler-plugins a plugin",
            "Request", "an HTTP request to a server; and one to the test kit's API server",
            "Response", "as Request");

    @ArchTest
    static void typesHaveDifferentNames(JavaClasses imported) {
        Map<String, List<String>> namesBySimpleName = new TreeMap<>();
        for (JavaClass type : imported) {
            if (type.isTopLevelClass()
                    && !type.getSimpleName().equals("package-info")
                    && !type.getPackageName().matches("org\\.moorage\\.(benchmarks|conformance)(\\..*)?")) {
                namesBySimpleName
                        .computeIfAbsent(type.getSimpleName(), any -> new ArrayList<>())
                        .add(type.getName());
            }
        }
        namesBySimpleName.values().removeIf(names -> names.size() == 1);

        assertThat(namesBySimpleName)
                .as("one word means one thing: a reader who searches for a type finds one; exceptions have a reason")
                .containsOnlyKeys(SHARED_NAMES.keySet());
    }

    @ArchTest
    static final ArchRule NOTHING_READS_THE_CLOCK = noClasses()
            .should()
            .accessTargetWhere(call(Instant.class, "now").or(call(System.class, "currentTimeMillis")))
            .because("time is an InstantSource that is passed in, so that tests and simulations have their own");

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_THE_TIMER = noClasses()
            .that()
            .resideOutsideOfPackage("org.moorage.benchmarks..")
            .and(not(name("org.moorage.runtime.MonotonicClock")))
            .and(not(nameMatching(MEASURES)))
            .and(not(nameMatching(WAITS_IN_REAL_TIME)))
            .should()
            .accessTargetWhere(call(System.class, "nanoTime"))
            .because("limits, waits, backoffs and ages are measured by the monotonic clock that is passed in");

    @ArchTest
    static final ArchRule NOBODY_ROLLS_DICE = noClasses()
            .should()
            .accessTargetWhere(call(Math.class, "random"))
            .because("chance is a RandomGenerator that is passed in, so that a run can be repeated");

    @ArchTest
    static final ArchRule NOBODY_SLEEPS = noClasses()
            .should()
            .accessTargetWhere(call(Thread.class, "sleep"))
            .because("every wait has a condition and a limit");

    @ArchTest
    static final ArchRule ONLY_MAIN_EXITS = noClasses()
            .that()
            .haveNameNotMatching("org\\.moorage\\.app\\.Main(\\$.*)?")
            .should()
            .accessTargetWhere(call(System.class, "exit").or(call(Runtime.class, "halt")))
            .because("ending the process also ends all other code in it");

    @ArchTest
    static final ArchRule FEW_START_THREADS = noClasses()
            .that(not(name("org.moorage.runtime.internal.loop.SchedulerThreads"))
                    .and(not(name("org.moorage.runtime.internal.plugin.PluginThread")))
                    // A separate jar, whose threads end with the plugin.
                    .and(not(nameMatching("org\\.moorage\\.opa\\..*")))
                    .and(not(nameMatching("org\\.moorage\\.app\\.Main(\\$.*)?")))
                    .and(not(name("org.moorage.app.internal.process.ProcessThreads")))
                    .and(not(name("org.moorage.testkit.apiserver.FakeApiServer"))))
            .should()
            .accessTargetWhere(call(Thread.class, "<init>"))
            .because("threads are created where they are also ended, and shutdown hooks where the process begins;"
                    + " all other code gets an executor");

    private static DescribedPredicate<JavaAccess<?>> call(Class<?> owner, String method) {
        return target(owner(type(owner)))
                .and(target(name(method)))
                .forSubtype()
                .as("call %s.%s", owner.getSimpleName(), method);
    }
}
