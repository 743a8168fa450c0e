// SPDX-License-Identifier: Apache-2.0
package org.moorage.opa;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors of opa-kube-scheduler, with a real OPA. */
@Tag("live")
class ServerVectorsLiveTest {
    private static VectorTable table;
    private static Map<Boolean, RealOpa> opas;
    private static Map<Boolean, EngineVectors> engines;

    @BeforeAll
    static void start() {
        table = new VectorTable("server");
        opas = new HashMap<>();
        engines = new HashMap<>();
        for (boolean original : List.of(true, false)) {
            // One scheduler owns the data of an OPA.
            RealOpa opa = new RealOpa();
            opas.put(original, opa);
            engines.put(
                    original,
                    new EngineVectors(
                            TestArgs.of("mode: server, url: \"" + opa.url() + "\", originalBehavior: " + original),
                            table));
        }
    }

    @AfterAll
    static void end() {
        engines.values().forEach(EngineVectors::close);
        opas.values().forEach(RealOpa::close);
        table.write();
    }

    static List<Vectors.Case> cases() {
        return Vectors.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isAsTheOriginalSaid(Vectors.Case vector) {
        engines.get(vector.original()).check(vector);
    }
}
