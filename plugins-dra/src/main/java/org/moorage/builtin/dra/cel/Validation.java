// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSource;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.navigation.TraversalOrder;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.OptionalType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What Kubernetes asks of an expression beyond its types: that the elements of a list or map are of one type, and that constant
 * durations, times, patterns and templates are well formed.
 */
final class Validation {
    private final CelAbstractSyntaxTree expression;
    private final CelAbstractSyntaxTree adjusted;
    private final CelRuntime runtime;
    private final List<CelIssue> issues = new ArrayList<>();

    Validation(CelAbstractSyntaxTree expression, CelAbstractSyntaxTree adjusted, CelRuntime runtime) {
        this.expression = expression;
        this.adjusted = adjusted;
        this.runtime = runtime;
    }

    /** What is wrong, as it is shown; empty if nothing. */
    String issues() {
        nodes().forEach(this::check);
        issues.sort(Comparator.comparingInt(
                        (CelIssue issue) -> issue.getSourceLocation().getLine())
                .thenComparingInt(issue -> issue.getSourceLocation().getColumn()));
        return CelIssue.toDisplayString(issues, expression.getSource());
    }

    private Stream<CelNavigableExpr> nodes() {
        return CelNavigableAst.fromAst(expression)
                .getRoot()
                .allNodes(TraversalOrder.POST_ORDER)
                .map(CelNavigableExpr.class::cast);
    }

    /**
     * Evaluates conversions of constants, and reads constant patterns.
     *
     * @throws IllegalArgumentException if one has no value
     */
    void checkConstants() {
        nodes().map(CelNavigableExpr::expr)
                .filter(part -> part.getKind() == Kind.CALL)
                .forEach(part -> {
                    CelExpr.CelCall call = part.call();
                    if (Adjustment.isConstant(part)) {
                        checkConversion(part);
                    } else if (call.function().startsWith("find")
                            && isText(call.args().get(0))) {
                        TextLibrary.compiled(call.args().get(0).constant().stringValue(), "");
                    }
                });
    }

    private void checkConversion(CelExpr part) {
        String from = "";
        try {
            from = Functions.type(evaluated(part.call().args().get(0))).name();
            evaluated(part);
        } catch (CelEvaluationException invalid) {
            String to = part.call().function();
            throw new IllegalArgumentException(
                    switch (invalid.getErrorCode()) {
                        case OVERLOAD_NOT_FOUND -> "no such overload: " + to + "(" + from + ")";
                        case NUMERIC_OVERFLOW -> (to.equals("uint") ? "unsigned " : "") + "integer overflow";
                        default -> "type conversion error from '" + from + "' to '" + to + "'";
                    },
                    invalid);
        }
    }

    private Object evaluated(CelExpr part) throws CelEvaluationException {
        return runtime.createProgram(CelAbstractSyntaxTree.newCheckedAst(
                        part, adjusted.getSource(), adjusted.getReferenceMap(), adjusted.getTypeMap()))
                .eval();
    }

    private void check(CelNavigableExpr node) {
        CelExpr part = node.expr();
        if (part.getKind() == Kind.LIST && !isInFormat(node)) {
            checkElements(part.list());
        } else if (part.getKind() == Kind.MAP && !isInFormat(node)) {
            checkEntries(part.map());
        } else if (part.getKind() == Kind.CALL && !part.call().args().isEmpty()) {
            checkConstant(part, part.call().args().get(0));
        }
    }

    private static boolean isInFormat(CelNavigableExpr node) {
        Optional<CelNavigableExpr> outer = node.parent();
        while (outer.isPresent()) {
            CelExpr part = outer.get().expr();
            if (part.getKind() == Kind.CALL && part.call().function().equals("format")) {
                return true;
            }
            outer = outer.get().parent();
        }
        return false;
    }

    private CelType type(CelExpr part) {
        return expression.getTypeOrThrow(part.id());
    }

    private void checkElements(CelExpr.CelList list) {
        List<CelExpr> elements = list.elements();
        for (int i = 1; i < elements.size(); i++) {
            CelType first =
                    unwrapped(type(elements.get(0)), list.optionalIndices().contains(0));
            CelType type =
                    unwrapped(type(elements.get(i)), list.optionalIndices().contains(i));
            if (report(elements.get(i), first, type)) {
                return;
            }
        }
    }

    private void checkEntries(CelExpr.CelMap map) {
        for (CelExpr.CelMap.Entry entry : map.entries()) {
            CelExpr.CelMap.Entry first = map.entries().get(0);
            report(entry.key(), type(first.key()), type(entry.key()));
            report(
                    entry.value(),
                    unwrapped(type(first.value()), first.optionalEntry()),
                    unwrapped(type(entry.value()), entry.optionalEntry()));
        }
    }

    private static CelType unwrapped(CelType type, boolean isOptional) {
        return isOptional && type instanceof OptionalType optional
                ? optional.parameters().get(0)
                : type;
    }

    private boolean report(CelExpr part, CelType expected, CelType found) {
        if (expected.equals(found)) {
            return false;
        }
        report(part, "expected type '" + CelTypes.format(expected) + "' but found '" + CelTypes.format(found) + "'");
        return true;
    }

    private void report(CelExpr part, String problem) {
        CelSource source = expression.getSource();
        int offset = source.getPositionsMap().getOrDefault(part.id(), 0);
        CelSourceLocation location = source.getOffsetLocation(offset).orElse(CelSourceLocation.NONE);
        issues.add(CelIssue.formatError(part.id(), location, problem));
    }

    private void checkConstant(CelExpr call, CelExpr argument) {
        String function = call.call().function();
        switch (function) {
            case "duration", "timestamp" -> {
                if (argument.getKind() == Kind.CONSTANT) {
                    try {
                        evaluated(call);
                    } catch (CelEvaluationException invalid) {
                        report(argument, "invalid " + function + " argument");
                    }
                }
            }
            case "matches" -> {
                if (isText(argument)
                        && !QuantityLibrary.isOne(
                                () -> TextLibrary.compiled(argument.constant().stringValue(), ""))) {
                    report(argument, "invalid matches argument");
                }
            }
            case "format" ->
                call.call()
                        .target()
                        .filter(target -> isText(target) && argument.getKind() == Kind.LIST)
                        .ifPresent(target -> checkFormat(
                                call,
                                target.constant().stringValue(),
                                argument.list().elements()));
            default -> {}
        }
    }

    private static boolean isText(CelExpr part) {
        return part.getKind() == Kind.CONSTANT && part.constant().getKind() == CelConstant.Kind.STRING_VALUE;
    }

    private void checkFormat(CelExpr call, String template, List<CelExpr> arguments) {
        List<CelExpr> wrong = new ArrayList<>();
        int[] requested = {0};
        try {
            TextFormat.interpolated(template, arguments.size(), (clause, precision, argument) -> {
                requested[0]++;
                wrong.add(arguments.get(argument));
                checkClause(clause, arguments.get(argument));
                wrong.clear();
                return "";
            });
        } catch (IllegalArgumentException invalid) {
            report(wrong.isEmpty() ? call : wrong.get(0), String.valueOf(invalid.getMessage()));
            return;
        }
        if (arguments.size() > requested[0]) {
            report(
                    call,
                    "too many arguments supplied to string.format (expected " + requested[0] + ", got "
                            + arguments.size() + ")");
        }
    }

    private void checkClause(char clause, CelExpr argument) {
        CelKind kind = type(argument).kind();
        boolean isWhole = kind == CelKind.DYN || kind == CelKind.INT || kind == CelKind.UINT;
        boolean fits = switch (clause) {
            case 's' -> kind != CelKind.ANY && kind != CelKind.OPAQUE && kind != CelKind.STRUCT;
            case 'f', 'e' -> Set.of(CelKind.DOUBLE, CelKind.STRING, CelKind.DYN).contains(kind);
            case 'b' -> isWhole || kind == CelKind.BOOL;
            case 'x', 'X' -> isWhole || kind == CelKind.STRING || kind == CelKind.BYTES;
            default -> isWhole;
        };
        if (!fits) {
            throw TextFormat.wrongType(clause, type(argument).name());
        }
        if (clause == 's' && argument.getKind() == Kind.LIST) {
            argument.list().elements().forEach(inner -> checkClause(clause, inner));
        }
        if (clause == 's' && argument.getKind() == Kind.MAP) {
            argument.map().entries().forEach(entry -> {
                checkClause(clause, entry.key());
                checkClause(clause, entry.value());
            });
        }
    }
}
