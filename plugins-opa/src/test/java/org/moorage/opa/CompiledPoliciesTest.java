// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the compiled policies match their Rego sources, and that their results match OPA's. */
class CompiledPoliciesTest {
    private static final Path MAIN = Path.of("src/main/resources/org/moorage/opa");
    private static final Path TEST = Path.of("src/test/resources");

    @ParameterizedTest
    @ValueSource(strings = {"policy", "own", "weights"})
    void areCompiledFromTheirRegoSources(String name) throws Exception {
        Path folder = name.equals("policy") ? MAIN : TEST;
        byte[] rego = Files.readAllBytes(folder.resolve(name + ".rego"));

        assertThat(Files.readString(folder.resolve(name + ".wasm.sha256")).strip())
                .as("%s.wasm is out of date: run build-wasm.sh", name)
                .isEqualTo(HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(rego)));
    }

    // What OPA 1.22 answers to units.parse and units.parse_bytes; nothing where that is an error.
    @ParameterizedTest
    @CsvSource({
        "500m, 0.5, 500000000",
        "1, 1, 1",
        "8Gi, 8589934592, 8589934592",
        "64Mi, 67108864, 67108864",
        "1.5G, 1500000000, 1500000000",
        "1k, 1000, 1000",
        "1K, 1000, 1000",
        "3e2, 300, 300",
        "0.1, 0.1, 0",
        "1m, 0.001, 1000000",
        "2KiB, , 2048",
        "1MB, , 1000000",
        "2Ei, 2305843009213693952, 2305843009213693952",
        "'', , ",
        "abc, , ",
        "'1 G', , ",
        "5n, , "
    })
    void readQuantitiesAsOpaDoes(String quantity, String number, String bytes) {
        assertThat(QuantityBuiltin.parse(quantity, false)).isEqualTo(Optional.ofNullable(number));
        assertThat(QuantityBuiltin.parse(quantity, true)).isEqualTo(Optional.ofNullable(bytes));
    }

    // OPA-14.
    @Test
    void anOwnPolicySaysWhichPodsAreItsOwn() {
        OwnPolicyVector.check("mode: wasm, policies: [src/test/resources/own.wasm]");
    }

    // Objects come, change and go in the memory of one instance; another that is given them all
    // at once must say the same.
    @Test
    void seeChangedObjectsAsNewOnes() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] wasm = Files.readAllBytes(TEST.resolve("weights.wasm"));
        WasmModule changed = WasmModule.of(wasm, "io/k8s/scheduler/fit");
        changed.clear("nodes");
        Map<String, String> nodes = new TreeMap<>();
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 40; i++) {
                String name = "n" + random.nextInt(50);
                if (random.nextInt(3) == 0) {
                    nodes.remove(name);
                    changed.remove("nodes", name);
                } else {
                    String node = "{\"metadata\":{\"name\":\"" + name + "\",\"annotations\":{\"weight\":\""
                            + random.nextInt(1000) + "\",\"filler\":\"" + "ä€".repeat(random.nextInt(500)) + "\"}}}";
                    nodes.put(name, node);
                    changed.put("nodes", name, node);
                }
            }
            WasmModule fresh = WasmModule.of(wasm, "io/k8s/scheduler/fit");
            fresh.clear("nodes");
            nodes.forEach((name, node) -> fresh.put("nodes", name, node));
            for (String input : List.of("{\"pod\":{}}", "{\"pod\":{\"metadata\":{\"labels\":{\"leave\":\"x\"}}}}")) {
                assertThat(changed.evaluate(input))
                        .as("seed %d, round %d", seed, round)
                        .isEqualTo(fresh.evaluate(input));
            }
        }
    }
}
