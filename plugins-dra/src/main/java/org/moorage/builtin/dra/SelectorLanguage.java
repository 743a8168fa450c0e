// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.types.StructTypeReference;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.moorage.api.model.Quantity;

/**
 * CEL as Kubernetes has it in selectors of devices: the variable {@code device}, and the functions for quantities, versions,
 * texts, lists and sets.
 *
 * <p>Of Kubernetes' own function libraries those for addresses, URLs, formats and authorization are left out: they have
 * nothing to do with devices.
 */
final class SelectorLanguage {
    private static final OpaqueType QUANTITY = OpaqueType.create("kubernetes.Quantity");
    private static final OpaqueType VERSION = OpaqueType.create("kubernetes.Semver");
    private static final String DEVICE_TYPE = "kubernetes.DRADevice";
    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .enableOptionalSyntax(true)
            .build();
    private static final String QUANTITY_FORM = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";

    private final CelCompiler compiler;
    private final CelRuntime runtime;
    private final boolean isDynFine;

    SelectorLanguage(DeviceFeatures features) {
        isDynFine = features.listAttributes();
        Functions functions = functions();
        compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setTypeProvider(new DeviceTypes(features))
                .addVar("device", StructTypeReference.create(DEVICE_TYPE))
                .addLibraries(
                        CelExtensions.optional(),
                        CelExtensions.bindings(),
                        CelExtensions.strings(),
                        CelExtensions.sets(OPTIONS),
                        CelExtensions.lists(),
                        CelExtensions.comprehensions())
                .addFunctionDeclarations(functions.declarations())
                .build();
        runtime = CelRuntimeFactory.standardCelRuntimeBuilder()
                .setOptions(OPTIONS)
                .setStandardEnvironmentEnabled(false)
                .setStandardFunctions(CelStandardFunctions.newBuilder()
                        .excludeFunctions(CelStandardFunctions.StandardFunction.IN)
                        .build())
                .addLibraries(
                        CelExtensions.optional(),
                        CelExtensions.strings(),
                        CelExtensions.sets(OPTIONS),
                        CelExtensions.lists(),
                        CelExtensions.comprehensions())
                .addFunctionBindings(functions.bindings)
                .addFunctionBindings(membership())
                .build();
    }

    /** An expression that can be evaluated; the answer need not be a truth value. */
    CelRuntime.Program compile(String expression) throws SelectorException {
        CelValidationResult checked = compiler.compile(expression);
        try {
            CelKind answer = checked.getAst().getResultType().kind();
            if (answer != CelKind.BOOL && answer != CelKind.ANY && !(isDynFine && answer == CelKind.DYN)) {
                throw new SelectorException(
                        "must evaluate to bool or the unknown type, not "
                                + checked.getAst().getResultType().name(),
                        null);
            }
            return runtime.createProgram(checked.getAst());
        } catch (CelValidationException invalid) {
            throw new SelectorException("compilation failed: " + SelectorErrors.ofCompiler(invalid), invalid);
        } catch (CelEvaluationException notUsable) {
            throw new SelectorException("program instantiation failed: " + notUsable.getMessage(), notUsable);
        }
    }

    private static final class DeviceTypes implements CelTypeProvider {
        private final StructType device;

        DeviceTypes(DeviceFeatures features) {
            CelType value = features.listAttributes() ? SimpleType.DYN : SimpleType.ANY;
            // Expressions may name what a feature brings although it is off.
            ImmutableMap<String, CelType> fields = ImmutableMap.of(
                    "driver",
                    SimpleType.STRING,
                    "allowMultipleAllocations",
                    SimpleType.BOOL,
                    "attributes",
                    byDomainAndName(value),
                    "capacity",
                    byDomainAndName(QUANTITY));
            device = StructType.create(DEVICE_TYPE, fields.keySet(), field -> Optional.ofNullable(fields.get(field)));
        }

        private static CelType byDomainAndName(CelType value) {
            return MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, value));
        }

        @Override
        public ImmutableCollection<CelType> types() {
            return ImmutableList.of(device, QUANTITY, VERSION);
        }

        @Override
        public Optional<CelType> findType(String name) {
            return types().stream().filter(type -> type.name().equals(name)).findFirst();
        }
    }

    /** Functions that overloads are added to one by one. */
    private static final class Functions {
        private final Map<String, List<CelOverloadDecl>> overloads = new HashMap<>();
        private final List<CelFunctionBinding> bindings = new ArrayList<>();

        <A> void of(
                String name,
                String id,
                CelType result,
                CelType type,
                Class<A> argument,
                CelFunctionOverload.Unary<A> body) {
            // As upstream, the sign is the one question about a quantity that is not asked of it.
            boolean isMember = !type.equals(SimpleType.STRING) && !name.equals("sign");
            overload(name, id, isMember, result, type);
            bindings.add(CelFunctionBinding.from(id, argument, body));
        }

        <A, B> void of(
                String name,
                String id,
                CelType result,
                List<CelType> types,
                Class<A> first,
                Class<B> second,
                CelFunctionOverload.Binary<A, B> body) {
            overload(name, id, !types.get(1).equals(SimpleType.BOOL), result, types.toArray(CelType[]::new));
            bindings.add(CelFunctionBinding.from(id, first, second, body));
        }

        private void overload(String name, String id, boolean isMember, CelType result, CelType... types) {
            overloads
                    .computeIfAbsent(name, any -> new ArrayList<>())
                    .add(
                            isMember
                                    ? CelOverloadDecl.newMemberOverload(id, result, types)
                                    : CelOverloadDecl.newGlobalOverload(id, result, types));
        }

        List<CelFunctionDecl> declarations() {
            List<CelFunctionDecl> declarations = new ArrayList<>();
            overloads.forEach((name, all) -> declarations.add(CelFunctionDecl.newFunctionDeclaration(name, all)));
            return declarations;
        }
    }

    private static Functions functions() {
        Functions all = new Functions();
        addIncludes(all);
        addQuantities(all);
        addVersions(all);
        addRegularExpressions(all);
        return all;
    }

    // Asked of one value as of several.
    private static void addIncludes(Functions all) {
        all.of(
                "includes",
                "dra_includes_dyn_dyn",
                SimpleType.BOOL,
                List.of(SimpleType.DYN, SimpleType.DYN),
                Object.class,
                Object.class,
                (known, wanted) -> contains(known instanceof List<?> several ? several : List.of(known), wanted));
    }

    private static void addQuantities(Functions all) {
        List<CelType> two = List.of(QUANTITY, QUANTITY);
        List<CelType> withNumber = List.of(QUANTITY, SimpleType.INT);
        all.of("quantity", "string_to_quantity", QUANTITY, SimpleType.STRING, String.class, SelectorLanguage::quantity);
        all.of("isQuantity", "is_quantity_string", SimpleType.BOOL, SimpleType.STRING, String.class, text -> {
            try {
                quantity(text);
                return true;
            } catch (IllegalArgumentException notOne) {
                return false;
            }
        });
        all.of("sign", "quantity_sign", SimpleType.INT, QUANTITY, Quantity.class, q ->
                (long) q.compareTo(Quantity.ZERO));
        all.of(
                "isInteger",
                "quantity_is_integer",
                SimpleType.BOOL,
                QUANTITY,
                Quantity.class,
                q -> exact(q).isPresent());
        all.of(
                "asInteger",
                "quantity_get_int",
                SimpleType.INT,
                QUANTITY,
                Quantity.class,
                q -> exact(q).orElseThrow(() -> new IllegalArgumentException("cannot convert value to integer")));
        all.of(
                "asApproximateFloat",
                "quantity_get_float",
                SimpleType.DOUBLE,
                QUANTITY,
                Quantity.class,
                q -> new BigDecimal(q.toString()).doubleValue());
        all.of(
                "isGreaterThan",
                "quantity_is_greater_than",
                SimpleType.BOOL,
                two,
                Quantity.class,
                Quantity.class,
                (one, other) -> one.compareTo(other) > 0);
        all.of(
                "isLessThan",
                "quantity_is_less_than",
                SimpleType.BOOL,
                two,
                Quantity.class,
                Quantity.class,
                (one, other) -> one.compareTo(other) < 0);
        all.of("compareTo", "quantity_compare_to", SimpleType.INT, two, Quantity.class, Quantity.class, (one, other) ->
                (long) one.compareTo(other));
        all.of("add", "quantity_add", QUANTITY, two, Quantity.class, Quantity.class, Quantity::plus);
        all.of(
                "add",
                "quantity_add_int",
                QUANTITY,
                withNumber,
                Quantity.class,
                Long.class,
                (q, number) -> q.plus(Quantity.of(number)));
        all.of("sub", "quantity_sub", QUANTITY, two, Quantity.class, Quantity.class, Quantity::minus);
        all.of(
                "sub",
                "quantity_sub_int",
                QUANTITY,
                withNumber,
                Quantity.class,
                Long.class,
                (q, number) -> q.minus(Quantity.of(number)));
    }

    private static Quantity quantity(String text) {
        try {
            return Quantity.parse(text);
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(
                    text.matches(QUANTITY_FORM) ? "unable to parse quantity's suffix" : formError(), invalid);
        }
    }

    private static String formError() {
        return "quantities must match the regular expression '" + QUANTITY_FORM + "'";
    }

    private static Optional<Long> exact(Quantity quantity) {
        long value = quantity.value();
        return Quantity.of(value).equals(quantity) ? Optional.of(value) : Optional.empty();
    }

    private static void addVersions(Functions all) {
        List<CelType> two = List.of(VERSION, VERSION);
        List<CelType> textAndFlag = List.of(SimpleType.STRING, SimpleType.BOOL);
        all.of("semver", "string_to_semver", VERSION, SimpleType.STRING, String.class, SemanticVersion::parse);
        all.of(
                "semver",
                "string_bool_to_semver",
                VERSION,
                textAndFlag,
                String.class,
                Boolean.class,
                SelectorLanguage::version);
        all.of(
                "isSemver",
                "is_semver_string",
                SimpleType.BOOL,
                SimpleType.STRING,
                String.class,
                text -> isVersion(text, false));
        all.of(
                "isSemver",
                "is_semver_string_bool",
                SimpleType.BOOL,
                textAndFlag,
                String.class,
                Boolean.class,
                SelectorLanguage::isVersion);
        all.of(
                "major",
                "semver_major",
                SimpleType.INT,
                VERSION,
                SemanticVersion.class,
                version -> version.major().longValue());
        all.of(
                "minor",
                "semver_minor",
                SimpleType.INT,
                VERSION,
                SemanticVersion.class,
                version -> version.minor().longValue());
        all.of(
                "patch",
                "semver_patch",
                SimpleType.INT,
                VERSION,
                SemanticVersion.class,
                version -> version.patch().longValue());
        all.of(
                "isGreaterThan",
                "semver_is_greater_than",
                SimpleType.BOOL,
                two,
                SemanticVersion.class,
                SemanticVersion.class,
                (one, other) -> one.compareTo(other) > 0);
        all.of(
                "isLessThan",
                "semver_is_less_than",
                SimpleType.BOOL,
                two,
                SemanticVersion.class,
                SemanticVersion.class,
                (one, other) -> one.compareTo(other) < 0);
        all.of(
                "compareTo",
                "semver_compare_to",
                SimpleType.INT,
                two,
                SemanticVersion.class,
                SemanticVersion.class,
                (one, other) -> (long) Integer.signum(one.compareTo(other)));
    }

    private static SemanticVersion version(String text, boolean tolerantly) {
        return tolerantly ? SemanticVersion.parseTolerantly(text) : SemanticVersion.parse(text);
    }

    private static boolean isVersion(String text, boolean tolerantly) {
        try {
            version(text, tolerantly);
            return true;
        } catch (IllegalArgumentException notOne) {
            return false;
        }
    }

    private static void addRegularExpressions(Functions all) {
        List<CelType> two = List.of(SimpleType.STRING, SimpleType.STRING);
        all.of("find", "string_find_string", SimpleType.STRING, two, String.class, String.class, (text, pattern) -> {
            Matcher matcher = Pattern.compile(pattern).matcher(text);
            return matcher.find() ? matcher.group() : "";
        });
        all.of(
                "findAll",
                "string_find_all_string",
                ListType.create(SimpleType.STRING),
                two,
                String.class,
                String.class,
                (text, pattern) -> {
                    List<String> found = new ArrayList<>();
                    Matcher matcher = Pattern.compile(pattern).matcher(text);
                    while (matcher.find()) {
                        found.add(matcher.group());
                    }
                    return found;
                });
    }

    // Asked for a domain that a device does not have, a map of domains gives an empty one, but does not contain it. The
    // library's own operator asks for the value to see whether it is there.
    private static List<CelFunctionBinding> membership() {
        return List.of(
                CelFunctionBinding.from("in_map", Object.class, Map.class, (key, map) -> map.containsKey(key)),
                CelFunctionBinding.from("in_list", Object.class, List.class, (value, list) -> contains(list, value)));
    }

    private static boolean contains(List<?> list, Object value) {
        for (Object member : list) {
            if (member.equals(value) || isSameNumber(member, value)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSameNumber(Object one, Object other) {
        return one instanceof Number
                && other instanceof Number
                && new BigDecimal(one.toString()).compareTo(new BigDecimal(other.toString())) == 0;
    }
}
