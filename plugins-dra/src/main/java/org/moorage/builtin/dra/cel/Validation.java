// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSource;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.OptionalType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * What Kubernetes asks of an expression beyond its types: that the elements of a list or map are of one type, and that constant
 * durations, times, patterns and templates are well formed.
 */
final class Validation {
    private final CelAbstractSyntaxTree expression;
    private final List<CelIssue> issues = new ArrayList<>();

    private Validation(CelAbstractSyntaxTree expression) {
        this.expression = expression;
    }

    /** What is wrong, as it is shown; empty if nothing. */
    static String issues(CelAbstractSyntaxTree expression) {
        Validation validation = new Validation(expression);
        validation.visit(expression.getExpr(), false);
        validation.issues.sort(Comparator.comparingInt(
                        (CelIssue issue) -> issue.getSourceLocation().getLine())
                .thenComparingInt(issue -> issue.getSourceLocation().getColumn()));
        return CelIssue.toDisplayString(validation.issues, expression.getSource());
    }

    private void visit(CelExpr part, boolean isInFormat) {
        switch (part.getKind()) {
            case SELECT -> visit(part.select().operand(), isInFormat);
            case LIST -> {
                part.list().elements().forEach(element -> visit(element, isInFormat));
                if (!isInFormat) {
                    checkElements(part.list());
                }
            }
            case MAP -> {
                part.map().entries().forEach(entry -> {
                    visit(entry.key(), isInFormat);
                    visit(entry.value(), isInFormat);
                });
                if (!isInFormat) {
                    checkEntries(part.map());
                }
            }
            case CALL -> {
                CelExpr.CelCall call = part.call();
                boolean isFormat = isInFormat || call.function().equals("format");
                call.target().ifPresent(target -> visit(target, isFormat));
                call.args().forEach(argument -> visit(argument, isFormat));
                checkLiterals(part);
            }
            case COMPREHENSION -> {
                CelExpr.CelComprehension fold = part.comprehension();
                for (CelExpr inner : List.of(
                        fold.iterRange(), fold.accuInit(), fold.loopCondition(), fold.loopStep(), fold.result())) {
                    visit(inner, isInFormat);
                }
            }
            default -> {
                // Has no parts.
            }
        }
    }

    private CelType type(CelExpr part) {
        return expression.getTypeOrThrow(part.id());
    }

    private void checkElements(CelExpr.CelList list) {
        CelType first = null;
        for (int i = 0; i < list.elements().size(); i++) {
            CelExpr element = list.elements().get(i);
            CelType type = unwrapped(type(element), list.optionalIndices().contains(i));
            if (first == null) {
                first = type;
            } else if (!first.equals(type)) {
                report(element, first, type);
                return;
            }
        }
    }

    private void checkEntries(CelExpr.CelMap map) {
        CelType key = null;
        CelType value = null;
        for (CelExpr.CelMap.Entry entry : map.entries()) {
            CelType entryValue = unwrapped(type(entry.value()), entry.optionalEntry());
            if (key == null || value == null) {
                key = type(entry.key());
                value = entryValue;
                continue;
            }
            if (!key.equals(type(entry.key()))) {
                report(entry.key(), key, type(entry.key()));
            }
            if (!value.equals(entryValue)) {
                report(entry.value(), value, entryValue);
            }
        }
    }

    private static CelType unwrapped(CelType type, boolean isOptional) {
        return isOptional && type instanceof OptionalType optional
                ? optional.parameters().get(0)
                : type;
    }

    private void report(CelExpr part, CelType expected, CelType found) {
        report(part, "expected type '" + CelTypes.format(expected) + "' but found '" + CelTypes.format(found) + "'");
    }

    private void report(CelExpr part, String problem) {
        CelSource source = expression.getSource();
        int offset = source.getPositionsMap().getOrDefault(part.id(), 0);
        CelSourceLocation location = source.getOffsetLocation(offset).orElse(CelSourceLocation.NONE);
        issues.add(CelIssue.formatError(part.id(), location, problem));
    }

    private void checkLiterals(CelExpr part) {
        CelExpr.CelCall call = part.call();
        if (call.args().isEmpty()) {
            return;
        }
        CelExpr argument = call.args().get(0);
        boolean isText = argument.getKind() == CelExpr.ExprKind.Kind.CONSTANT
                && argument.constant().getKind() == CelConstant.Kind.STRING_VALUE;
        switch (call.function()) {
            case "duration", "timestamp" -> {
                if (argument.getKind() == CelExpr.ExprKind.Kind.CONSTANT
                        && !isTime(call.function(), argument.constant())) {
                    report(argument, "invalid " + call.function() + " argument");
                }
            }
            case "matches" -> {
                if (isText && !isPattern(argument.constant().stringValue())) {
                    report(argument, "invalid matches argument");
                }
            }
            case "format" -> checkFormat(part, argument);
            default -> {
                // No literals that could be wrong.
            }
        }
    }

    private static boolean isTime(String function, CelConstant constant) {
        return switch (constant.getKind()) {
            case STRING_VALUE -> !(Times.converted(function, constant.stringValue()) instanceof Failure);
            case INT64_VALUE -> !(Times.converted(function, constant.int64Value()) instanceof Failure);
            default -> true;
        };
    }

    private static boolean isPattern(String text) {
        try {
            RegexLibrary.compiled(text, "");
            return true;
        } catch (IllegalArgumentException invalid) {
            return false;
        }
    }

    private void checkFormat(CelExpr part, CelExpr arguments) {
        CelExpr target = part.call().target().orElse(arguments);
        if (target.getKind() != CelExpr.ExprKind.Kind.CONSTANT
                || target.constant().getKind() != CelConstant.Kind.STRING_VALUE
                || arguments.getKind() != CelExpr.ExprKind.Kind.LIST) {
            return;
        }
        List<CelExpr> elements = arguments.list().elements();
        ArgumentTypes types = new ArgumentTypes(elements);
        try {
            TextFormat.interpolated(target.constant().stringValue(), elements.size(), types);
        } catch (IllegalArgumentException invalid) {
            report(types.wrong.isEmpty() ? part : types.wrong.get(0), String.valueOf(invalid.getMessage()));
            return;
        }
        if (elements.size() > types.requested) {
            report(
                    part,
                    "too many arguments supplied to string.format (expected " + types.requested + ", got "
                            + elements.size() + ")");
        }
    }

    /** Looks at the types of what will be formatted. */
    private final class ArgumentTypes implements TextFormat.Clauses {
        private static final Set<CelKind> FORMATTED = Set.of(
                CelKind.LIST,
                CelKind.MAP,
                CelKind.INT,
                CelKind.UINT,
                CelKind.DOUBLE,
                CelKind.BOOL,
                CelKind.STRING,
                CelKind.TIMESTAMP,
                CelKind.BYTES,
                CelKind.DURATION,
                CelKind.TYPE,
                CelKind.NULL_TYPE,
                CelKind.DYN);

        private final List<CelExpr> elements;
        private final List<CelExpr> wrong = new ArrayList<>();
        private int requested;

        ArgumentTypes(List<CelExpr> elements) {
            this.elements = elements;
        }

        @Override
        public Object argument(int index) {
            requested++;
            return index;
        }

        @Override
        public String format(char clause, int precision, Object argument) {
            CelExpr element = elements.get((Integer) argument);
            Set<CelKind> kinds = switch (clause) {
                case 's' -> FORMATTED;
                case 'f', 'e' -> Set.of(CelKind.DOUBLE, CelKind.STRING, CelKind.DYN);
                case 'b' -> Set.of(CelKind.INT, CelKind.UINT, CelKind.BOOL, CelKind.DYN);
                case 'x', 'X' -> Set.of(CelKind.INT, CelKind.UINT, CelKind.STRING, CelKind.BYTES, CelKind.DYN);
                default -> Set.of(CelKind.INT, CelKind.UINT, CelKind.DYN);
            };
            check(clause, kinds, element);
            return "";
        }

        private void check(char clause, Set<CelKind> kinds, CelExpr element) {
            if (!kinds.contains(type(element).kind())) {
                wrong.add(element);
                throw TextFormat.wrongType(clause, type(element).name());
            }
            if (clause == 's' && element.getKind() == CelExpr.ExprKind.Kind.LIST) {
                element.list().elements().forEach(inner -> check(clause, kinds, inner));
            }
            if (clause == 's' && element.getKind() == CelExpr.ExprKind.Kind.MAP) {
                element.map().entries().forEach(entry -> {
                    check(clause, kinds, entry.key());
                    check(clause, kinds, entry.value());
                });
            }
        }
    }
}
