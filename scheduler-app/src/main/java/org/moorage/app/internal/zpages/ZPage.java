// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.zpages;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.moorage.app.internal.serving.Page;
import org.moorage.app.internal.serving.Query;
import org.moorage.app.internal.serving.Reply;

/**
 * One of {@code /statusz} and {@code /flagz}: a text for people, and an object of the group {@code config.k8s.io} in
 * JSON, YAML and CBOR for programs. Same answers as kube-scheduler's, to each {@code Accept} header.
 */
public final class ZPage implements Page {
    /** The name of the component, under which kube-scheduler's clients look for it. */
    private static final String COMPONENT = "kube-scheduler";

    private static final String GROUP = "config.k8s.io";
    private static final String DEPRECATED = "v1alpha1";
    private static final List<String> VERSIONS = List.of(DEPRECATED, "v1beta1");
    private static final String WARNING =
            "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is"
                    + " for debugging purposes only.\n";
    private static final int NOT_ACCEPTABLE = 406;

    private final String kind;
    private final List<Negotiation.Target> kinds;
    private final List<Format> formats;
    private final Supplier<String> text;
    private final Supplier<Map<String, ?>> fields;

    /**
     * A page.
     *
     * @param kind the kind of its object
     * @param hasCbor whether it is served as CBOR, too
     * @param text the lines below its heading
     * @param fields the fields of its object, without its kind and name
     */
    public ZPage(String kind, boolean hasCbor, Supplier<String> text, Supplier<Map<String, ?>> fields) {
        this.kind = kind;
        this.text = text;
        this.fields = fields;
        kinds = VERSIONS.stream()
                .map(version -> new Negotiation.Target(GROUP, version, kind))
                .toList();
        formats = Stream.of(Format.values())
                .filter(format -> hasCbor || format != Format.CBOR)
                .toList();
    }

    private String name() {
        return kind.toLowerCase(Locale.ROOT);
    }

    @Override
    public Reply reply(Query query) {
        if (query.accept().isBlank()) {
            return text();
        }
        Optional<Negotiation.Choice> chosen = Negotiation.forPage(query.accept(), formats, kinds);
        if (chosen.isEmpty()) {
            return notAcceptable(query);
        }
        Optional<Negotiation.Target> target = chosen.get().target();
        return target.isEmpty() ? text() : object(query, chosen.get(), target.get());
    }

    private Reply text() {
        return Reply.text(200, "\n" + COMPONENT + " " + name() + "\n" + WARNING + text.get());
    }

    private Reply object(Query query, Negotiation.Choice chosen, Negotiation.Target target) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("kind", kind);
        object.put("apiVersion", GROUP + "/" + target.version());
        object.put("metadata", Map.of("name", COMPONENT));
        object.putAll(fields.get());
        String mediaType = chosen.format().mediaType() + ";g=" + GROUP + ";v=" + target.version() + ";as=" + kind;
        Reply reply = new Reply(200, mediaType, bytes(object, chosen, query));
        return target.version().equals(DEPRECATED)
                ? reply.with(
                        "Warning",
                        "299 - \"This version of the " + name()
                                + " endpoint is deprecated. Please use a newer version.\"")
                : reply;
    }

    private Reply notAcceptable(Query query) {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("kind", "Status");
        status.put("apiVersion", "v1");
        status.put("metadata", Map.of());
        status.put("status", "Failure");
        status.put(
                "message",
                formats.stream()
                        .map(Format::mediaType)
                        .collect(Collectors.joining(", ", "only the following media types are accepted: ", "")));
        status.put("reason", "NotAcceptable");
        status.put("code", NOT_ACCEPTABLE);
        return Negotiation.forError(query.accept(), formats)
                .map(chosen -> new Reply(NOT_ACCEPTABLE, chosen.format().mediaType(), bytes(status, chosen, query)))
                .orElseGet(() -> new Reply(NOT_ACCEPTABLE, Format.JSON.mediaType(), ObjectBytes.prettyJson(status)));
    }

    private static byte[] bytes(Map<String, ?> object, Negotiation.Choice chosen, Query query) {
        return switch (chosen.format()) {
            case JSON ->
                chosen.isPretty() || query.isForPeople() ? ObjectBytes.prettyJson(object) : ObjectBytes.json(object);
            case YAML -> ObjectBytes.yaml(object);
            case CBOR -> ObjectBytes.cbor(object);
            case TEXT -> throw new IllegalStateException(chosen.toString());
        };
    }
}
