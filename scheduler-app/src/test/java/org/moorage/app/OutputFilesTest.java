// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.moorage.api.model.OtherObject;
import org.moorage.app.internal.process.CommandException;
import org.moorage.app.internal.recording.RecordingWriter;

/** The files that commands write for their users. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
final class OutputFilesTest {
    private static final String FORMER = "former";

    @TempDir
    private Path folder;

    private Path workList = Path.of("");

    @BeforeEach
    void writeWorkList() throws IOException {
        workList = Files.writeString(Files.createDirectory(folder.resolve("in")).resolve("list.txt"), "drain web-1\n");
    }

    /** Each option that names an output file, with the beginning of what is written. */
    private enum Output {
        REPORT("<!doctype html>", "--report "),
        TRACE("{\"objects\":[", ""),
        ANSWERS("{\"number\":1,", "--answers "),
        RECORDING("{\"type\":\"BOOKMARK\"", ""),
        CONFIG("apiVersion: ", "--write-config-to ");

        private final String beginning;
        private final String label;

        // A scheduler that cannot start ends with 1, as kube-scheduler does.
        int refusal() {
            return this == CONFIG ? 1 : 2;
        }

        Output(String beginning, String label) {
            this.beginning = beginning;
            this.label = label;
        }
    }

    static Stream<Output> outputs() {
        return Stream.of(Output.values());
    }

    private CapturedRun write(Output output, Path file) {
        String path = file.toString();
        return switch (output) {
            case REPORT -> CapturedRun.of("simulate", CapturedRun.FIRST, "--report", path);
            case TRACE -> CapturedRun.of("simulate", CapturedRun.FIRST, "--trace", path);
            case ANSWERS ->
                CapturedRun.of("batch", "run", workList.toString(), "--cluster", CapturedRun.FIRST, "--answers", path);
            case RECORDING -> recorded(file);
            case CONFIG -> CapturedRun.of("--write-config-to=" + path);
        };
    }

    private static CapturedRun recorded(Path file) {
        try (RecordingWriter writer = RecordingWriter.create(file, InstantSource.system(), OtherObject::json)) {
            writer.listed();
            writer.flush();
            return new CapturedRun(0, "", "");
        } catch (CommandException e) {
            return new CapturedRun(2, "", "error: " + e.getMessage() + "\n");
        }
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> !file.endsWith("in")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void areForTheirOwnerAloneUnlessTheyHaveNothingOfACluster(Output output) throws IOException {
        Path file = Files.writeString(folder.resolve("out"), FORMER);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        CapturedRun run = write(output, file);

        assertThat(run.exitCode()).as(run.err()).isLessThan(2);
        assertThat(Files.readString(file).strip()).startsWith(output.beginning);
        assertThat(permissions(file)).startsWith("rw-");
        if (output != Output.CONFIG) {
            assertThat(permissions(file)).isEqualTo("rw-------");
        }
        assertThat(files()).containsExactly(file);
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void followLinks(Output output) throws IOException {
        Path target = Files.createDirectory(folder.resolve("there")).resolve("target");
        Path second = Files.createSymbolicLink(folder.resolve("there").resolve("second"), Path.of("target"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("there/second"));
        for (int i = 0; i < 2; i++) {
            // First without a target, then with one.
            CapturedRun run = write(output, link);

            assertThat(run.exitCode()).as(run.err()).isLessThan(2);
            assertThat(Files.isSymbolicLink(link)).isTrue();
            assertThat(Files.isSymbolicLink(second)).isTrue();
            assertThat(Files.readString(target).strip()).startsWith(output.beginning);
            Files.writeString(target, FORMER);
        }
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));

        assertThat(write(output, loop).err())
                .isEqualTo(
                        "error: " + output.label + loop + ": cannot be written: too many levels of symbolic links\n");
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void goThroughAPipe(Output output) throws ExecutionException, IOException, InterruptedException, TimeoutException {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try (InputStream in = Files.newInputStream(pipe)) {
                return new String(in.readAllBytes(), UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });

        CapturedRun run = write(output, pipe);

        assertThat(run.exitCode()).as(run.err()).isLessThan(2);
        assertThat(read.get(60, TimeUnit.SECONDS).strip()).startsWith(output.beginning);
        assertThat(Files.readAttributes(pipe, "isOther", LinkOption.NOFOLLOW_LINKS))
                .containsEntry("isOther", true);
        assertThat(files()).containsExactly(pipe);
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void leaveDevicesInPlaceAndReportAFullDisk(Output output) throws IOException {
        for (String device : List.of("/dev/full", "link")) {
            Path file = device.equals("link")
                    ? Files.createSymbolicLink(folder.resolve("link"), Path.of("/dev/full"))
                    : Path.of(device);

            CapturedRun run = write(output, file);

            assertThat(run.exitCode()).as(run.err()).isEqualTo(output.refusal());
            assertThat(run.err())
                    .endsWith("error: " + output.label + file + ": cannot be written: no space left on device\n");
            assertThat(Files.isRegularFile(Path.of("/dev/full"))).isFalse();
        }
        assertThat(write(output, Path.of("/dev/null")).exitCode()).isLessThan(2);
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void refuseFoldersAndMissingFolders(Output output) {
        Map<Path, String> reasons = new TreeMap<>();
        reasons.put(folder, "a folder");
        reasons.put(folder.resolve("none").resolve("out"), "no such folder");
        reasons.forEach((file, reason) -> {
            CapturedRun run = write(output, file);

            assertThat(run.exitCode()).isEqualTo(output.refusal());
            assertThat(run.err()).isEqualTo("error: " + output.label + file + ": cannot be written: " + reason + "\n");
        });
    }

    @Test
    void standardOutputIsWrittenWhereTheShellHasCome() throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        List<String> java = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.moorage.app.Main",
                "--write-config-to=/dev/stdout"));
        List<String> shell = new ArrayList<>(List.of("sh", "-c", "echo before; \"$@\"; echo after", "sh"));
        shell.addAll(java);

        Process process = new ProcessBuilder(shell)
                .redirectOutput(out.toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();

        assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        assertThat(folder.resolve("err")).isEmptyFile();
        assertThat(Files.readAllLines(out))
                .startsWith("before")
                .endsWith("after")
                .anyMatch(line -> line.startsWith("apiVersion: "));
    }
}
