// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.types.StructTypeReference;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelListsExtensions;
import dev.cel.extensions.CelSetsExtensions;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.EnumSet;
import java.util.Optional;

/**
 * CEL as Kubernetes has it in selectors of devices: the variable {@code device}, CEL's own functions and extensions, and those of
 * Kubernetes for quantities, versions, addresses, URLs, texts and lists.
 */
public final class SelectorLanguage {
    private static final String DEVICE_TYPE = "kubernetes.DRADevice";
    static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .enableOptionalSyntax(true)
            .build();
    private static final CelStringExtensions STRINGS =
            CelExtensions.strings(EnumSet.complementOf(EnumSet.of(CelStringExtensions.Function.REVERSE)));
    private static final CelListsExtensions LISTS = CelExtensions.lists(
            CelListsExtensions.Function.SLICE,
            CelListsExtensions.Function.FLATTEN,
            CelListsExtensions.Function.DISTINCT,
            CelListsExtensions.Function.REVERSE);
    private static final CelSetsExtensions SETS = CelExtensions.sets(OPTIONS);

    private final AttributeValues attributeValues;
    private final Functions functions = new Functions();
    private final CelCompiler compiler;
    private final CelRuntime runtime;

    /** What expressions may take an attribute of a device for. */
    public enum AttributeValues {
        /** A value. */
        ONE,
        /** A value, or several. */
        SEVERAL
    }

    /** The language with all its libraries, which takes a moment to make. */
    public SelectorLanguage(AttributeValues attributeValues) {
        this.attributeValues = attributeValues;
        QuantityLibrary.addTo(functions);
        NetworkLibrary.addTo(functions);
        NamedFormat.addTo(functions);
        TextLibrary.addTo(functions);
        ListLibrary.addTo(functions);
        StandardLibrary.addTo(functions);
        compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(Macros.STANDARD)
                .setTypeProvider(new DeviceTypes(attributeValues))
                .addVar("device", StructTypeReference.create(DEVICE_TYPE))
                .addLibraries(STRINGS, LISTS, SETS, new Macros(), CelExtensions.bindings())
                .addMacros(CelExtensions.comprehensions().macros())
                .addFunctionDeclarations(functions.declarations())
                .build();
        runtime = CelRuntimeFactory.legacyCelRuntimeBuilder()
                .setOptions(OPTIONS)
                .addLibraries(STRINGS, LISTS, SETS, CelExtensions.optional())
                .addFunctionBindings(functions.bindings())
                .build();
    }

    /**
     * Reads an expression.
     *
     * @throws SelectorException if it makes no sense, in the words of kube-scheduler
     */
    public Selector compile(String expression) throws SelectorException {
        try {
            CelAbstractSyntaxTree checked = compiler.compile(expression).getAst();
            CelAbstractSyntaxTree adjusted = Adjustment.of(checked, functions);
            Validation validation = new Validation(checked, adjusted, runtime);
            String issues = validation.issues();
            if (!issues.isEmpty()) {
                throw new SelectorException("compilation failed: " + issues, null);
            }
            CelKind answer = checked.getResultType().kind();
            boolean mayBeBool = answer == CelKind.BOOL
                    || answer == CelKind.ANY
                    || answer == CelKind.DYN && attributeValues == AttributeValues.SEVERAL;
            if (!mayBeBool) {
                String found = checked.getResultType().name();
                throw new SelectorException("must evaluate to bool or the unknown type, not " + found, null);
            }
            validation.checkConstants();
            return new Selector(runtime.createProgram(adjusted), new CostTracker.Plan(adjusted));
        } catch (CelValidationException invalid) {
            throw new SelectorException("compilation failed: " + SelectorErrors.ofCompiler(invalid), invalid);
        } catch (CelEvaluationException | IllegalArgumentException notUsable) {
            throw new SelectorException("program instantiation failed: " + notUsable.getMessage(), notUsable);
        }
    }

    private static final class DeviceTypes implements CelTypeProvider {
        private final StructType device;

        DeviceTypes(AttributeValues attributeValues) {
            CelType value = attributeValues == AttributeValues.SEVERAL ? SimpleType.DYN : SimpleType.ANY;
            // Expressions may name what a feature brings although it is off.
            ImmutableMap<String, CelType> fields = ImmutableMap.of(
                    "driver",
                    SimpleType.STRING,
                    "allowMultipleAllocations",
                    SimpleType.BOOL,
                    "attributes",
                    byDomainAndName(value),
                    "capacity",
                    byDomainAndName(Functions.QUANTITY));
            device = StructType.create(DEVICE_TYPE, fields.keySet(), field -> Optional.ofNullable(fields.get(field)));
        }

        private static CelType byDomainAndName(CelType value) {
            return MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, value));
        }

        @Override
        public ImmutableCollection<CelType> types() {
            return ImmutableList.of(device, Functions.QUANTITY, Functions.SEMVER, Functions.IP, Functions.CIDR);
        }

        @Override
        public Optional<CelType> findType(String name) {
            return types().stream().filter(type -> type.name().equals(name)).findFirst();
        }
    }
}
