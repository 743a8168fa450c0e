// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.moorage.livetests.scene.Moorage;
import org.moorage.livetests.scene.Scene;

/**
 * Gives each test of a fault its {@link FaultReport}, and writes {@code target/faults.md} from all of the build's
 * reports.
 */
final class FaultTable implements ParameterResolver, AfterTestExecutionCallback {
    private static final Namespace NAMESPACE = Namespace.create(FaultTable.class);
    private static final String HEAD = "| # | injected | scheduler | seen | |\n|--:|---|---|---|---|\n";

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == FaultReport.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        FaultReport report = new FaultReport(Scene.seed(context.getDisplayName()));
        context.getStore(NAMESPACE).put("report", report);
        return report;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        FaultReport report = context.getStore(NAMESPACE).get("report", FaultReport.class);
        if (report == null) {
            return;
        }
        boolean failed = context.getExecutionException().isPresent();
        String row = row(context, report, failed);
        System.out.print(row);
        try {
            write(context, report, row);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!failed) {
            report.end();
        }
    }

    private static String row(ExtensionContext context, FaultReport report, boolean failed) {
        Fault fault = fault(context);
        String end = failed
                ? "fails: "
                        + context.getExecutionException()
                                .orElseThrow()
                                .toString()
                                .lines()
                                .findFirst()
                                .orElse("")
                : report.violations().isEmpty() ? "holds" : "breaks: " + String.join("; ", report.violations());
        return "| " + fault.value() + " | " + fault.injected() + " | "
                + (report.isComparison() ? "kube-scheduler" : "Moorage") + " | " + String.join("; ", report.seen())
                + " | " + end.replace('|', '/') + " |\n";
    }

    private static Fault fault(ExtensionContext context) {
        return context.getRequiredTestMethod().getAnnotation(Fault.class);
    }

    private static void write(ExtensionContext context, FaultReport report, String row) throws IOException {
        Path target = Moorage.target();
        Path rows = Files.createDirectories(target.resolve("faults"));
        String name = String.format(
                Locale.ROOT,
                "%02d-%d-%s-%s.md",
                fault(context).value(),
                report.isComparison() ? 1 : 0,
                context.getRequiredTestMethod().getName(),
                context.getDisplayName().replaceAll("[^A-Za-z0-9]+", "_"));
        Files.writeString(rows.resolve(name), row);
        Map<String, String> all = new TreeMap<>();
        try (var files = Files.list(rows)) {
            List<Path> paths = files.collect(Collectors.toList());
            for (Path path : paths) {
                all.put(path.getFileName().toString(), Files.readString(path));
            }
        }
        Files.writeString(target.resolve("faults.md"), HEAD + String.join("", all.values()));
    }
}
