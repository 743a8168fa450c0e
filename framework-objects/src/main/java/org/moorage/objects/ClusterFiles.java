// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Reads the objects of a cluster from manifests and from the output of {@code kubectl get}: YAML or JSON, lists or one object
 * after the other, compressed or not.
 */
public final class ClusterFiles {

    private static final String STDIN = "-";
    private static final Pattern FILE_NAME = Pattern.compile("[^.].*\\.(?:yaml|yml|json|jsonl)(?:\\.gz)?");
    private static final Pattern START_OF_JSON =
            Pattern.compile("\\s*(?:\\{\\s*[\"}]|\\[\\s*[{\\]]).*", Pattern.DOTALL);
    private static final int SNIFFED_BYTES = 4096;
    private static final int BUFFER_BYTES = 1 << 16;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .build();
    private static final YAMLFactory YAML = new ManifestYamlFactory(YAMLFactory.builder()
            .loaderOptions(withoutSizeLimit())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE));

    /** A value of the input, and its name in messages: "document 3", or "item 2 of document 3". */
    private record Part(String name, JsonNode tree) {

        /** An item of this list, which need not repeat what the list's kind says: a PodList's items are Pods. */
        Part item(int index, JsonNode item) {
            String listKind = tree.path("kind").asText("");
            if (item instanceof ObjectNode object && listKind.endsWith("List") && !listKind.equals("List")) {
                Fields fields = Fields.of(object);
                fields.whenBlank("kind", listKind.substring(0, listKind.length() - "List".length()));
                fields.whenBlank("apiVersion", tree.path("apiVersion").asText(""));
            }
            return new Part("item " + (index + 1) + " of " + name, item);
        }

        ClusterFileException wrong(SourcePosition position, String problem) {
            return new ClusterFileException(position + ": " + name + problem);
        }
    }

    private final Consumer<ObjectNode> objects;
    private final Map<ObjectKey, SourcePosition> positions = new HashMap<>();

    private ClusterFiles(Consumer<ObjectNode> objects) {
        this.objects = objects;
    }

    /**
     * Reads all the sources, in order: files, folders (with all the YAML and JSON files in them, by name), or {@code -}
     * for stdin. The format is told from the content. Lists are flattened, {@code managedFields} dropped, and objects
     * that need a namespace and name none are in {@code default}. Kinds that the API server does not know are kept.
     *
     * @throws ClusterFileException if a source does not exist or holds no document, if something in it is not YAML or
     *     JSON or not a Kubernetes object, or if an object comes twice
     */
    public static List<ObjectNode> read(List<String> sources, InputStream stdin) {
        List<ObjectNode> objects = new ArrayList<>();
        read(sources, stdin, objects::add);
        return objects;
    }

    /**
     * As {@link #read(List, InputStream)}, one object after the other: of a list, only the item that is being read is in memory.
     *
     * @param objects is given each object in turn, also those that come before something that is wrong
     */
    public static void read(List<String> sources, InputStream stdin, Consumer<ObjectNode> objects) {
        ClusterFiles files = new ClusterFiles(objects);
        for (String source : sources) {
            int documents = source.equals(STDIN) ? files.readStream("stdin", stdin) : files.readPath(source);
            if (documents == 0) {
                throw new ClusterFileException((source.equals(STDIN) ? "stdin" : source)
                        + ": no objects (expected: at least one YAML or JSON document)");
            }
        }
    }

    private static LoaderOptions withoutSizeLimit() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        return options;
    }

    private int readPath(String source) {
        try {
            Path path = Path.of(source);
            if (!Files.exists(path)) {
                throw noSuchFile(source);
            }
            return Files.isDirectory(path) ? readFolder(path) : readFile(path);
        } catch (InvalidPathException e) {
            throw noSuchFile(source);
        } catch (UncheckedIOException e) {
            throw unreadable(source, e);
        }
    }

    private static ClusterFileException noSuchFile(String source) {
        return new ClusterFileException(
                source + ": no such file (expected: a YAML or JSON file, a folder of them, or - for stdin)");
    }

    private static ClusterFileException unreadable(String source, Exception cause) {
        return new ClusterFileException(source + ": cannot be read: " + cause, cause);
    }

    private int readFolder(Path folder) {
        try (Stream<Path> walk = Files.walk(folder)) {
            List<Path> files = walk.filter(path -> isClusterFile(folder.relativize(path)))
                    .sorted()
                    .toList();
            int documents = 0;
            for (Path file : files) {
                documents += Files.isRegularFile(file) ? readFile(file) : 0;
            }
            return documents;
        } catch (IOException e) {
            throw unreadable(folder.toString(), e);
        }
    }

    // A mounted ConfigMap has each file twice: under its name, and in a hidden folder.
    private static boolean isClusterFile(Path relative) {
        for (Path part : relative) {
            if (part.toString().startsWith(".")) {
                return false;
            }
        }
        return FILE_NAME.matcher(relative.getFileName().toString()).matches();
    }

    private int readFile(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return readStream(file.toString(), in);
        } catch (IOException e) {
            throw unreadable(file.toString(), e);
        }
    }

    private int readStream(String file, InputStream in) {
        boolean json = false;
        try {
            BufferedInputStream plain = unzipped(new BufferedInputStream(in, BUFFER_BYTES));
            byte[] head = head(plain);
            Charset charset = charset(head);
            json = START_OF_JSON
                    .matcher(withoutByteOrderMark(new String(head, charset)))
                    .matches();
            try (JsonParser parser =
                    json ? JSON.createParser(plain) : YAML.createParser(new InputStreamReader(plain, charset))) {
                return readDocuments(new TreeParser(file, parser));
            }
        } catch (JsonProcessingException e) {
            throw malformed(file, json ? "JSON" : "YAML", e);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static BufferedInputStream unzipped(BufferedInputStream in) throws IOException {
        byte[] head = head(in);
        boolean zipped = head.length > 1 && head[0] == (byte) 0x1f && head[1] == (byte) 0x8b;
        return zipped ? new BufferedInputStream(new GZIPInputStream(in, BUFFER_BYTES), BUFFER_BYTES) : in;
    }

    private static byte[] head(BufferedInputStream in) throws IOException {
        in.mark(SNIFFED_BYTES);
        byte[] head = in.readNBytes(SNIFFED_BYTES);
        in.reset();
        return head;
    }

    // PowerShell's ">" writes UTF-16.
    private static Charset charset(byte[] head) {
        if (head.length > 1 && head[0] == (byte) 0xfe && head[1] == (byte) 0xff) {
            return UTF_16BE;
        }
        return head.length > 1 && head[0] == (byte) 0xff && head[1] == (byte) 0xfe ? UTF_16LE : UTF_8;
    }

    private static String withoutByteOrderMark(String text) {
        return text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    private static ClusterFileException malformed(String file, String format, JsonProcessingException e) {
        if (e.getCause() instanceof MarkedYAMLException yaml && yaml.getProblemMark() != null) {
            SourcePosition position = new SourcePosition(
                    file,
                    yaml.getProblemMark().getLine() + 1,
                    yaml.getProblemMark().getColumn() + 1);
            return new ClusterFileException(position + ": not YAML: " + yaml.getProblem(), e);
        }
        JsonLocation location = e.getLocation();
        String position =
                location == null ? file : SourcePosition.of(file, location).toString();
        String problem = e.getOriginalMessage().lines().findFirst().orElse("malformed");
        return new ClusterFileException(position + ": not " + format + ": " + problem, e);
    }

    private int readDocuments(TreeParser parser) throws IOException {
        int documents = 0;
        for (int number = 1; ; number++) {
            String name = "document " + number;
            boolean[] isTaken = new boolean[1];
            Optional<JsonNode> tree = parser.next((list, index, item) -> {
                boolean takes = isKnownToBeList(list, item);
                if (takes) {
                    add(new Part(name, list).item(index, item), parser);
                    isTaken[0] = true;
                }
                return takes;
            });
            if (tree.isEmpty()) {
                return documents;
            }
            if (!tree.get().isNull()) {
                Part document = new Part(name, tree.get());
                if (isTaken[0] && tree.get() instanceof ObjectNode object && !isList(object)) {
                    throw document.wrong(
                            parser.positionOf(object),
                            ": kind: " + Fields.shown(object.path("kind"))
                                    + " (expected: List, since its items are objects)");
                }
                add(document, parser);
                documents++;
            }
        }
    }

    // kubectl writes the kind of a list after the items, which then have kinds of their own.
    private static boolean isKnownToBeList(ObjectNode list, JsonNode item) {
        if (list.has("kind")) {
            return isList(list.path("kind").asText(""));
        }
        return item.path("kind").isTextual() && item.path("apiVersion").isTextual();
    }

    private void add(Part part, TreeParser parser) {
        SourcePosition position = parser.positionOf(part.tree());
        if (part.tree().isArray()) {
            addItems(part, part.tree(), parser);
        } else if (!(part.tree() instanceof ObjectNode object)) {
            throw part.wrong(position, ": " + Fields.shown(part.tree()) + " (expected: an object)");
        } else if (isList(object)) {
            JsonNode items = object.path("items");
            if (!items.isArray() && !Fields.isAbsent(items)) {
                throw part.wrong(position, ": items: " + Fields.shown(items) + " (expected: a list)");
            }
            addItems(part, items, parser);
        } else {
            addObject(part, object, position);
        }
    }

    private void addItems(Part list, JsonNode items, TreeParser parser) {
        for (int i = 0; i < items.size(); i++) {
            if (!items.path(i).isMissingNode()) {
                add(list.item(i, items.path(i)), parser);
            }
        }
    }

    private static boolean isList(ObjectNode object) {
        String kind = object.path("kind").asText("");
        return isList(kind) && (kind.equals("List") || object.has("items"));
    }

    private static boolean isList(String kind) {
        return kind.endsWith("List");
    }

    private void addObject(Part part, ObjectNode object, SourcePosition position) {
        for (String field : List.of("apiVersion", "kind")) {
            JsonNode value = object.path(field);
            if (Fields.isAbsent(value)) {
                throw part.wrong(position, " has no \"" + field + "\": " + Fields.shown(object));
            }
            if (!value.isTextual() || value.textValue().isEmpty()) {
                throw part.wrong(position, ": " + field + ": " + Fields.shown(value) + " (expected: text)");
            }
        }
        ObjectKey key = ObjectKey.of(object);
        JsonNode name = object.path("metadata").path("name");
        if (name.isTextual() && !key.name().isEmpty()) {
            addNamed(part, object, position);
        } else if (key.isBuiltIn()) {
            String seen = name.isMissingNode() ? "" : ": " + Fields.shown(name);
            throw part.wrong(position, " (" + key.kind() + ") has no \"metadata.name\"" + seen);
        } else {
            objects.accept(object);
        }
    }

    private void addNamed(Part part, ObjectNode object, SourcePosition position) {
        ObjectKey key = ObjectKey.of(object);
        if (key.isBuiltIn() && !key.isClusterScoped() && key.namespace().isEmpty()) {
            Fields.of(object).struct("metadata").node().put("namespace", "default");
            key = ObjectKey.of(object);
        }
        SourcePosition first = positions.putIfAbsent(key, position);
        if (first != null) {
            throw part.wrong(position, ": " + key.title() + " comes twice, first at " + first + " (expected: once)");
        }
        objects.accept(object);
    }
}
