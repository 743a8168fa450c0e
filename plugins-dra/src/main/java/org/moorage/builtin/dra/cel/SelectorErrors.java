// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelIssue;
import dev.cel.common.CelValidationException;
import java.util.List;
import java.util.regex.Pattern;
import org.moorage.api.model.Quantity;

/** What is wrong with an expression, in the words of the CEL library that kube-scheduler uses. */
final class SelectorErrors {
    private static final Pattern CANDIDATES = Pattern.compile(" \\(candidates: .*\\)(?=\n|$)");
    private static final Pattern SYNTAX = Pattern.compile(
            "(ERROR: [^ ]+ )(?=mismatched input|extraneous input|no viable alternative|missing |token recognition error)");

    private static final Pattern OF_MAP =
            Pattern.compile("The argument must be a simple name(\n \\| [^\n]*\\.(?:map|filter)\\([^,\n]*,)");

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

    /** Why an answer is not one to whether a device will do. */
    static String notBool(Object answer) {
        if (answer instanceof String) {
            return notBool("string", "unsupported native conversion from string to 'bool'");
        }
        if (answer instanceof Double) {
            return notBool("double", "type conversion error from Double to 'bool'");
        }
        if (answer instanceof Quantity) {
            return notBool("kubernetes.Quantity", "type conversion error from 'Quantity' to 'bool'");
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
