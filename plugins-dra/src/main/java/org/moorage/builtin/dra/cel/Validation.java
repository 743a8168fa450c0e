// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.navigation.TraversalOrder;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.validator.CelAstValidator;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The checks of Kubernetes beyond the types of an expression: the elements of a list or map must be of one type, and
 * constant durations, times, patterns and templates must be well-formed. The library's validators would accept any type
 * for {@code any}.
 */
final class Validation {
    private static final Set<String> MIXED = Set.of("format", ListLibrary.SORT_BY);

    private final CelAbstractSyntaxTree expression;
    private final CelAbstractSyntaxTree adjusted;
    private final CelRuntime runtime;
    private final CelAstValidator.IssuesFactory issues;
    private @Nullable String notUsable;

    Validation(CelAbstractSyntaxTree expression, CelAbstractSyntaxTree adjusted, CelRuntime runtime) {
        this.expression = expression;
        this.adjusted = adjusted;
        this.runtime = runtime;
        CelNavigableAst parts = CelNavigableAst.fromAst(expression);
        issues = new CelAstValidator.IssuesFactory(parts);
        parts.getRoot().allNodes(TraversalOrder.POST_ORDER).forEach(this::check);
    }

    /** Returns the issues of the expression as display text; empty if there are none. */
    String issues() {
        return CelIssue.toDisplayString(issues.getIssues(), expression.getSource());
    }

    /** Returns why the expression cannot be evaluated although it is valid; null if it can. */
    @Nullable
    String notUsable() {
        return notUsable;
    }

    private void check(CelNavigableExpr node) {
        CelExpr part = node.expr();
        if (part.getKind() == Kind.CALL) {
            checkCall(part);
        } else if (!mayBeMixed(node)) {
            CelExpr.CelList list = part.listOrDefault();
            checkTypes(list.elements(), list.optionalIndices()::contains);
            List<CelExpr.CelMap.Entry> entries = part.mapOrDefault().entries();
            checkTypes(entries.stream().map(CelExpr.CelMap.Entry::key).toList(), i -> false);
            checkTypes(
                    entries.stream().map(CelExpr.CelMap.Entry::value).toList(),
                    i -> entries.get(i).optionalEntry());
        }
    }

    private static boolean mayBeMixed(CelNavigableExpr node) {
        return node.parent()
                .filter(outer -> MIXED.contains(outer.expr().callOrDefault().function()) || mayBeMixed(outer))
                .isPresent();
    }

    private void checkTypes(List<CelExpr> parts, IntPredicate isOptional) {
        for (int i = 1; i < parts.size(); i++) {
            CelType expected = type(parts.get(0), isOptional.test(0));
            CelType found = type(parts.get(i), isOptional.test(i));
            if (!expected.equals(found)) {
                String names = CelTypes.format(expected) + "' but found '" + CelTypes.format(found);
                issues.addError(parts.get(i).id(), "expected type '" + names + "'");
                return;
            }
        }
    }

    private CelType type(CelExpr part, boolean isOptional) {
        CelType type = expression.getTypeOrThrow(part.id());
        return isOptional ? type.parameters().get(0) : type;
    }

    private void checkCall(CelExpr part) {
        String function = part.call().function();
        if (Adjustment.isConstant(part)) {
            checkConversion(part);
        } else if (function.equals("matches")) {
            checkPattern(part.call().args().get(0));
        } else if (function.equals("format")) {
            part.call().target().ifPresent(template -> checkFormat(part, template));
        }
    }

    // Conversions of constants are made while an expression is prepared.
    private void checkConversion(CelExpr call) {
        CelExpr argument = call.call().args().get(0);
        String to = call.call().function();
        String from = "";
        try {
            from = Functions.type(evaluated(argument)).name();
            evaluated(call);
        } catch (CelEvaluationException invalid) {
            if (argument.getKind() == Kind.CONSTANT
                    && Set.of("duration", "timestamp").contains(to)) {
                issues.addError(argument.id(), "invalid " + to + " argument");
            } else if (notUsable == null) {
                notUsable = switch (invalid.getErrorCode()) {
                    case OVERLOAD_NOT_FOUND -> "no such overload: " + to + "(" + from + ")";
                    case NUMERIC_OVERFLOW -> (to.equals("uint") ? "unsigned " : "") + "integer overflow";
                    default -> "type conversion error from '" + from + "' to '" + to + "'";
                };
            }
        }
    }

    private Object evaluated(CelExpr part) throws CelEvaluationException {
        return runtime.createProgram(CelAbstractSyntaxTree.newCheckedAst(
                        part, adjusted.getSource(), adjusted.getReferenceMap(), adjusted.getTypeMap()))
                .eval();
    }

    private void checkPattern(CelExpr pattern) {
        try {
            if (isText(pattern)) {
                Pattern.compile(pattern.constant().stringValue());
            }
        } catch (PatternSyntaxException invalid) {
            issues.addError(pattern.id(), "invalid matches argument");
        }
    }

    private static boolean isText(CelExpr part) {
        return part.constantOrDefault().getKind() == CelConstant.Kind.STRING_VALUE;
    }

    // Other clauses that do not fit their arguments are detected during evaluation.
    private void checkFormat(CelExpr call, CelExpr template) {
        if (!isText(template) || call.call().args().get(0).getKind() != Kind.LIST) {
            return;
        }
        List<CelExpr> arguments = call.call().args().get(0).list().elements();
        List<String> clauses = TextFormat.clauses(template.constant().stringValue());
        for (int i = 0; i < clauses.size(); i++) {
            if (i >= arguments.size()) {
                issues.addError(call.id(), "index " + i + " out of range");
                return;
            }
            CelType type = type(arguments.get(i), false);
            String problem = problem(clauses.get(i), type.kind());
            if (!problem.isEmpty()) {
                problem = "error during formatting: " + problem + ", was given " + type.name();
                issues.addError(arguments.get(i).id(), problem);
                return;
            }
        }
        if (arguments.size() > clauses.size()) {
            String counts = " (expected " + clauses.size() + ", got " + arguments.size() + ")";
            issues.addError(call.id(), "too many arguments supplied to string.format" + counts);
        }
    }

    private static String problem(String clause, CelKind argument) {
        if (clause.equals("s")
                && Set.of(CelKind.ANY, CelKind.OPAQUE, CelKind.STRUCT).contains(argument)) {
            return "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists,"
                    + " types, durations, and timestamps";
        }
        boolean isWhole = Set.of(CelKind.DYN, CelKind.INT, CelKind.UINT).contains(argument);
        return clause.equals("d") && !isWhole ? "decimal clause can only be used on integers" : "";
    }
}
