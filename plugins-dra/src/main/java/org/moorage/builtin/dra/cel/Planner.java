// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelReference;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.TypeType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Makes steps of a checked expression. Lists, maps and conversions of constants are constants themselves. */
final class Planner {
    private static final Set<String> CONVERSIONS =
            Set.of("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint");
    private static final Set<String> WITH_PATTERN = Set.of("matches", "find", "findAll");

    private final CelAbstractSyntaxTree expression;
    private final Functions functions;

    Planner(CelAbstractSyntaxTree expression, Functions functions) {
        this.expression = expression;
        this.functions = functions;
    }

    /**
     * The steps of the whole expression.
     *
     * @throws IllegalArgumentException if it cannot be evaluated whatever the device
     */
    Step plan() {
        return plan(expression.getExpr());
    }

    private Step plan(CelExpr part) {
        return switch (part.getKind()) {
            case CONSTANT -> new Step.Constant(value(part.constant()));
            case IDENT -> identifier(part, part.ident().name());
            case SELECT -> select(part);
            case CALL -> call(part);
            case LIST -> list(part.list());
            case MAP -> map(part.map());
            case COMPREHENSION -> fold(part.comprehension());
            case STRUCT ->
                throw new IllegalArgumentException(
                        "messages are not supported: " + part.struct().messageName());
            case NOT_SET -> throw new IllegalArgumentException("unsupported expr");
        };
    }

    private static Object value(CelConstant constant) {
        return switch (constant.getKind()) {
            case NULL_VALUE -> constant.nullValue();
            case BOOLEAN_VALUE -> constant.booleanValue();
            case INT64_VALUE -> constant.int64Value();
            case UINT64_VALUE -> constant.uint64Value();
            case DOUBLE_VALUE -> constant.doubleValue();
            case STRING_VALUE -> constant.stringValue();
            case BYTES_VALUE -> constant.bytesValue();
            default -> throw new IllegalArgumentException("unsupported constant");
        };
    }

    private Step identifier(CelExpr part, String name) {
        Optional<CelConstant> constant = expression.getReference(part.id()).flatMap(CelReference::value);
        if (constant.isPresent()) {
            return new Step.Constant(value(constant.get()));
        }
        Optional<CelType> type = expression.getType(part.id());
        if (type.isPresent()
                && type.get() instanceof TypeType typeType
                && type.get().kind() == CelKind.TYPE) {
            return new Step.Constant(new Values.TypeValue(typeType.containingTypeName()));
        }
        return new Step.Path(new Attribute.Variable(name), false);
    }

    private Step select(CelExpr part) {
        Optional<CelReference> reference = expression.getReference(part.id());
        if (reference.isPresent()) {
            return identifier(part, reference.get().name());
        }
        Attribute attribute = attribute(plan(part.select().operand()));
        String field = part.select().field();
        if (part.select().testOnly()) {
            attribute.add(new Attribute.Presence(field));
            return new Step.Path(attribute, true);
        }
        attribute.add(new Attribute.Key(field, false));
        return new Step.Path(attribute, false);
    }

    private static Attribute attribute(Step step) {
        return step instanceof Step.Path path ? path.attribute : new Attribute.Result(step);
    }

    private Step call(CelExpr part) {
        String name = part.call().function();
        Optional<CelExpr> target = part.call().target();
        if (target.isPresent()) {
            Optional<String> namespaced = namespace(target.get())
                    .map(prefix -> prefix + "." + part.call().function());
            if (namespaced.isPresent() && functions.find(namespaced.get()) != null) {
                name = namespaced.get();
                target = Optional.empty();
            }
        }
        List<Step> arguments = new ArrayList<>();
        target.ifPresent(of -> arguments.add(plan(of)));
        part.call().args().forEach(argument -> arguments.add(plan(argument)));
        List<String> overloads = expression
                .getReference(part.id())
                .<List<String>>map(CelReference::overloadIds)
                .orElse(List.of());
        return call(name, overloads.size() == 1 ? overloads.get(0) : "", arguments);
    }

    private Optional<String> namespace(CelExpr target) {
        if (expression.getReference(target.id()).isPresent()) {
            return Optional.empty();
        }
        return switch (target.getKind()) {
            case IDENT -> Optional.of(target.ident().name());
            case SELECT ->
                target.select().testOnly()
                        ? Optional.empty()
                        : namespace(target.select().operand())
                                .map(prefix -> prefix + "." + target.select().field());
            default -> Optional.empty();
        };
    }

    private Step call(String name, String overload, List<Step> arguments) {
        switch (name) {
            case "_&&_":
                return new Step.Logical(arguments, false);
            case "_||_":
                return new Step.Logical(arguments, true);
            case "_?_:_":
                return new Step.Path(
                        new Attribute.Conditional(
                                arguments.get(0), attribute(arguments.get(1)), attribute(arguments.get(2))),
                        false);
            case "_[_]":
                return index(arguments, false);
            case "_[?_]", "_?._":
                return index(arguments, true);
            case "or":
                return new Step.Alternative(arguments.get(0), arguments.get(1), false);
            case "orValue":
                return new Step.Alternative(arguments.get(0), arguments.get(1), true);
            default:
                return plainCall(name, overload, arguments);
        }
    }

    private static Step index(List<Step> arguments, boolean isOptional) {
        Attribute attribute = attribute(arguments.get(0));
        Step index = arguments.get(1);
        if (index instanceof Step.Constant constant) {
            if (!Values.isKey(constant.value)) {
                throw new IllegalArgumentException("invalid qualifier type: " + Values.goType(constant.value));
            }
            attribute.add(new Attribute.Key(constant.value, isOptional));
        } else {
            attribute.add(new Attribute.Computed(attribute(index), isOptional));
        }
        return new Step.Path(attribute, false);
    }

    private Step plainCall(String name, String overload, List<Step> arguments) {
        Step last = arguments.isEmpty() ? null : arguments.get(arguments.size() - 1);
        if (overload.equals("in_list")
                && last instanceof Step.Constant constant
                && constant.value instanceof List<?> list) {
            if (list.isEmpty()) {
                return new Step.Constant(false);
            }
            if (list.stream().allMatch(Values::isKey)) {
                return new Step.Membership(arguments.get(0), list);
            }
        }
        Function function = functions.find(name);
        if (function == null) {
            throw new IllegalArgumentException("function is not supported: " + name);
        }
        Function.Binding binding = function.binding(overload);
        if (WITH_PATTERN.contains(name)
                && arguments.size() > 1
                && arguments.get(1) instanceof Step.Constant constant
                && constant.value instanceof String pattern) {
            binding = new Function.Binding(RegexLibrary.withPattern(name, pattern), false);
        }
        String counted = switch (name) {
            case "_==_" -> "equals";
            case "_!=_" -> "not_equals";
            default -> overload;
        };
        Step.Call call = new Step.Call(name, counted, binding, arguments);
        if (CONVERSIONS.contains(name) && arguments.size() == 1 && last instanceof Step.Constant constant) {
            Object value = call.call(new Object[] {constant.value});
            if (value instanceof Failure failure) {
                throw new IllegalArgumentException(failure.message());
            }
            return new Step.Constant(value);
        }
        return call;
    }

    private Step list(CelExpr.CelList list) {
        List<Step> elements = list.elements().stream().map(this::plan).toList();
        Step.ListOf step = new Step.ListOf(elements, list.optionalIndices());
        return elements.stream().allMatch(Step.Constant.class::isInstance)
                ? new Step.Constant(step.build(Scope.of(DeviceMap.EMPTY)))
                : step;
    }

    private Step map(CelExpr.CelMap map) {
        List<Step.MapOf.Entry> entries = new ArrayList<>();
        boolean isConstant = true;
        for (CelExpr.CelMap.Entry entry : map.entries()) {
            Step key = plan(entry.key());
            Step value = plan(entry.value());
            isConstant = isConstant && key instanceof Step.Constant && value instanceof Step.Constant;
            entries.add(new Step.MapOf.Entry(key, value, entry.optionalEntry()));
        }
        Step.MapOf step = new Step.MapOf(entries);
        return isConstant ? new Step.Constant(step.build(Scope.of(DeviceMap.EMPTY))) : step;
    }

    private Step fold(CelExpr.CelComprehension fold) {
        return new Step.Fold(
                List.of(fold.iterVar(), fold.iterVar2()),
                fold.accuVar(),
                plan(fold.iterRange()),
                plan(fold.accuInit()),
                plan(fold.loopCondition()),
                plan(fold.loopStep()),
                plan(fold.result()));
    }
}
