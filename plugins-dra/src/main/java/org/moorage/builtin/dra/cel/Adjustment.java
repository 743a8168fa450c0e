// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelMutableAst;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableCall;
import dev.cel.common.ast.CelMutableExprConverter;
import dev.cel.common.ast.CelReference;
import dev.cel.common.navigation.CelNavigableMutableAst;
import dev.cel.common.navigation.CelNavigableMutableExpr;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Changes checked expressions where the library's result would differ from that of kube-scheduler's library. */
final class Adjustment {
    private static final Set<String> CONVERSIONS =
            Set.of("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint");

    private Adjustment() {}

    /** Returns the adjusted expression to evaluate. Its parts keep their ids. */
    static CelAbstractSyntaxTree of(CelAbstractSyntaxTree checked, Functions functions) {
        Map<Long, CelReference> references = new HashMap<>(checked.getReferenceMap());
        references.replaceAll((id, reference) -> reference.overloadIds().isEmpty()
                ? reference
                : calling(reference.overloadIds().stream()
                        .map(functions::carriedOutBy)
                        .toList()));
        CelMutableAst ast = CelMutableAst.fromCelAst(checked);
        List<CelNavigableMutableExpr> parts =
                CelNavigableMutableAst.fromAst(ast).getRoot().allNodes().toList();
        for (CelNavigableMutableExpr node : parts) {
            CelMutableExpr part = node.expr();
            if (node.getKind() == Kind.CALL && isInNothing(part.call())) {
                // An empty list contains no value, so the result is false even if the operand is an error.
                part.setConstant(CelConstant.ofValue(false));
            } else if (node.getKind() == Kind.SELECT && part.select().testOnly()) {
                // For a value without fields, has() must be false; the library reports an error.
                CelConstant field = CelConstant.ofValue(part.select().field());
                references.put(part.id(), calling(List.of(functions.carriedOutBy("has"))));
                part.setCall(CelMutableCall.create("has", part.select().operand(), CelMutableExpr.ofConstant(field)));
            }
        }
        return CelAbstractSyntaxTree.newCheckedAst(
                CelMutableExprConverter.fromMutableExpr(ast.expr()),
                checked.getSource(),
                references,
                checked.getTypeMap());
    }

    private static boolean isInNothing(CelMutableCall call) {
        return call.function().equals("@in")
                && call.args().get(1).getKind() == Kind.LIST
                && call.args().get(1).list().elements().isEmpty();
    }

    private static CelReference calling(List<String> overloads) {
        return CelReference.newBuilder().addOverloadIds(overloads).build();
    }

    /**
     * Returns whether kube-scheduler's library evaluates a part while it prepares the expression, after which it costs
     * nothing.
     */
    static boolean isConstant(CelExpr part) {
        return switch (part.getKind()) {
            case CONSTANT -> true;
            case LIST -> part.list().elements().stream().allMatch(Adjustment::isConstant);
            case MAP ->
                part.map().entries().stream()
                        .flatMap(entry -> Stream.of(entry.key(), entry.value()))
                        .allMatch(Adjustment::isConstant);
            case CALL ->
                CONVERSIONS.contains(part.call().function())
                        && part.call().target().isEmpty()
                        && part.call().args().stream().allMatch(Adjustment::isConstant);
            default -> false;
        };
    }
}
