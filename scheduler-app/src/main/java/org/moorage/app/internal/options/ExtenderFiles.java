// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.options;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.moorage.api.plugin.Problems;
import org.moorage.app.internal.report.Terminal;
import org.moorage.config.ExtenderConfig;
import org.moorage.config.LoadedConfig;

/** The files of certificates and keys of extenders, which may be where the scheduler runs and not on this machine. */
public final class ExtenderFiles {
    private ExtenderFiles() {}

    /** Returns the configuration without the files of extenders that are not on this machine, each with a warning. */
    public static LoadedConfig withoutAbsent(LoadedConfig config, Terminal terminal) {
        List<ExtenderConfig> extenders = new ArrayList<>();
        boolean isChanged = false;
        for (ExtenderConfig extender : config.config().extenders()) {
            Optional<ExtenderConfig.Tls> tls = extender.tls().map(given -> {
                String at = "extenders[" + extender.urlPrefix() + "].tlsConfig.";
                boolean hasCert = isPresent(given.certFile(), given.certData(), at + "certFile", config, terminal);
                boolean hasKey = isPresent(given.keyFile(), given.keyData(), at + "keyFile", config, terminal);
                boolean hasAuthorities = isPresent(given.caFile(), given.caData(), at + "caFile", config, terminal);
                // Half of the pair is of no use.
                boolean hasPair = hasCert && hasKey;
                return hasPair && hasAuthorities
                        ? given
                        : new ExtenderConfig.Tls(
                                given.insecure(),
                                given.serverName(),
                                hasPair ? given.certFile() : "",
                                hasPair ? given.keyFile() : "",
                                hasAuthorities ? given.caFile() : "",
                                hasPair ? given.certData() : "",
                                hasPair ? given.keyData() : "",
                                given.caData());
            });
            isChanged |= !tls.equals(extender.tls());
            extenders.add(extender.withTls(tls));
        }
        return isChanged ? config.withExtenders(extenders) : config;
    }

    // Data count more than a file, which is then not read.
    private static boolean isPresent(String file, String data, String at, LoadedConfig config, Terminal terminal) {
        if (file.isEmpty() || !data.isEmpty()) {
            return true;
        }
        String problem;
        try {
            Path path = Path.of(file);
            if (Files.isReadable(path)) {
                return true;
            }
            problem = Files.exists(path) ? "permission denied" : "no such file";
        } catch (InvalidPathException invalid) {
            return true;
        }
        Problems.Problem absent = new Problems.Problem(
                at, file + ": " + problem + ", so it is not used (expected: where the scheduler runs)");
        terminal.warn(String.valueOf(config.refusal(List.of(absent)).getMessage()));
        return false;
    }
}
