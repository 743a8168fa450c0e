// SPDX-License-Identifier: Apache-2.0
package org.moorage.builtin.dra;

import com.google.common.base.Suppliers;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.moorage.api.model.Device;
import org.moorage.api.model.DeviceAttribute;
import org.moorage.builtin.dra.cel.AttributeExpression;
import org.moorage.builtin.dra.cel.DeviceMap;
import org.moorage.builtin.dra.cel.DriverSelector;
import org.moorage.builtin.dra.cel.Selector;
import org.moorage.builtin.dra.cel.SelectorException;
import org.moorage.builtin.dra.cel.SelectorLanguage;
import org.moorage.builtin.dra.cel.SemanticVersion;

/**
 * Whether devices satisfy CEL expressions. An expression is compiled when it is first met, and the ones used last are
 * kept. Safe for use by several threads.
 */
final class DeviceSelectors {
    private static final int KEPT = 256;

    private static final String NO_SUCH_KEY = "no such key:";
    private static final String HINT =
            ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with"
                    + " has() for optional fields";

    private final DeviceFeatures features;

    // Created for the first expression that needs it, since that takes a while and most clusters do not need it.
    private final Supplier<SelectorLanguage> language;
    private final LoadingCache<String, Compiled<Selector>> compiled =
            CacheBuilder.newBuilder().maximumSize(KEPT).build(CacheLoader.from(this::compile));
    private final LoadingCache<String, Compiled<AttributeExpression>> compiledAttributes =
            CacheBuilder.newBuilder().maximumSize(KEPT).build(CacheLoader.from(this::compileAttribute));

    /** A compiled expression, or what is wrong with it. */
    private record Compiled<T>(@Nullable T program, String problem) {}

    DeviceSelectors(DeviceFeatures features) {
        this.features = features;
        language = Suppliers.memoize(SelectorLanguage::new);
    }

    /**
     * Returns whether a device satisfies an expression.
     *
     * @throws SelectorException if the expression is invalid, or fails for the device; the caller prefixes the message
     *     with the selector
     */
    boolean matches(String expression, Subject device) throws SelectorException {
        Compiled<Selector> known = compiled.getUnchecked(expression);
        if (known.program == null) {
            throw new SelectorException(": CEL compile error: " + known.problem, null);
        }
        try {
            return known.program.matches(device.fields(features));
        } catch (SelectorException failed) {
            String message = String.valueOf(failed.getMessage());
            String hint = message.contains(NO_SUCH_KEY) ? HINT : "";
            throw new SelectorException(" on device " + device.id + ": CEL runtime error: " + message + hint, failed);
        }
    }

    /**
     * Returns an attribute of a device that an expression derives.
     *
     * @param name the name of the attribute
     * @throws SelectorException if the expression is invalid, or fails for the device
     */
    DeviceAttribute attribute(String name, String expression, Subject device) throws SelectorException {
        Compiled<AttributeExpression> known = compiledAttributes.getUnchecked(expression);
        if (known.program == null) {
            throw new SelectorException("compile derived attribute " + name + " failed: " + known.problem, null);
        }
        try {
            return known.program.value(device.fields(features));
        } catch (SelectorException failed) {
            throw new SelectorException(
                    "evaluate derived attribute " + name + " on device " + device.id + " failed: "
                            + failed.getMessage(),
                    failed);
        }
    }

    /** Compiles expressions ahead of use. Errors in an expression are reported when it is used. */
    void compileAll(Collection<String> expressions) {
        expressions.forEach(compiled::getUnchecked);
    }

    /** Returns the cached expressions. */
    Set<String> compiledExpressions() {
        return Set.copyOf(compiled.asMap().keySet());
    }

    private Compiled<Selector> compile(String expression) {
        Optional<Selector> ofDriver = DriverSelector.of(expression);
        if (ofDriver.isPresent()) {
            return new Compiled<>(ofDriver.get(), "");
        }
        try {
            return new Compiled<>(language.get().compile(expression), "");
        } catch (SelectorException invalid) {
            return new Compiled<>(null, String.valueOf(invalid.getMessage()));
        }
    }

    private Compiled<AttributeExpression> compileAttribute(String expression) {
        try {
            return new Compiled<>(language.get().compileAttribute(expression), "");
        } catch (SelectorException invalid) {
            return new Compiled<>(null, String.valueOf(invalid.getMessage()));
        }
    }

    /** A device as expressions see it. Its fields are built when the first expression reads them. */
    static final class Subject {
        private final DeviceId id;
        private final Device device;
        private final boolean isShared;
        private volatile @Nullable DeviceMap fields;

        Subject(DeviceId id, Device device, boolean isShared) {
            this.id = id;
            this.device = device;
            this.isShared = isShared;
        }

        // All callers for a device have the same features.
        DeviceMap fields(DeviceFeatures features) throws SelectorException {
            DeviceMap known = fields;
            if (known == null) {
                boolean isMultiple = isShared && !features.usesStableAllocator();
                known = DeviceMap.of(Map.of(
                        "driver",
                        id.driver(),
                        "allowMultipleAllocations",
                        isMultiple,
                        "attributes",
                        attributes(),
                        "capacity",
                        capacity()));
                fields = known;
            }
            return known;
        }

        private DeviceMap attributes() throws SelectorException {
            Map<String, Map<String, Object>> domains = new HashMap<>();
            for (Map.Entry<String, DeviceAttribute> entry : device.attributes().entrySet()) {
                try {
                    put(domains, entry.getKey(), value(entry.getValue()));
                } catch (IllegalArgumentException invalid) {
                    throw new SelectorException("attribute " + entry.getKey() + ": " + invalid.getMessage(), invalid);
                }
            }
            return byDomain(domains);
        }

        private DeviceMap capacity() {
            Map<String, Map<String, Object>> domains = new HashMap<>();
            device.capacity().forEach((name, capacity) -> put(domains, name, capacity.value()));
            return byDomain(domains);
        }

        private static DeviceMap byDomain(Map<String, Map<String, Object>> domains) {
            Map<String, DeviceMap> named = new HashMap<>();
            domains.forEach((domain, members) -> named.put(domain, DeviceMap.of(members)));
            return DeviceMap.byDomain(named);
        }

        private void put(Map<String, Map<String, Object>> domains, String name, Object value) {
            int slash = name.indexOf('/');
            domains.computeIfAbsent(slash < 0 ? id.driver() : name.substring(0, slash), any -> new HashMap<>())
                    .put(name.substring(slash + 1), value);
        }

        private static Object value(DeviceAttribute attribute) {
            if (attribute instanceof DeviceAttribute.Several several) {
                return several.values().stream().map(Subject::value).toList();
            }
            if (attribute instanceof DeviceAttribute.Number number) {
                return number.value();
            }
            if (attribute instanceof DeviceAttribute.Flag flag) {
                return flag.value();
            }
            if (attribute instanceof DeviceAttribute.Text text) {
                return text.value();
            }
            if (attribute instanceof DeviceAttribute.Version version) {
                return SemanticVersion.parse(version.value());
            }
            throw new IllegalArgumentException("unsupported attribute value");
        }
    }
}
