// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A function with its overloads, or with one body that tells kinds of arguments apart by itself. */
final class Function {
    static final String NOT_STRICTLY_FALSE = "@not_strictly_false";

    /** What a function does with values; it may return a {@link Failure}, or throw an IllegalArgumentException. */
    @FunctionalInterface
    interface Body {
        Object apply(Object[] arguments);
    }

    /** How a call is carried out: with a body, which may have been chosen only when it is known what it is called with. */
    record Binding(Body body, boolean dispatches) {}

    private record Overload(CelOverloadDecl declaration, Body body) {}

    private final String name;
    private final List<Overload> overloads = new ArrayList<>();
    private @Nullable Body whole;
    private boolean checksTypes = true;

    Function(String name) {
        this.name = name;
    }

    Function member(String id, CelType result, List<? extends CelType> parameters, Body body) {
        overloads.add(
                new Overload(CelOverloadDecl.newMemberOverload(id, result, List.<CelType>copyOf(parameters)), body));
        return this;
    }

    Function global(String id, CelType result, List<? extends CelType> parameters, Body body) {
        overloads.add(
                new Overload(CelOverloadDecl.newGlobalOverload(id, result, List.<CelType>copyOf(parameters)), body));
        return this;
    }

    /** One body for all overloads. */
    Function all(Body body) {
        whole = body;
        return this;
    }

    /** Leaves it to the bodies to look at their arguments. */
    Function unchecked() {
        checksTypes = false;
        return this;
    }

    /** The overloads as the compiler wants to know them. */
    CelFunctionDecl declaration() {
        return CelFunctionDecl.newFunctionDeclaration(
                name, overloads.stream().map(Overload::declaration).toList());
    }

    boolean hasOverloads() {
        return !overloads.isEmpty();
    }

    /** How calls are carried out for which the compiler has found an overload, or several if the id is empty. */
    Binding binding(String id) {
        Body body = whole;
        if (body != null) {
            return new Binding(body, false);
        }
        Optional<Overload> chosen = overloads.size() == 1
                ? Optional.of(overloads.get(0))
                : overloads.stream()
                        .filter(overload -> overload.declaration.overloadId().equals(id))
                        .findFirst();
        return chosen.map(overload -> new Binding(guarded(overload), false))
                .orElseGet(() -> new Binding(this::dispatch, true));
    }

    private Body guarded(Overload overload) {
        return arguments -> takes(overload, arguments) ? overload.body.apply(arguments) : noOverload(arguments);
    }

    private Object dispatch(Object[] arguments) {
        for (Overload overload : overloads) {
            if (overload.declaration.parameterTypes().size() == arguments.length && takes(overload, arguments)) {
                return overload.body.apply(arguments);
            }
        }
        return noOverload(arguments);
    }

    private boolean takes(Overload overload, Object[] arguments) {
        if (checksTypes) {
            List<CelType> types = overload.declaration.parameterTypes();
            for (int i = 0; i < arguments.length; i++) {
                if (!Values.isOf(types.get(i), arguments[i])) {
                    return false;
                }
            }
        }
        return true;
    }

    private Failure noOverload(Object[] arguments) {
        return new Failure("no such overload: " + name + "("
                + Stream.of(arguments).map(Values::typeName).collect(Collectors.joining(", ")) + ")");
    }
}
