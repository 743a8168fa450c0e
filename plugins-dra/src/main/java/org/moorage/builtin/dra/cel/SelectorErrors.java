// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelIssue;
import dev.cel.common.CelValidationException;
import dev.cel.common.exceptions.CelRuntimeException;
import dev.cel.runtime.CelEvaluationException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.regex.Pattern;

/** What is wrong with an expression, in the words of the CEL library that kube-scheduler uses. */
final class SelectorErrors {
    private static final Pattern CANDIDATES = Pattern.compile(" \\(candidates: .*\\)(?=\n|$)");
    private static final Pattern SYNTAX = Pattern.compile(
            "(ERROR: [^ ]+ )(?=mismatched input|extraneous input|no viable alternative|missing |token recognition error)");

    private static final Pattern OF_MAP =
            Pattern.compile("The argument must be a simple name(\n \\| [^\n]*\\.(?:map|filter)\\([^,\n]*,)");

    private static final Pattern PLACE = Pattern.compile("^evaluation error( at <input>:[0-9]+)?: ");
    private static final Pattern MISSING = Pattern.compile("^(?:key|Error resolving field) '([^']*)'.*$");

    private SelectorErrors() {}

    /** Why an expression cannot be compiled. */
    static String ofCompiler(CelValidationException invalid) {
        // What follows from an error is not worth another one.
        List<CelIssue> issues = invalid.getErrors().stream()
                .filter(issue -> !issue.getMessage().contains("*error*"))
                .toList();
        String message = CANDIDATES
                .matcher(CelIssue.toDisplayString(issues, invalid.getSource()))
                .replaceAll("");
        message = OF_MAP.matcher(message).replaceAll("argument is not an identifier$1");
        return SYNTAX.matcher(message)
                .replaceAll("$1Syntax error: ")
                .replace("The argument must be a simple name", "argument must be a simple name")
                .replace(
                        "cel.bind() variable name must be a simple identifier",
                        "cel.bind() variable names must be simple identifiers");
    }

    /** Why an expression has no value for a device. */
    static String ofEvaluation(CelEvaluationException failed) {
        Throwable cause = failed;
        while ((cause instanceof CelEvaluationException || cause instanceof CelRuntimeException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = PLACE.matcher(String.valueOf(cause.getMessage())).replaceFirst("");
        if (cause instanceof NoSuchElementException) {
            return "optional.none() dereference";
        }
        return switch (failed.getErrorCode()) {
            case ATTRIBUTE_NOT_FOUND ->
                "no such key: " + MISSING.matcher(message).replaceFirst("$1");
            case INDEX_OUT_OF_BOUNDS -> message.replace("Index out", "index out");
            case OVERLOAD_NOT_FOUND -> "no such overload";
            case DIVIDE_BY_ZERO -> "division by zero";
            case NUMERIC_OVERFLOW -> "integer overflow";
            default -> cause instanceof ArithmeticException ? "integer overflow" : message;
        };
    }

    /** Why an answer is not one to whether a device will do. */
    static String notBool(Object answer) {
        return "CEL result of type " + Functions.type(answer).name() + " could not be converted to bool";
    }
}
