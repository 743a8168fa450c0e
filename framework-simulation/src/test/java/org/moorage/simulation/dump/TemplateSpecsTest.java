// SPDX-License-Identifier: Apache-2.0
package org.moorage.simulation.dump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.moorage.api.model.Pod;
import org.moorage.config.ConfigLoader;
import org.moorage.config.plugin.PluginRegistry;
import org.moorage.objects.ClusterFileException;

/** Compares pods that share the specification of an earlier pod with pods that are completed one by one. */
final class TemplateSpecsTest {
    private static final int SEEDS = 200;
    /** So many that the input is parsed on another thread. */
    private static final int PODS = 300;

    /** The parts of a specification in which pods of one controller may differ, with their variants. */
    private static final List<List<String>> PARTS = List.of(
            List.of("", "\"nodeName\":\"n1\",", "\"nodeName\":\"n2\",", "\"nodeName\":7,"),
            List.of("\"priority\":0,", "\"priority\":0,", "\"priority\":0,", "\"priority\":5,", ""),
            List.of("", "", "\"hostname\":\"web-1\",", "\"hostname\":\"web-2\","),
            List.of("", "", "\"hostNetwork\":true,", "\"schedulingGroup\":{\"podGroupName\":\"g\"},"),
            List.of("", "", "\"tolerations\":[{\"operator\":\"Exists\"}],", "\"tolerations\":[{\"operator\":1}],"),
            List.of("", "", affinity("n1"), affinity("n2"), "\"affinity\":{},", "\"affinity\":[],", podAffinity()),
            List.of(
                    "",
                    "",
                    "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"zone\",\"matchLabelKeys\":[\"hash\"],"
                            + "\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"a\":\"b\"}}}],"),
            List.of(
                    "",
                    volume("kube-api-access-aaaaa", "\"projected\":{}"),
                    volume("kube-api-access-bbbbb", "\"projected\":{}"),
                    volume("kube-api-access-bbbbb", "\"persistentVolumeClaim\":{\"claimName\":\"c\"}"),
                    volume("data-1", "\"emptyDir\":{}"),
                    volume("data-2", "\"emptyDir\":{}")),
            List.of(container("1"), container("1"), container("1"), container("2"), container("\\\"x\\\"")));

    private static final List<String> LABELS = List.of(
            "", "\"labels\":{\"hash\":\"1\"},", "\"labels\":{\"hash\":\"2\"},", "\"labels\":{},", "\"labels\":[],");
    private static final List<String> STATUSES = List.of(
            "{\"phase\":\"Running\"}",
            "{\"phase\":\"Running\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}],\"allocatedResources\":{\"cpu\":\"0.0001\"}}",
            "{\"phase\":7}",
            "[]");

    private static final Set<String> MALFORMED = Set.of(
            "\"nodeName\":7,",
            "\"tolerations\":[{\"operator\":1}],",
            "\"affinity\":[],",
            container("\\\"x\\\""),
            "\"labels\":[],",
            "{\"phase\":7}",
            "[]");

    private static String affinity(String node) {
        return "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"
                + "[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"" + node
                + "\"]}]}]}}},";
    }

    private static String podAffinity() {
        return "\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":"
                + "\"zone\",\"matchLabelKeys\":[\"hash\"],\"labelSelector\":{\"matchLabels\":{\"a\":\"b\"}}}]}},";
    }

    private static String volume(String name, String source) {
        return "\"volumes\":[{\"name\":\"" + name + "\"," + source + "}],";
    }

    private static String container(String cpu) {
        return "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"volumeMounts\":[{\"name\":\"kube-api-access-" + cpu
                + "\"}],\"resources\":{\"limits\":{\"cpu\":\"" + cpu + "\"}}}]";
    }

    private static String any(RandomGenerator random, List<String> values, boolean isHostile) {
        List<String> possible = values.stream()
                .filter(value -> isHostile || !MALFORMED.contains(value))
                .toList();
        // The second value is the usual one.
        return possible.get(random.nextInt(3) > 0 ? 1 : random.nextInt(possible.size()));
    }

    private static String pod(int number, RandomGenerator random, boolean isHostile) {
        StringBuilder spec = new StringBuilder();
        PARTS.forEach(part -> spec.append(any(random, part, isHostile)));
        int owner = random.nextInt(4);
        return "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p" + number + "\",\"uid\":\"u" + number
                + "\"," + any(random, LABELS, isHostile)
                + "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\","
                + "\"name\":\"r" + owner + "\",\"uid\":\"r" + owner + "\",\"controller\":" + (owner > 0)
                + "}]},\"spec\":{"
                + spec + "},\"status\":" + any(random, STATUSES, isHostile) + "}\n";
    }

    /** The pods, or why they cannot be read. */
    private record Outcome(List<List<Object>> pods, List<String> warnings, String problems) {}

    private static List<Object> contents(Pod pod) {
        return List.of(pod.metadata(), pod.spec(), pod.status(), pod.nodeName());
    }

    private static Outcome read(ClusterDumpReader reader, String text) {
        try {
            ClusterDump dump = reader.read(List.of("-"), new ByteArrayInputStream(text.getBytes(UTF_8)));
            return new Outcome(
                    dump.pods().stream().map(TemplateSpecsTest::contents).toList(), dump.warnings(), "");
        } catch (ClusterFileException e) {
            return new Outcome(List.of(), List.of(), String.valueOf(e.getMessage()));
        }
    }

    private static ClusterDumpReader reader() {
        PluginRegistry registry = PluginRegistry.of(List.of());
        return new ClusterDumpReader(ConfigLoader.defaults(registry), registry);
    }

    @Test
    void completesPodsAsIfEachWereRead() {
        int readable = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            RandomGenerator random = new SplittableRandom(seed);
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 12; i++) {
                text.append(pod(i, random, seed % 2 == 0));
            }
            Outcome shared = read(reader(), text.toString());

            // With their JSON, pods are completed one by one.
            assertThat(shared).as("seed %d", seed).isEqualTo(read(reader().withJson(), text.toString()));
            readable += shared.pods().isEmpty() ? 0 : 1;
        }
        assertThat(readable).isGreaterThan(0).isLessThan(SEEDS);
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void completesPodsOnAnotherThreadAsOnOne(Threads threads) throws InterruptedException {
        ExecutorService pool = Executors.newCachedThreadPool();
        try {
            int readable = 0;
            for (int seed = 0; seed < SEEDS / 4; seed++) {
                RandomGenerator random = new SplittableRandom(seed);
                StringBuilder text = new StringBuilder();
                for (int i = 0; i < PODS; i++) {
                    // Few pods are malformed, and few come twice, which the reading thread finds.
                    boolean isHostile = seed % 2 == 0 && random.nextInt(50) == 0;
                    boolean isRepeated = seed % 4 == 0 && random.nextInt(50) == 0;
                    text.append(pod(isRepeated ? random.nextInt(PODS) : i, random, isHostile));
                }
                Outcome expected = read(reader(), text.toString());
                assertThat(read(reader().parsingOn(threads.of(pool)), text.toString()))
                        .as("seed %d", seed)
                        .isEqualTo(expected);
                readable += expected.pods().isEmpty() ? 0 : 1;
            }
            assertThat(readable).isGreaterThan(0).isLessThan(SEEDS / 4);
        } finally {
            pool.shutdownNow();
            assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    /** The threads that an executor has. */
    enum Threads {
        /** As many as there are tasks. */
        ENOUGH,
        /** One for the first task, the parser; none for the completion of pods. */
        ONE;

        private Executor of(Executor pool) {
            AtomicInteger tasks = new AtomicInteger();
            return task -> {
                if (this == ENOUGH || tasks.getAndIncrement() == 0) {
                    pool.execute(task);
                }
            };
        }
    }
}
