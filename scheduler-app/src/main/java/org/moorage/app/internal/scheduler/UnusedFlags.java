// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.scheduler;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Flags of kube-scheduler that are taken so that its command lines work, and that have no effect here. */
public final class UnusedFlags {
    private static final List<String> NAMES = List.of(
            // Moorage serves nothing without TLS, like kube-scheduler since 1.23.
            "--address",
            "--port",
            "--use-legacy-policy-config",
            // HTTP/2 is not served, and a port belongs to one process.
            "--disable-http2-serving",
            "--http2-max-streams-per-connection",
            "--permit-address-sharing",
            "--permit-port-sharing",
            // The certificate is read from --tls-cert-file, or generated and kept in memory.
            "--cert-dir",
            "--tls-sni-cert-key",
            "--tls-curve-preferences",
            "--requestheader-extra-headers-prefix",
            "--requestheader-uid-headers",
            // Requests are JSON.
            "--kube-api-content-type",
            // The JVM's own tools take profiles.
            "--profiling",
            "--contention-profiling",
            "--allow-metric-labels",
            "--allow-metric-labels-manifest",
            "--log-flush-frequency",
            "--log-json-info-buffer-size",
            "--log-json-split-stream",
            "--log-text-info-buffer-size",
            "--log-text-split-stream");

    // If a configuration file is given, its settings replace these flags, as for kube-scheduler.
    private static final List<String> WITHOUT_FILE = List.of(
            "--kube-api-qps",
            "--kube-api-burst",
            "--algorithm-provider",
            "--hard-pod-affinity-symmetric-weight",
            "--lock-object-name",
            "--lock-object-namespace",
            "--policy-config-file",
            "--policy-configmap",
            "--policy-configmap-namespace",
            "--scheduler-name");

    private UnusedFlags() {}

    /** Adds them to a command line, and returns it. */
    public static CommandLine addTo(CommandLine line) {
        for (String name : NAMES) {
            line.getCommandSpec()
                    .addOption(OptionSpec.builder(name)
                            .type(String.class)
                            .arity("0..1")
                            .fallbackValue("true")
                            .paramLabel("VALUE")
                            .description("Has no effect; taken since kube-scheduler has it.")
                            .hidden(true)
                            .build());
        }
        return line;
    }

    /** Returns the unused flags of a command line. */
    public static List<String> given(ParseResult parsed) {
        return NAMES.stream().filter(parsed::hasMatchedOption).toList();
    }

    /** Returns the flags of a command line that only have an effect without a configuration file. */
    public static List<String> countingWithoutFile(ParseResult parsed) {
        return WITHOUT_FILE.stream().filter(parsed::hasMatchedOption).toList();
    }
}
