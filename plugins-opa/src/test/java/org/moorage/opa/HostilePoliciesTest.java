// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.moorage.api.model.ObjectKind;
import org.moorage.testkit.PluginTester;
import org.moorage.testkit.TestScheduler;

/**
 * Tests that any pushed policy is in force or rejected within the time limit, without delaying decisions or other
 * pushes.
 */
@Timeout(120)
class HostilePoliciesTest {
    // Machines may be slow.
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final String FIT = "io/k8s/scheduler/fit";
    private static final String POD = "{\"pod\":{}}";

    private final OpaPolicy.Args args = TestArgs.of("mode: wasm, policies: []");
    private final TestScheduler scheduler =
            PluginTester.of(new OpaPolicy.Factory(), args).start();

    @AfterEach
    void close() {
        scheduler.close();
    }

    private WasmPolicies policies(Duration limit) {
        ClusterData data = new ClusterData(List.of(ObjectKind.NODE, ObjectKind.POD), scheduler.handle());
        return new WasmPolicies(args, data, limit);
    }

    record Case(String name, byte[] policy, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Case> CASES = cases();

    private static List<Case> cases() {
        String size = "has a file of a size that is not in octal digits";
        byte[] module = own();
        byte[] good = zipped(tar("/policy.wasm", octal(module.length), '0', module));
        List<Case> cases = new ArrayList<>();
        cases.add(new Case(
                "45 bytes whose size goes back to the beginning", zipped(head("a", "-0000002000", '0')), size));
        cases.add(new Case("a size below the file", zipped(head("a", "-7777777777", '0')), size));
        cases.add(new Case("a negative size of the module", zipped(head("/policy.wasm", "-0000000001", '0')), size));
        cases.add(new Case("a size of no digits", zipped(head("a", "", '0')), size));
        cases.add(new Case("a size of decimal digits", zipped(head("a", "00000000099", '0')), size));
        cases.add(new Case("a size with a sign", zipped(head("a", "+0000000010", '0')), size));
        cases.add(new Case("a binary size", zipped(head("a", "\u0080\0\0\0\0\0\0\0\0\0\1", '0')), size));
        cases.add(
                new Case("a size that is more than a bundle has", zipped(head("a", "77777777777", '0')), "more than"));
        cases.add(new Case(
                "a size of the module that is more than a module has",
                zipped(head("/policy.wasm", "00200000000", '0')),
                "has a module of 33554432 bytes"));
        cases.add(new Case("a size beyond the file", zipped(head("a", "00000100000", '0')), "ends before its time"));
        cases.add(new Case(
                "a module beyond the file", zipped(head("/policy.wasm", "00000100000", '0')), "ends before its time"));
        for (int length : new int[] {2, 9, 11, 100, good.length / 2}) {
            cases.add(new Case(
                    "the first " + length + " bytes of a good one",
                    Arrays.copyOf(good, length),
                    "a bundle that cannot be unpacked"));
        }
        byte[] flipped = good.clone();
        for (int i = 40; i < 80; i++) {
            flipped[i] ^= 0x55;
        }
        cases.add(new Case("other bits", flipped, "a bundle"));
        cases.add(new Case(
                "4 GB of zeros", zipped(join(head("zeros", "37777777777", '0'), new byte[1 << 20])), "more than"));
        cases.add(new Case("64 MB of one file after the other", zipped(manyFiles()), "more than"));
        cases.add(new Case("100,000 empty members", members(100_000), "without /policy.wasm"));
        for (String name : new String[] {"evilpolicy.wasm", "../policy.wasm", "/etc/policy.wasm", "a/../policy.wasm"}) {
            cases.add(new Case(
                    "a module at " + name,
                    zipped(tar(name, octal(module.length), '0', module)),
                    "without /policy.wasm"));
        }
        cases.add(new Case("a link to a module", zipped(head("/policy.wasm", octal(0), '2')), "without /policy.wasm"));
        cases.add(new Case("a folder", zipped(head("/policy.wasm", octal(0), '5')), "without /policy.wasm"));
        cases.add(new Case("an empty module", zipped(head("/policy.wasm", octal(0), '0')), "not a compiled policy"));
        cases.add(new Case("nothing", new byte[0], "neither a WebAssembly module nor a bundle"));
        for (int length : new int[] {4, 8, 9, 20, 1000, module.length / 2, module.length - 1}) {
            cases.add(new Case(
                    "the first " + length + " bytes of a module",
                    Arrays.copyOf(module, length),
                    "not a compiled policy"));
        }
        cases.add(new Case("a module of 40 MB", large(), "expected: at most"));
        cases.add(new Case("a start that does not end", HandMadeModule.loopingAtStart(), "within 2000ms"));
        cases.add(new Case("a start that takes all memory", HandMadeModule.growing(), "within 2000ms"));
        cases.add(new Case("a start that calls itself", HandMadeModule.recursive(), "not a compiled policy"));
        cases.add(new Case("200 tables of 10,000,000", HandMadeModule.withTables(200), "tables"));
        cases.add(
                new Case("an evaluation that does not end", HandMadeModule.loopingInEvaluation(FIT), "within 2000ms"));
        return List.copyOf(cases);
    }

    @ParameterizedTest(name = "{0}")
    @FieldSource("CASES")
    void isRefused(Case hostile) {
        boolean doesNotEnd = hostile.message().startsWith("within");
        try (WasmPolicies policies = policies(doesNotEnd ? SHORT : LONG)) {
            PolicyResponse reply = policies.prepare("hostile", hostile.policy()).get();

            assertThat(reply.text()).contains("\"code\":\"invalid_parameter\"").contains(hostile.message());
            assertThat(reply.status()).isEqualTo(400);
            assertThat(policies.fit(POD)).isEmpty();
        }
    }

    @Test
    void othersArePushedAndDecideMeanwhile() {
        ExecutorService pushing = Executors.newFixedThreadPool(2);
        try (WasmPolicies policies = policies(LONG)) {
            Future<PolicyResponse> start = pushing.submit(
                    () -> policies.prepare("a", HandMadeModule.loopingAtStart()).get());
            Future<PolicyResponse> evaluation =
                    pushing.submit(() -> policies.prepare("b", HandMadeModule.loopingInEvaluation(FIT))
                            .get());

            assertThat(policies.prepare("c", own()).get().text()).isEqualTo("{}");
            assertThat(policies.fit(POD)).isPresent();
            assertThat(start.isDone() || evaluation.isDone()).isFalse();
        } finally {
            pushing.shutdownNow();
        }
    }

    @Test
    void bundlesOfOpaAreInForce() {
        byte[] module = own();
        byte[] data = "{}".getBytes(StandardCharsets.UTF_8);
        byte[] bundle = zipped(join(
                tar("/data.json", octal(data.length), '0', data),
                tar("/policy.wasm", octal(module.length), '0', module),
                new byte[1024]));
        try (WasmPolicies policies = policies(LONG)) {
            assertThat(policies.prepare("good", bundle).get().text()).isEqualTo("{}");
            assertThat(policies.fit(POD)).isPresent();
        }
    }

    private static byte[] own() {
        try {
            return Files.readAllBytes(Path.of("src/test/resources/own.wasm"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] large() {
        byte[] large = new byte[40 << 20];
        System.arraycopy(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0}, 0, large, 0, 8);
        return zipped(tar("/policy.wasm", octal(large.length), '0', large));
    }

    private static byte[] manyFiles() {
        byte[] head = head("a", octal(0), '0');
        byte[] all = new byte[65 << 20];
        for (int at = 0; at < all.length; at += head.length) {
            System.arraycopy(head, 0, all, at, head.length);
        }
        return all;
    }

    private static byte[] members(int number) {
        byte[] empty = zipped(new byte[0]);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < number; i++) {
            all.writeBytes(empty);
        }
        return all.toByteArray();
    }

    private static String octal(int size) {
        return String.format("%011o", size);
    }

    private static byte[] head(String name, String size, int type) {
        byte[] head = new byte[512];
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(nameBytes, 0, head, 0, nameBytes.length);
        byte[] sizeBytes = size.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(sizeBytes, 0, head, 124, sizeBytes.length);
        head[156] = (byte) type;
        return head;
    }

    private static byte[] tar(String name, String size, int type, byte[] content) {
        return join(head(name, size, type), content, new byte[(512 - content.length % 512) % 512]);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] zipped(byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
