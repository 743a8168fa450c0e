// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.values.CelByteString;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows an evaluation part by part: adds up the cost as the library does that kube-scheduler uses, and gives errors where that
 * one does but the library here does not.
 */
final class CostTracker {
    /** What a selector may cost for one device. */
    static final long LIMIT = 1_000_000;

    private static final int LIST = 10;
    private static final int MAP = 30;
    private static final Set<String> INDEX = Set.of("_[_]", "_[?_]", "_?._");
    private static final Set<String> LOGICAL = Set.of("_&&_", "_||_");
    // Operators that only steer.
    private static final Set<String> FREE = Set.of("_&&_", "_||_", "_?_:_", "or", "orValue", "has");
    private static final Set<CelKind> KEYS =
            Set.of(CelKind.STRING, CelKind.INT, CelKind.UINT, CelKind.BOOL, CelKind.DOUBLE);

    private final Plan plan;
    private final @Nullable Object[] values;
    private long cost;

    /** The evaluation ends, whatever its value would be. An Error, since the library takes exceptions for values. */
    static final class Cancelled extends Error {
        private static final long serialVersionUID = 1L;

        Cancelled(String message) {
            super(message, null, false, false);
        }
    }

    /** What is known of an expression before it is evaluated. */
    static final class Plan {
        private final CelAbstractSyntaxTree ast;
        private final int size;
        private final Set<Long> constants = new HashSet<>();
        private final Set<Long> mustBeBool = new HashSet<>();
        private final Set<Long> partsOfPaths = new HashSet<>();

        Plan(CelAbstractSyntaxTree ast) {
            this.ast = ast;
            CelNavigableExpr root = CelNavigableAst.fromAst(ast).getRoot();
            size = (int) root.maxId() + 1;
            root.allNodes().map(CelNavigableExpr::expr).forEach(this::add);
        }

        private void add(CelExpr part) {
            boolean isType = ast.getReference(part.id()).isPresent()
                    && ast.getTypeOrThrow(part.id()).kind() == CelKind.TYPE
                    && part.getKind() != Kind.CALL;
            if (isType || Adjustment.isConstant(part)) {
                constants.add(part.id());
            }
            String function = function(part);
            if (LOGICAL.contains(function)) {
                part.call().args().forEach(side -> mustBeBool.add(side.id()));
            } else if (function.equals("_?_:_") || INDEX.contains(function)) {
                // Branches and indices are not paths of their own.
                part.call().args().stream()
                        .skip(1)
                        .forEach(inner -> partsOfPaths.add(start(inner).id()));
            }
        }

        private static CelExpr start(CelExpr path) {
            if (path.getKind() == Kind.SELECT) {
                return start(path.select().operand());
            }
            return INDEX.contains(function(path)) ? start(path.call().args().get(0)) : path;
        }
    }

    CostTracker(Plan plan) {
        this.plan = plan;
        values = new Object[plan.size];
    }

    static Cancelled limitExceeded() {
        return new Cancelled("operation cancelled: actual cost limit exceeded");
    }

    private static String function(CelExpr part) {
        return part.getKind() == Kind.CALL ? part.call().function() : "";
    }

    long cost() {
        return cost;
    }

    /** Takes note of the value of a part. */
    void evaluated(CelExpr part, Object value) {
        if (part.id() > 0) {
            values[(int) part.id()] = value;
        }
        if (!plan.constants.contains(part.id())) {
            cost += cost(part, value);
            if (cost > LIMIT) {
                throw limitExceeded();
            }
        }
        if (!(value instanceof Boolean) && plan.mustBeBool.contains(part.id())) {
            // The library would not look at the other side.
            throw new IllegalArgumentException("no such overload");
        }
    }

    private long cost(CelExpr part, Object value) {
        return switch (part.getKind()) {
            case IDENT -> plan.partsOfPaths.contains(part.id()) ? 0 : 1;
            case SELECT -> step(part.select().operand(), value);
            case LIST -> LIST;
            case MAP -> MAP;
            case CALL ->
                INDEX.contains(function(part)) ? step(part.call().args().get(0), value) : call(part, value);
            default -> 0;
        };
    }

    // A step of a path; the start of one is counted with the first step if it is no variable.
    private long step(CelExpr from, Object value) {
        boolean goesOn = from.getKind() == Kind.IDENT
                || from.getKind() == Kind.SELECT
                || INDEX.contains(function(from))
                || function(from).equals("_?_:_")
                || plan.partsOfPaths.contains(from.id());
        long cost = goesOn ? 0 : 1;
        return value instanceof Optional<?> optional && optional.isEmpty() ? cost : cost + 1;
    }

    private long call(CelExpr part, Object value) {
        CelExpr.CelCall call = part.call();
        Object[] arguments = new Object[call.args().size() + (call.target().isPresent() ? 1 : 0)];
        int count = 0;
        if (call.target().isPresent()) {
            arguments[count++] = values[(int) call.target().get().id()];
        }
        for (CelExpr argument : call.args()) {
            arguments[count++] = values[(int) argument.id()];
        }
        check(call, arguments);
        if (FREE.contains(call.function()) || call.function().equals("@in") && isInKeys(call, arguments[0])) {
            return 0;
        }
        List<String> overloads = plan.ast.getReferenceOrThrow(part.id()).overloadIds();
        return CallCosts.of(call.function(), overloads.size() == 1 ? overloads.get(0) : "", arguments, value);
    }

    private static void check(CelExpr.CelCall call, Object[] arguments) {
        switch (call.function()) {
            case "_==_" -> {
                if (Functions.isOfKubernetes(arguments[0])
                        && !Functions.type(arguments[0]).equals(Functions.type(arguments[1]))) {
                    throw new IllegalArgumentException("no such overload");
                }
            }
            case "join" -> {
                if (!((List<?>) arguments[0]).stream().allMatch(String.class::isInstance)) {
                    throw new IllegalArgumentException("no such overload");
                }
            }
            case "value", "orValue" -> {
                // kube-scheduler's library takes variables that are optionals apart, and cannot put all of them
                // together.
                if (call.target()
                                .filter(target -> target.getKind() == Kind.IDENT)
                                .isPresent()
                        && arguments[0] instanceof Optional<?> optional
                        && optional.filter(Functions::isOfKubernetes).isPresent()) {
                    throw new IllegalArgumentException("unsupported conversion to ref.Val: " + optional.get());
                }
            }
            default -> {}
        }
    }

    // kube-scheduler's library looks in a hash set, and panics if the value cannot be in one.
    private boolean isInKeys(CelExpr.CelCall call, Object value) {
        CelExpr list = call.args().get(1);
        boolean areKeys = list.getKind() == Kind.LIST
                && plan.constants.contains(list.id())
                && list.list().elements().stream()
                        .allMatch(element -> KEYS.contains(
                                plan.ast.getTypeOrThrow(element.id()).kind()));
        if (areKeys
                && (value instanceof SemanticVersion
                        || value instanceof CelByteString
                        || value instanceof NamedFormat)) {
            String type = value instanceof SemanticVersion ? "cel.Semver" : "types.Bytes";
            throw new Cancelled("internal error: runtime error: hash of unhashable type " + type);
        }
        return areKeys;
    }
}
