// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelIssue;
import dev.cel.common.CelValidationException;
import dev.cel.runtime.CelEvaluationException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Formats the errors of an expression in the words of kube-scheduler's CEL library. */
final class CelErrors {
    private static final Pattern CANDIDATES = Pattern.compile(" \\(candidates: .*\\)(?=\n|$)");
    private static final Pattern SYNTAX = Pattern.compile(
            "(ERROR: [^ ]+ )(?=mismatched input|extraneous input|no viable alternative|missing |token recognition error)");
    private static final Pattern OF_MAP =
            Pattern.compile("The argument must be a simple name(\n \\| [^\n]*\\.(?:map|filter)\\([^,\n]*,)");
    private static final Pattern MISSING_KEY = Pattern.compile("key '(.*)' is not present in map\\.?$", Pattern.DOTALL);

    private CelErrors() {}

    /** Returns why an expression cannot be evaluated. */
    static String ofEvaluation(CelEvaluationException failed) {
        String message = String.valueOf(failed.getMessage());
        Matcher missing = MISSING_KEY.matcher(message);
        return missing.find() ? "no such key: " + missing.group(1) : message;
    }

    /** Returns why an expression cannot be compiled. */
    static String ofCompiler(CelValidationException invalid) {
        // Skip errors that only follow from another error.
        List<CelIssue> issues = invalid.getErrors().stream()
                .filter(issue -> !issue.getMessage().contains("*error*"))
                .toList();
        String message = CelIssue.toDisplayString(issues, invalid.getSource());
        message = CANDIDATES.matcher(message).replaceAll("");
        message = OF_MAP.matcher(message).replaceAll("argument is not an identifier$1");
        return SYNTAX.matcher(message)
                .replaceAll("$1Syntax error: ")
                .replace("The argument must be a simple name", "argument must be a simple name")
                .replace("variable name must be a simple identifier", "variable names must be simple identifiers");
    }
}
