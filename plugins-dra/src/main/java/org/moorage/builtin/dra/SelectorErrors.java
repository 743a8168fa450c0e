// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import dev.cel.common.CelValidationException;
import dev.cel.runtime.CelEvaluationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is wrong with an expression, in the words of the CEL library that kube-scheduler uses. */
final class SelectorErrors {
    private static final Pattern QUOTED = Pattern.compile("'(.*)'");
    private static final Pattern NUMBER = Pattern.compile("-?\\d+");
    private static final Pattern PLACE = Pattern.compile("^evaluation error(?: at [^ ]*:\\d+)?: ");
    private static final Pattern CANDIDATES = Pattern.compile(" \\(candidates: .*\\)(?=\n|$)");
    private static final Pattern SYNTAX = Pattern.compile(
            "(ERROR: [^ ]+ )(?=mismatched input|extraneous input|no viable alternative|missing |token recognition error)");

    private SelectorErrors() {}

    /** Why an expression cannot be compiled. */
    static String ofCompiler(CelValidationException invalid) {
        String message =
                CANDIDATES.matcher(String.valueOf(invalid.getMessage())).replaceAll("");
        return SYNTAX.matcher(message).replaceAll("$1Syntax error: ");
    }

    /** Why an expression cannot be evaluated. */
    static String ofRuntime(CelEvaluationException failed) {
        String message = PLACE.matcher(String.valueOf(failed.getMessage())).replaceFirst("");
        return switch (failed.getErrorCode()) {
            case ATTRIBUTE_NOT_FOUND -> "no such key: " + first(QUOTED, message, 1);
            case OVERLOAD_NOT_FOUND, AMBIGUOUS_OVERLOAD -> "no such overload";
            case DIVIDE_BY_ZERO -> message.contains("odulus") ? "modulus by zero" : "division by zero";
            case NUMERIC_OVERFLOW -> "return error for overflow";
            case INDEX_OUT_OF_BOUNDS -> "index out of bounds: " + first(NUMBER, message, 0);
            default -> ofFunction(failed, message);
        };
    }

    private static String ofFunction(CelEvaluationException failed, String message) {
        if (message.contains("optional_value")) {
            return "optional.none() dereference";
        }
        for (Throwable cause = failed.getCause(); cause != null; cause = cause.getCause()) {
            // The functions of this package say it in the right words.
            if (cause instanceof IllegalArgumentException) {
                return String.valueOf(cause.getMessage());
            }
        }
        return message;
    }

    private static String first(Pattern pattern, String message, int group) {
        Matcher matcher = pattern.matcher(message);
        return matcher.find() ? matcher.group(group) : message;
    }

    /** Why an answer is not one to whether a device will do. */
    static String notBool(Object answer) {
        if (answer instanceof String) {
            return notBool("string", "unsupported native conversion from string to 'bool'");
        }
        if (answer instanceof Long) {
            return notBool("int", "unsupported type conversion from 'int' to bool");
        }
        if (answer instanceof SemanticVersion) {
            return notBool("kubernetes.Semver", "type conversion error from 'Semver' to 'bool'");
        }
        return notBool("dyn", "unsupported type conversion");
    }

    private static String notBool(String type, String problem) {
        return "CEL result of type " + type + " could not be converted to bool: " + problem;
    }
}
