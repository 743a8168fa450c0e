// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
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
import java.util.Optional;

/**
 * CEL as Kubernetes has it in selectors of devices: the variable {@code device}, CEL's own functions and extensions, and those of
 * Kubernetes for quantities, versions, addresses, URLs, texts and lists.
 */
public final class SelectorLanguage {
    private static final String DEVICE_TYPE = "kubernetes.DRADevice";
    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .enableOptionalSyntax(true)
            .build();

    private final AttributeValues attributeValues;
    private final Functions functions = new Functions();
    private final CelCompiler compiler;

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
        StandardLibrary.addTo(functions);
        OptionalLibrary.addTo(functions);
        StringLibrary.addTo(functions);
        CollectionLibraries.addTo(functions);
        RegexLibrary.addTo(functions);
        QuantityLibrary.addTo(functions);
        SemverLibrary.addTo(functions);
        AddressLibrary.addTo(functions);
        UrlLibrary.addTo(functions);
        FormatLibrary.addTo(functions);
        AuthorizationLibrary.addTo(functions);
        compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(Macros.STANDARD)
                .setTypeProvider(new DeviceTypes(attributeValues))
                .addVar("device", StructTypeReference.create(DEVICE_TYPE))
                .addLibraries(new Macros(), CelExtensions.bindings())
                .addMacros(CelExtensions.comprehensions().macros())
                .addFunctionDeclarations(functions.declarations())
                .addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(
                        "string",
                        CelOverloadDecl.newGlobalOverload("ip_to_string", SimpleType.STRING, AddressLibrary.IP),
                        CelOverloadDecl.newGlobalOverload("cidr_to_string", SimpleType.STRING, AddressLibrary.CIDR)))
                .addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(
                        "int",
                        CelOverloadDecl.newGlobalOverload("duration_to_int64", SimpleType.INT, SimpleType.DURATION)))
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
            String issues = Validation.issues(checked);
            if (!issues.isEmpty()) {
                throw new SelectorException("compilation failed: " + issues, null);
            }
            CelKind answer = checked.getResultType().kind();
            boolean mayBeBool = answer == CelKind.BOOL
                    || answer == CelKind.ANY
                    || answer == CelKind.DYN && attributeValues == AttributeValues.SEVERAL;
            if (!mayBeBool) {
                throw new SelectorException(
                        "must evaluate to bool or the unknown type, not "
                                + checked.getResultType().name(),
                        null);
            }
            return new Selector(new Planner(checked, functions).plan());
        } catch (CelValidationException invalid) {
            throw new SelectorException("compilation failed: " + SelectorErrors.ofCompiler(invalid), invalid);
        } catch (IllegalArgumentException notUsable) {
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
                    byDomainAndName(QuantityLibrary.TYPE));
            device = StructType.create(DEVICE_TYPE, fields.keySet(), field -> Optional.ofNullable(fields.get(field)));
        }

        private static CelType byDomainAndName(CelType value) {
            return MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, value));
        }

        @Override
        public ImmutableCollection<CelType> types() {
            return ImmutableList.of(
                    device, QuantityLibrary.TYPE, SemverLibrary.TYPE, AddressLibrary.IP, AddressLibrary.CIDR);
        }

        @Override
        public Optional<CelType> findType(String name) {
            return types().stream().filter(type -> type.name().equals(name)).findFirst();
        }
    }
}
