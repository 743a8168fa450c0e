// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.values.NullValue;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tracks an evaluation part by part: adds up the cost as kube-scheduler's CEL library does, and raises the errors that
 * kube-scheduler's library raises but this library does not.
 */
final class CostTracker {
    /** The maximum cost of a selector for one device. */
    static final long LIMIT = 1_000_000;

    private static final int LIST = 10;
    private static final int MAP = 30;
    private static final Set<String> LOGICAL = Set.of("_&&_", "_||_");
    // Operators that only control which operands are evaluated.
    private static final Set<String> FREE = Set.of("_&&_", "_||_", "_?_:_", "or", "orValue", "has");

    private final Plan plan;
    private final @Nullable Object[] values;
    private long cost;

    /** Thrown when an evaluation exceeds the cost limit. An Error, since the library treats exceptions as values. */
    static final class Cancelled extends Error {
        private static final long serialVersionUID = 1L;

        private Cancelled() {
            super("operation cancelled: actual cost limit exceeded", null, false, false);
        }
    }

    /** Properties of the parts of an expression, by id, which are known before the evaluation. */
    static final class Plan {
        private final int size;
        private final BitSet constants = new BitSet();
        private final BitSet mustBeBool = new BitSet();

        Plan(CelAbstractSyntaxTree ast) {
            CelNavigableExpr root = CelNavigableAst.fromAst(ast).getRoot();
            size = (int) root.maxId() + 1;
            root.allNodes().map(CelNavigableExpr::expr).forEach(this::add);
        }

        private void add(CelExpr part) {
            if (Adjustment.isConstant(part)) {
                constants.set((int) part.id());
            } else if (LOGICAL.contains(part.callOrDefault().function())) {
                part.call().args().forEach(side -> mustBeBool.set((int) side.id()));
            }
        }
    }

    CostTracker(Plan plan) {
        this.plan = plan;
        values = new Object[plan.size];
    }

    static Cancelled limitExceeded() {
        return new Cancelled();
    }

    /** Records the value of a part. */
    void evaluated(CelExpr part, Object value) {
        int id = (int) part.id();
        values[id] = value;
        if (!plan.constants.get(id)) {
            cost += switch (part.getKind()) {
                case IDENT, SELECT -> 1;
                case LIST -> LIST;
                case MAP -> MAP;
                case CALL -> call(part.call(), value);
                default -> 0;
            };
            if (cost > LIMIT) {
                throw limitExceeded();
            }
        }
        if (!(value instanceof Boolean) && plan.mustBeBool.get(id)) {
            // The library would not evaluate the other operand.
            throw new IllegalArgumentException("no such overload");
        }
    }

    private long call(CelExpr.CelCall call, Object value) {
        if (FREE.contains(call.function())) {
            return 0;
        }
        boolean hasTarget = call.target().isPresent();
        Object[] arguments = new Object[call.args().size() + (hasTarget ? 1 : 0)];
        for (int i = 0; i < arguments.length; i++) {
            CelExpr argument = !hasTarget
                    ? call.args().get(i)
                    : i == 0 ? call.target().get() : call.args().get(i - 1);
            Object known = values[(int) argument.id()];
            arguments[i] = known == null ? NullValue.NULL_VALUE : known;
        }
        boolean isInConstants = call.function().equals("@in")
                && plan.constants.get((int) call.args().get(1).id());
        boolean isRefused = switch (call.function()) {
            case "_==_" ->
                Functions.isOfKubernetes(arguments[0])
                        && !Functions.type(arguments[0]).equals(Functions.type(arguments[1]));
            // It looks in a hash set, and panics if a value cannot be in one.
            case "@in" -> isInConstants && arguments[0] instanceof SemanticVersion;
            default -> false;
        };
        if (isRefused) {
            throw new IllegalArgumentException("no such overload");
        }
        return isInConstants ? 0 : CallCosts.of(call.function(), arguments, value);
    }
}
