// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.moorage.livetests.scene.RunningProgram;
import org.moorage.livetests.scene.Scene;

/**
 * The files of an image, which the system property {@code image} names, as a second scheduler on a real API server.
 * There is no container runtime.
 */
@Tag("image")
class LiveImageTest {
    private static final Deployed SECOND =
            new Deployed("second-scheduler", "moorage-system", "moorage", "moorage", "moorage");

    /** As the image's user without capabilities, in files that it cannot change. */
    @Test
    void schedulesAsAProcessTree() throws IOException {
        assertThat(System.getProperty("image")).as("-Dimage").isNotNull();
        try (Scene scene = Scene.open()) {
            scene.create("""
                apiVersion: v1
                kind: Node
                metadata: {name: n1}
                status:
                  conditions: [{type: Ready, status: "True"}]
                  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
                  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
                """);
            scene.plane()
                    .kubectl(
                            "apply",
                            "-k",
                            Deployed.DEPLOY.resolve(SECOND.source()).toString());
            try (RunningProgram moorage = SECOND.runScheduler(scene)) {
                SECOND.assertSchedules(scene, moorage);

                Path process = Path.of("/proc", String.valueOf(moorage.pid()));
                assertThat(Files.readAllLines(process.resolve("status")))
                        .contains("Uid:\t65532\t65532\t65532\t65532", "CapEff:\t0000000000000000", "NoNewPrivs:\t1");
                assertThat(Files.readAllLines(process.resolve("mountinfo")))
                        .filteredOn(mount -> mount.split(" ")[4].equals("/"))
                        .singleElement()
                        .satisfies(mount -> assertThat(mount.split(" ")[5]).startsWith("ro"));
                assertThat(moorage.terminate()).isZero();
                assertThat(Deployed.holder(scene, "moorage-system", "moorage")).isEmpty();
            }
        }
    }
}
