// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.collect.ImmutableList;
import dev.cel.checker.CelCheckerBuilder;
import dev.cel.common.CelIssue;
import dev.cel.common.ast.CelExpr;
import dev.cel.compiler.CelCompilerLibrary;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelMacro;
import dev.cel.parser.CelMacroExprFactory;
import dev.cel.parser.CelParserBuilder;
import dev.cel.parser.CelStandardMacro;
import java.util.List;
import java.util.Optional;

/**
 * The macros that the library expands in another way than the one that kube-scheduler uses, which gives the same values at another
 * cost.
 */
final class Macros implements CelCompilerLibrary {
    private static final String SORTED = "@__sortBy_input__";
    static final String SORT_BY_KEYS = "@sortByAssociatedKeys";

    static final List<CelStandardMacro> STANDARD = CelStandardMacro.STANDARD_MACROS.stream()
            .filter(macro -> macro != CelStandardMacro.HAS)
            .toList();

    @Override
    public void setParserOptions(CelParserBuilder parser) {
        parser.addMacros(
                CelMacro.newGlobalMacro("has", 1, Macros::has),
                CelMacro.newReceiverMacro(
                        "optMap", 2, (make, target, arguments) -> ifPresent(make, "optMap", target, arguments)),
                CelMacro.newReceiverMacro(
                        "optFlatMap", 2, (make, target, arguments) -> ifPresent(make, "optFlatMap", target, arguments)),
                CelMacro.newReceiverMacro("sortBy", 2, Macros::sortBy));
    }

    @Override
    public void setCheckerOptions(CelCheckerBuilder checker) {
        CelExtensions.optional().setCheckerOptions(checker);
    }

    // The same, but for where its error is shown.
    private static Optional<CelExpr> has(CelMacroExprFactory make, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr argument = arguments.get(0);
        if (argument.getKind() != CelExpr.ExprKind.Kind.SELECT) {
            return Optional.of(make.reportError(
                    CelIssue.formatError(make.getSourceLocation(argument), "invalid argument to has() macro")));
        }
        return Optional.of(
                make.newSelect(argument.select().operand(), argument.select().field(), true));
    }

    // Evaluates the target a second time for its value, instead of keeping it.
    private static Optional<CelExpr> ifPresent(
            CelMacroExprFactory make, String name, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != CelExpr.ExprKind.Kind.IDENT) {
            return Optional.of(make.reportError(CelIssue.formatError(
                    make.getSourceLocation(variable), name + "() variable name must be a simple identifier")));
        }
        String named = variable.ident().name();
        CelExpr value = make.newReceiverCall("value", make.copy(target));
        CelExpr bound = bind(make, named, value, make.newIdentifier(named), arguments.get(1));
        return Optional.of(make.newGlobalCall(
                "_?_:_",
                make.newReceiverCall("hasValue", target),
                name.equals("optMap") ? make.newGlobalCall("optional.of", bound) : bound,
                make.newGlobalCall("optional.none")));
    }

    private static CelExpr bind(CelMacroExprFactory make, String name, CelExpr value, CelExpr step, CelExpr result) {
        return make.fold("#unused", make.newList(), name, value, make.newBoolLiteral(false), step, result);
    }

    private static Optional<CelExpr> sortBy(
            CelMacroExprFactory make, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr variable = arguments.get(0);
        if (variable.getKind() != CelExpr.ExprKind.Kind.IDENT) {
            return Optional.of(make.reportError(
                    CelIssue.formatError(make.getSourceLocation(variable), "argument is not an identifier")));
        }
        String accumulator = make.getAccumulatorVarName();
        CelExpr keys = make.fold(
                variable.ident().name(),
                make.newIdentifier(SORTED),
                accumulator,
                make.newList(),
                make.newBoolLiteral(true),
                make.newGlobalCall("_+_", make.newIdentifier(accumulator), make.newList(arguments.get(1))),
                make.newIdentifier(accumulator));
        CelExpr sorted = make.newReceiverCall(SORT_BY_KEYS, make.newIdentifier(SORTED), keys);
        return Optional.of(bind(make, SORTED, target, make.newIdentifier(SORTED), sorted));
    }
}
