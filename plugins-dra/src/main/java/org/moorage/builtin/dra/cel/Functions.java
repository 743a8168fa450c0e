// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import com.google.common.collect.ImmutableBiMap;
import com.google.common.primitives.UnsignedLong;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.moorage.api.model.Quantity;

/** The declarations and implementations of functions that the library lacks or implements differently. */
final class Functions {
    static final OpaqueType QUANTITY = OpaqueType.create("kubernetes.Quantity");
    static final OpaqueType SEMVER = OpaqueType.create("kubernetes.Semver");
    static final OpaqueType URL = OpaqueType.create("kubernetes.URL");
    static final OpaqueType FORMAT = OpaqueType.create("kubernetes.NamedFormat");
    static final OpaqueType IP = OpaqueType.create("net.IP");
    static final OpaqueType CIDR = OpaqueType.create("net.CIDR");

    private static final ImmutableBiMap<Class<?>, CelType> TYPES = ImmutableBiMap.<Class<?>, CelType>builder()
            .put(Quantity.class, QUANTITY)
            .put(SemanticVersion.class, SEMVER)
            .put(URI.class, URL)
            .put(NamedFormat.class, FORMAT)
            .put(InetAddress.class, IP)
            .put(Cidr.class, CIDR)
            .put(Boolean.class, SimpleType.BOOL)
            .put(Long.class, SimpleType.INT)
            .put(UnsignedLong.class, SimpleType.UINT)
            .put(Double.class, SimpleType.DOUBLE)
            .put(String.class, SimpleType.STRING)
            .put(CelByteString.class, SimpleType.BYTES)
            .put(NullValue.class, SimpleType.NULL_TYPE)
            .put(Duration.class, SimpleType.DURATION)
            .put(Instant.class, SimpleType.TIMESTAMP)
            .put(List.class, ListType.create(SimpleType.DYN))
            .put(Map.class, MapType.create(SimpleType.DYN, SimpleType.DYN))
            .put(Optional.class, OptionalType.create(SimpleType.DYN))
            .buildOrThrow();

    private final List<CelFunctionDecl> declarations = new ArrayList<>();
    private final Map<String, CelFunctionBinding> bindings = new HashMap<>();

    /** Returns the CEL type of a value, regardless of the type of its elements. */
    static CelType type(Object value) {
        for (Map.Entry<Class<?>, CelType> type : TYPES.entrySet()) {
            if (type.getKey().isInstance(value)) {
                return type.getValue();
            }
        }
        return SimpleType.DYN;
    }

    /** Returns whether a value is of a type that only Kubernetes defines. */
    static boolean isOfKubernetes(Object value) {
        return type(value) instanceof OpaqueType;
    }

    <A> void global(String name, CelType result, Class<A> argument, CelFunctionOverload.Unary<A> body) {
        global(name, result, types(argument), a -> body.apply(argument.cast(a[0])));
    }

    <A> void member(String name, CelType result, Class<A> target, CelFunctionOverload.Unary<A> body) {
        member(name, result, types(target), a -> body.apply(target.cast(a[0])));
    }

    <A, B> void member(
            String name, CelType result, Class<A> target, Class<B> argument, CelFunctionOverload.Binary<A, B> body) {
        member(name, result, types(target, argument), a -> body.apply(target.cast(a[0]), argument.cast(a[1])));
    }

    private static List<CelType> types(Class<?>... classes) {
        return List.of(classes).stream().<CelType>map(TYPES::get).toList();
    }

    void global(String name, CelType result, List<CelType> parameters, CelFunctionOverload body) {
        add(name, CelOverloadDecl.newGlobalOverload(name + parameters, result, parameters), body);
    }

    void member(String name, CelType result, List<CelType> parameters, CelFunctionOverload body) {
        add(name, CelOverloadDecl.newMemberOverload(name + parameters, result, parameters), body);
    }

    private void add(String name, CelOverloadDecl overload, CelFunctionOverload body) {
        declarations.add(CelFunctionDecl.newFunctionDeclaration(name, overload));
        bind(overload.overloadId(), overload.parameterTypes(), body);
    }

    /** Replaces the library's implementation of an overload. */
    void instead(String overload, List<CelType> parameters, CelFunctionOverload body) {
        bind("instead_of_" + overload, parameters, body);
    }

    private void bind(String overload, List<CelType> parameters, CelFunctionOverload body) {
        List<Class<?>> classes =
                parameters.stream().<Class<?>>map(Functions::javaClass).toList();
        bindings.put(overload, CelFunctionBinding.from(overload, classes, body));
    }

    private static Class<?> javaClass(CelType type) {
        return switch (type.kind()) {
            case LIST -> List.class;
            case MAP -> Map.class;
            case DYN -> Object.class;
            default -> TYPES.inverse().getOrDefault(type, Object.class);
        };
    }

    List<CelFunctionDecl> declarations() {
        return declarations;
    }

    Iterable<CelFunctionBinding> bindings() {
        return bindings.values();
    }

    /** Returns the overload that implements calls of the overload that the compiler chose. */
    String carriedOutBy(String found) {
        return bindings.containsKey("instead_of_" + found) ? "instead_of_" + found : found;
    }
}
