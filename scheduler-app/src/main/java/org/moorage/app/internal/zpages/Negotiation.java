// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.zpages;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;

/** Chooses the format of a response by the {@code Accept} header, with the rules of Kubernetes' API servers. */
final class Negotiation {
    private Negotiation() {}

    /**
     * The negotiated form of a response.
     *
     * @param format the format
     * @param target the kind of object that it asks for; empty if it asks for none
     * @param isPretty whether it asks for a form that people read
     */
    record Choice(Format format, Optional<Target> target, boolean isPretty) {}

    /**
     * A kind of object, as the parameters {@code g}, {@code v} and {@code as} of a media type name it.
     *
     * @param group the API group
     * @param version its version
     * @param kind the kind
     */
    record Target(String group, String version, String kind) {}

    /** Chooses for a page, whose text is no object, and whose other formats are objects of one of these kinds. */
    static Optional<Choice> forPage(String accept, List<Format> formats, List<Target> kinds) {
        return choose(
                accept,
                formats,
                (format, target) ->
                        format == Format.TEXT ? target.isEmpty() : target.isPresent() && kinds.contains(target.get()),
                "");
    }

    /** Chooses for an error, which is no object of a kind that can be asked for. */
    static Optional<Choice> forError(String accept, List<Format> formats) {
        return choose(accept, formats, (format, target) -> target.isEmpty(), "watch");
    }

    private static Optional<Choice> choose(
            String accept, List<Format> formats, BiPredicate<Format, Optional<Target>> isServed, String stream) {
        for (AcceptClause clause : AcceptClause.parse(accept)) {
            for (Format format : formats) {
                Map<String, String> parameters = clause.parameters();
                Optional<Target> target = target(parameters);
                String streamed = parameters.getOrDefault("stream", "");
                boolean isStreamServed = streamed.isEmpty() || format.hasStream() && streamed.equals(stream);
                if (clause.matches(format.type(), format.subtype())
                        && isStreamServed
                        && parameters.getOrDefault("sv", "").isEmpty()
                        && isServed.test(format, target)) {
                    return Optional.of(new Choice(format, target, Objects.equals(parameters.get("pretty"), "1")));
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Target> target(Map<String, String> parameters) {
        String group = parameters.get("g");
        String version = parameters.get("v");
        String kind = parameters.get("as");
        if (group == null && version == null && kind == null) {
            return Optional.empty();
        }
        return Optional.of(new Target(
                Objects.requireNonNullElse(group, ""),
                Objects.requireNonNullElse(version, ""),
                Objects.requireNonNullElse(kind, "")));
    }
}
