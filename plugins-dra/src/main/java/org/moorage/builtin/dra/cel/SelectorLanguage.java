// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.CelValidationException;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.types.StructTypeReference;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelComprehensionsExtensions;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelListsExtensions;
import dev.cel.extensions.CelSetsExtensions;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.parser.CelMacro;
import dev.cel.parser.CelMacroExprFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * CEL as Kubernetes uses it in device selectors and derived attributes: the variable {@code device}, CEL's own
 * functions and extensions, and those of Kubernetes for quantities, versions, addresses, URLs, strings and lists. Like
 * kube-scheduler, it accepts everything that an API server may have stored, so an attribute may have several values
 * whether or not that feature is on.
 */
public final class SelectorLanguage {
    private static final String DEVICE_TYPE = "kubernetes.DRADevice";
    static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .enableOptionalSyntax(true)
            .build();
    private static final CelStringExtensions STRINGS =
            CelExtensions.strings(EnumSet.complementOf(EnumSet.of(CelStringExtensions.Function.REVERSE)));
    // The library declares a wrong type for the values that sortBy sorts.
    private static final CelListsExtensions LISTS =
            CelExtensions.lists(EnumSet.complementOf(EnumSet.of(CelListsExtensions.Function.SORT_BY)));
    private static final CelSetsExtensions SETS = CelExtensions.sets(OPTIONS);
    private static final CelComprehensionsExtensions COMPREHENSIONS = CelExtensions.comprehensions();
    private static final Set<CelStandardMacro> MACROS =
            Sets.filter(CelStandardMacro.STANDARD_MACROS, macro -> macro != CelStandardMacro.HAS);

    private final Functions functions = new Functions();
    private final CelCompiler compiler;
    private final CelRuntime runtime;

    /** Creates the language with all its libraries, which takes a moment. */
    public SelectorLanguage() {
        QuantityLibrary.addTo(functions);
        NetworkLibrary.addTo(functions);
        NamedFormat.addTo(functions);
        ListLibrary.addTo(functions);
        StandardLibrary.addTo(functions);
        compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(MACROS)
                .addMacros(CelMacro.newGlobalMacro("has", 1, SelectorLanguage::has))
                .addMacros(CelExtensions.lists(2).macros())
                .setTypeProvider(new DeviceTypes())
                .addVar("device", StructTypeReference.create(DEVICE_TYPE))
                .addLibraries(STRINGS, LISTS, SETS, COMPREHENSIONS, CelExtensions.optional(), CelExtensions.bindings())
                .addFunctionDeclarations(functions.declarations())
                .build();
        runtime = CelRuntimeFactory.legacyCelRuntimeBuilder()
                .setOptions(OPTIONS)
                .addLibraries(STRINGS, LISTS, SETS, COMPREHENSIONS, CelExtensions.optional())
                .addFunctionBindings(functions.bindings())
                .build();
    }

    /**
     * Compiles an expression that selects devices.
     *
     * @throws SelectorException if the expression is invalid, with a message in the words of kube-scheduler
     */
    public Selector compile(String expression) throws SelectorException {
        return compile(expression, SelectorLanguage::checkSelector);
    }

    /**
     * Compiles an expression for the value of an attribute.
     *
     * @throws SelectorException if the expression is invalid, with a message in the words of kube-scheduler
     */
    public AttributeExpression compileAttribute(String expression) throws SelectorException {
        return compile(expression, SelectorLanguage::checkAttribute);
    }

    /** Checks the type of an expression's result. */
    @FunctionalInterface
    private interface TypeCheck {
        void check(CelType answer) throws SelectorException;
    }

    private static void checkSelector(CelType answer) throws SelectorException {
        if (answer.kind() != CelKind.BOOL && answer.kind() != CelKind.DYN) {
            throw new SelectorException(
                    "must evaluate to bool or the unknown type, not " + CelTypes.format(answer), null);
        }
    }

    private static void checkAttribute(CelType answer) throws SelectorException {
        if (!isScalar(answer) && !(answer instanceof ListType list && isScalar(list.elemType()))) {
            throw new SelectorException(
                    "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars, not "
                            + CelTypes.format(answer),
                    null);
        }
    }

    private static boolean isScalar(CelType type) {
        return type.equals(Functions.SEMVER)
                || Set.of(CelKind.BOOL, CelKind.INT, CelKind.STRING, CelKind.DYN)
                        .contains(type.kind());
    }

    private CelExpression compile(String expression, TypeCheck types) throws SelectorException {
        try {
            CelAbstractSyntaxTree checked = compiler.compile(expression).getAst();
            CelAbstractSyntaxTree adjusted = Adjustment.of(checked, functions);
            Validation validation = new Validation(checked, adjusted, runtime);
            String issues = validation.issues();
            if (!issues.isEmpty()) {
                throw new SelectorException("compilation failed: " + issues, null);
            }
            types.check(checked.getResultType());
            String notUsable = validation.notUsable();
            if (notUsable != null) {
                throw new SelectorException("program instantiation failed: " + notUsable, null);
            }
            return new CelExpression(runtime.createProgram(adjusted), new CostTracker.Plan(adjusted));
        } catch (CelValidationException invalid) {
            throw new SelectorException("compilation failed: " + CelErrors.ofCompiler(invalid), invalid);
        } catch (CelEvaluationException invalid) {
            throw new SelectorException("program instantiation failed: " + invalid.getMessage(), invalid);
        }
    }

    // Same as the library's macro, except for the position of its error.
    private static Optional<CelExpr> has(CelMacroExprFactory make, CelExpr target, ImmutableList<CelExpr> arguments) {
        CelExpr argument = arguments.get(0);
        if (argument.getKind() == CelExpr.ExprKind.Kind.SELECT) {
            CelExpr.CelSelect select = argument.select();
            return Optional.of(make.newSelect(select.operand(), select.field(), true));
        }
        CelSourceLocation place = make.getSourceLocation(argument);
        return Optional.of(make.reportError(CelIssue.formatError(place, "invalid argument to has() macro")));
    }

    private static final class DeviceTypes implements CelTypeProvider {
        private static final ImmutableMap<String, CelType> FIELDS = ImmutableMap.of(
                "driver",
                SimpleType.STRING,
                "allowMultipleAllocations",
                SimpleType.BOOL,
                "attributes",
                byDomainAndName(SimpleType.DYN),
                "capacity",
                byDomainAndName(Functions.QUANTITY));
        private static final ImmutableList<CelType> TYPES = ImmutableList.of(
                StructType.create(DEVICE_TYPE, FIELDS.keySet(), name -> Optional.ofNullable(FIELDS.get(name))),
                Functions.QUANTITY,
                Functions.SEMVER,
                Functions.IP,
                Functions.CIDR);

        private static CelType byDomainAndName(CelType value) {
            return MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, value));
        }

        @Override
        public ImmutableList<CelType> types() {
            return TYPES;
        }

        @Override
        public Optional<CelType> findType(String name) {
            return TYPES.stream().filter(type -> type.name().equals(name)).findFirst();
        }
    }
}
