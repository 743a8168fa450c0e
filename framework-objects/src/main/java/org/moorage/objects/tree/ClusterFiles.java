// SPDX-License-Identifier: Apache-2.0
package org.moorage.objects.tree;

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
import java.io.BufferedReader;
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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.moorage.objects.ClusterFileException;
import org.moorage.objects.GeneratedNames;
import org.moorage.objects.ObjectDecodeException;
import org.moorage.objects.SourcePosition;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Reads the objects of a cluster from manifests and from the output of {@code kubectl get}: YAML or JSON, lists or one
 * object after the other, compressed or not.
 */
public final class ClusterFiles {

    private static final String STDIN = "-";
    private static final Pattern FILE_NAME = Pattern.compile("[^.].*\\.(?:yaml|yml|json|jsonl)(?:\\.gz)?");
    private static final Pattern START_OF_JSON =
            Pattern.compile("\\s*(?:\\{\\s*[\"}]|\\[\\s*[{\\]]).*", Pattern.DOTALL);
    /** A line of a manifest. */
    private static final Pattern VERSION_LINE = Pattern.compile("^[\\s-]*\"?apiVersion\"?\\s*:");
    /** A line of a template of a manifest: nothing but a value of a field stands before the braces. */
    private static final Pattern TEMPLATE_LINE = Pattern.compile("(?m)^\\s*(?:- +)?(?:[\\w./\"-]+: *)?\\{\\{");

    private static final int SNIFFED_BYTES = 4096;
    private static final int BUFFER_BYTES = 1 << 16;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(ObjectTrees.UNLIMITED)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .build();
    private static final YAMLFactory YAML = new ManifestYamlFactory(YAMLFactory.builder()
            .streamReadConstraints(ObjectTrees.UNLIMITED)
            .loaderOptions(withoutSizeLimit())
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE));

    /** A value of the input, and its name in messages: "document 3", or "item 2 of document 3". */
    private record Part(String name, JsonNode tree) {

        /**
         * Returns an item of this list, with the kind that the list implies if it has none: the items of a PodList are
         * Pods.
         */
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

    /** Takes the objects of an input, one after the other. */
    @FunctionalInterface
    public interface ObjectConsumer {
        /**
         * Takes an object. An exception about what is in the object becomes a problem of the input.
         *
         * @param object the object
         * @param position where it starts
         */
        void accept(ObjectNode object, SourcePosition position);
    }

    private final InputNotes notes;
    private final ObjectConsumer objects;
    private final Map<ObjectKey, SourcePosition> positions = new HashMap<>();
    /** The number of objects and lists that have been read. */
    private int documents;
    /** The fields that came twice in an object, since the object before. */
    private final List<String> repeatedFields = new ArrayList<>();

    private final Optional<Executor> parsers;

    private ClusterFiles(InputNotes notes, ObjectConsumer objects, Optional<Executor> parsers) {
        this.notes = notes;
        this.objects = objects;
        this.parsers = parsers;
    }

    /**
     * Reads all the sources, in order: files, folders (with all the YAML and JSON files in them, by name), or {@code -}
     * for stdin. The content determines the format. Lists are flattened, {@code managedFields} dropped, namespaced
     * objects without a namespace are in {@code default}, and {@code generateName} gives a name. Kinds that the API
     * server does not know are kept. Documents that are not Kubernetes objects are skipped.
     *
     * @throws ClusterFileException with all problems: if a source does not exist or holds no object, if something in it
     *     is not YAML or JSON, or if an object comes twice
     */
    public static List<ObjectNode> read(List<String> sources, InputStream stdin) {
        List<ObjectNode> objects = new ArrayList<>();
        InputNotes notes = new InputNotes();
        read(sources, stdin, notes, (object, position) -> objects.add(object));
        notes.throwProblems();
        return objects;
    }

    /**
     * As {@link #read(List, InputStream)}, one object after the other: of a list, only the item that is being read is
     * in memory.
     *
     * @param notes collects problems, and the documents that are skipped
     * @param objects receives each object in turn, also if there are problems elsewhere
     */
    public static void read(List<String> sources, InputStream stdin, InputNotes notes, ObjectConsumer objects) {
        read(sources, stdin, notes, objects, Optional.empty());
    }

    /**
     * As {@link #read(List, InputStream, InputNotes, ObjectConsumer)}, with the same result: long inputs are parsed on
     * another thread, some objects ahead.
     *
     * @param parsers runs the parser of one input at a time, at the same time as the caller; empty to parse on the
     *     caller's thread
     */
    public static void read(
            List<String> sources,
            InputStream stdin,
            InputNotes notes,
            ObjectConsumer objects,
            Optional<Executor> parsers) {
        ClusterFiles files = new ClusterFiles(notes, objects, parsers);
        for (String source : sources) {
            try {
                files.readSource(source, stdin);
            } catch (ClusterFileException e) {
                notes.problem(message(e));
            }
        }
    }

    /**
     * As {@link #read(List, InputStream, InputNotes, ObjectConsumer)}, of an input that is open.
     *
     * @param name its name in messages
     */
    public static void read(String name, InputStream input, InputNotes notes, ObjectConsumer objects) {
        ClusterFiles files = new ClusterFiles(notes, objects, Optional.empty());
        try {
            readStream(name, input, files::readDocuments);
        } catch (ClusterFileException e) {
            notes.problem(message(e));
        }
    }

    private static String message(RuntimeException e) {
        return Objects.requireNonNullElse(e.getMessage(), "");
    }

    private void readSource(String source, InputStream stdin) {
        int before = documents;
        int problems = notes.problemCount();
        int templates = notes.templateCount();
        if (source.equals(STDIN)) {
            readStream("stdin", stdin, this::readDocuments, this::readDocumentsAhead);
        } else {
            readPath(source);
        }
        if (documents == before && notes.problemCount() == problems) {
            throw new ClusterFileException((source.equals(STDIN) ? "stdin" : source) + ": no objects"
                    + (notes.templateCount() == templates
                            ? " (expected: at least one YAML or JSON document with apiVersion, kind and metadata)"
                            : " but Helm templates (expected: manifests, as helm template prints them)"));
        }
    }

    private static LoaderOptions withoutSizeLimit() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        return options;
    }

    private void readPath(String source) {
        try {
            Path path = Path.of(source);
            // The path of an empty text is the current folder.
            if (source.isEmpty() || !Files.exists(path)) {
                throw noSuchFile(source.isEmpty() ? "\"\"" : source);
            }
            if (Files.isDirectory(path)) {
                readFolder(path);
            } else {
                readFile(path);
            }
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

    static ClusterFileException unreadable(String source, Exception cause) {
        return new ClusterFileException(source + ": cannot be read: " + cause, cause);
    }

    private void readFolder(Path folder) {
        try (Stream<Path> walk = Files.walk(folder)) {
            List<Path> files = walk.filter(path -> isClusterFile(folder.relativize(path)))
                    .sorted()
                    .toList();
            for (Path file : files) {
                if (Files.isRegularFile(file)) {
                    readFileOfFolder(file);
                }
            }
        } catch (IOException e) {
            throw unreadable(folder.toString(), e);
        }
    }

    // The folders of a repository also contain other files than manifests.
    private void readFileOfFolder(Path file) {
        try {
            readFile(file);
        } catch (ClusterFileException e) {
            if (MalformedFileException.isTemplate(e)) {
                notes.passOverTemplate(file.toString());
            } else if (!(e instanceof MalformedFileException) || lineOf(file, VERSION_LINE) > 0) {
                notes.problem(message(e));
            } else {
                notes.passOver(new SourcePosition(file.toString(), 1, 1));
            }
        }
    }

    /** Returns the first line of a file in which a pattern is found, counted from 1; 0 if there is none. */
    private static int lineOf(Path file, Pattern pattern) {
        try (InputStream in = Files.newInputStream(file);
                BufferedInputStream plain = unzipped(new BufferedInputStream(in, BUFFER_BYTES));
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(plain, charset(head(plain, SNIFFED_BYTES))))) {
            int number = 1;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (pattern.matcher(line).find()) {
                    return number;
                }
                number++;
            }
            return 0;
        } catch (IOException e) {
            throw unreadable(file.toString(), e);
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

    private void readFile(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            readStream(file.toString(), in, this::readDocuments, this::readDocumentsAhead);
        } catch (IOException e) {
            throw unreadable(file.toString(), e);
        } catch (ClusterFileException e) {
            boolean mayBeTemplate = e instanceof MalformedFileException && !MalformedFileException.isTemplate(e);
            int line = mayBeTemplate ? lineOf(file, TEMPLATE_LINE) : 0;
            throw line > 0 ? template(file + ":" + line, e) : e;
        }
    }

    /** Reads the documents of an input. */
    @FunctionalInterface
    interface DocumentReader {
        void read(TreeParser parser) throws IOException;
    }

    /**
     * Opens an input, YAML or JSON, compressed or not, for a reader of its documents.
     *
     * @param file the name of the input
     * @throws ClusterFileException if it cannot be read, or is neither YAML nor JSON
     */
    static void readStream(String file, InputStream in, DocumentReader documents) {
        readStream(file, in, documents, documents);
    }

    // With another reader for inputs that are long.
    private static void readStream(String file, InputStream in, DocumentReader documents, DocumentReader ofLong) {
        boolean json = false;
        try {
            BufferedInputStream plain = unzipped(new BufferedInputStream(in, BUFFER_BYTES));
            byte[] head = head(plain, SNIFFED_BYTES);
            boolean isLong = ofLong != documents && head(plain, BUFFER_BYTES).length == BUFFER_BYTES;
            Charset charset = charset(head);
            json = START_OF_JSON
                    .matcher(withoutByteOrderMark(new String(head, charset)))
                    .matches();
            try (JsonParser parser = json
                    ? JSON.createParser(plain)
                    : YAML.createParser(new ManifestReader(new InputStreamReader(plain, charset)))) {
                (isLong ? ofLong : documents).read(new TreeParser(file, parser));
            }
        } catch (JsonProcessingException e) {
            throw malformed(file, json ? "JSON" : "YAML", e);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static BufferedInputStream unzipped(BufferedInputStream in) throws IOException {
        byte[] head = head(in, SNIFFED_BYTES);
        boolean zipped = head.length > 1 && head[0] == (byte) 0x1f && head[1] == (byte) 0x8b;
        return zipped ? new BufferedInputStream(new GZIPInputStream(in, BUFFER_BYTES), BUFFER_BYTES) : in;
    }

    private static byte[] head(BufferedInputStream in, int bytes) throws IOException {
        in.mark(bytes);
        byte[] head = in.readNBytes(bytes);
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
            YamlFault fault = YamlFault.of(yaml, yaml.getProblemMark());
            SourcePosition position = new SourcePosition(file, fault.line(), fault.column());
            String snippet = Objects.requireNonNullElse(yaml.getProblemMark().get_snippet(), "");
            return TEMPLATE_LINE.matcher(snippet).find()
                    ? template(position.toString(), e)
                    : new MalformedFileException(position + ": " + fault.message(), false, e);
        }
        JsonLocation location = e.getLocation();
        String position =
                location == null ? file : TreeParser.position(file, location).toString();
        String problem = e.getOriginalMessage().lines().findFirst().orElse("malformed");
        return new MalformedFileException(position + ": not " + format + ": " + problem, false, e);
    }

    private static ClusterFileException template(String place, @Nullable Throwable cause) {
        return new MalformedFileException(
                place + ": a Helm template, with {{ ... }} (expected: a manifest, as helm template prints it)",
                true,
                cause);
    }

    private void readDocuments(TreeParser parser) throws IOException {
        parseDocuments(parser, this::add);
    }

    private void readDocumentsAhead(TreeParser parser) throws IOException {
        if (parsers.isEmpty()) {
            readDocuments(parser);
        } else {
            ReadAhead.run(
                    parsers.get(),
                    receiver -> parseDocuments(parser, parsed -> receiver.accept(parsed.checked())),
                    this::add);
        }
    }

    /**
     * A document, or an item that was taken out of a list while that was read.
     *
     * @param part the value
     * @param positions where it and the values in it start
     * @param repeatedFields the fields that came twice in an object, since the item or document before
     * @param isItem whether it is an item
     * @param isTaken whether items were taken out of the document
     * @param offset how much of the input was parsed
     * @param isChecked whether it is an object whose fields are known to be those of its kind
     */
    record Parsed(
            Part part,
            TreeParser.Positions positions,
            List<String> repeatedFields,
            boolean isItem,
            boolean isTaken,
            long offset,
            boolean isChecked) {
        Parsed checked() {
            boolean isKnown = part.tree() instanceof ObjectNode object && KnownFields.areAllKnown(object);
            return new Parsed(part, positions, repeatedFields, isItem, isTaken, offset, isKnown);
        }
    }

    private static void parseDocuments(TreeParser parser, Consumer<Parsed> receiver) throws IOException {
        for (int number = 1; ; number++) {
            String name = "document " + number;
            boolean[] isTaken = new boolean[1];
            Optional<JsonNode> tree = parser.next((list, index, item) -> {
                boolean takes = item.isObject() && isKnownToBeList(list, item);
                if (takes) {
                    isTaken[0] = true;
                    receiver.accept(parsed(new Part(name, list).item(index, item), parser, true, true));
                }
                return takes;
            });
            if (tree.isEmpty()) {
                return;
            }
            if (!tree.get().isNull()) {
                receiver.accept(parsed(new Part(name, tree.get()), parser, false, isTaken[0]));
            }
        }
    }

    private static Parsed parsed(Part part, TreeParser parser, boolean isItem, boolean isTaken) {
        return new Parsed(
                part, parser.positions(), parser.takeRepeatedFields(), isItem, isTaken, parser.offset(), false);
    }

    private void add(Parsed parsed) {
        repeatedFields.addAll(parsed.repeatedFields());
        notes.checked(parsed.isChecked() ? parsed.part().tree() : null);
        if (parsed.isItem()) {
            add(parsed.part(), parsed.positions());
            return;
        }
        if (parsed.isTaken() && parsed.part().tree() instanceof ObjectNode object && !isList(object)) {
            notes.problem(message(parsed.part()
                    .wrong(
                            parsed.positions().of(object),
                            ": kind: " + Fields.shown(object.path("kind"))
                                    + " (expected: List, since its items are objects)")));
        } else {
            add(parsed.part(), parsed.positions());
        }
        repeatedFields.clear();
    }

    // kubectl writes the kind of a list after its items, which have a kind in that case.
    private static boolean isKnownToBeList(ObjectNode list, JsonNode item) {
        if (list.has("kind")) {
            return isList(list.path("kind").asText(""));
        }
        return item.path("kind").isTextual() && item.path("apiVersion").isTextual();
    }

    private void add(Part part, TreeParser.Positions positions) {
        SourcePosition position = positions.of(part.tree());
        if (part.tree().isArray() && hasObject(part.tree())) {
            addItems(part, part.tree(), positions);
        } else if (!(part.tree() instanceof ObjectNode object)) {
            notes.passOver(position);
        } else if (isList(object)) {
            documents++;
            JsonNode items = object.path("items");
            if (!items.isArray() && !Fields.isAbsent(items)) {
                notes.problem(message(part.wrong(position, ": items: " + Fields.shown(items) + " (expected: a list)")));
            } else {
                tellItemsWithoutFields(part, items, position);
                addItems(part, items, positions);
            }
        } else if (isMeantAsObject(object)) {
            documents++;
            try {
                List<String> repeated = List.copyOf(repeatedFields);
                repeatedFields.clear();
                addObject(part, object, position, repeated);
            } catch (ClusterFileException e) {
                if (MalformedFileException.isTemplate(e)) {
                    throw e;
                }
                notes.problem(message(e));
            }
        } else {
            notes.passOver(position);
        }
    }

    // Items that were objects have been passed on, which leaves missing nodes.
    private static boolean hasObject(JsonNode array) {
        for (JsonNode item : array) {
            if (item.isMissingNode()
                    || item instanceof ObjectNode object && (isMeantAsObject(object) || isList(object))) {
                return true;
            }
        }
        return false;
    }

    private void tellItemsWithoutFields(Part list, JsonNode items, SourcePosition position) {
        for (int i = 0; i < items.size(); i++) {
            JsonNode item = items.path(i);
            if (!item.isObject() && !item.isMissingNode()) {
                notes.problem(message(
                        list.item(i, item).wrong(position, ": " + Fields.shown(item) + " (expected: an object)")));
            }
        }
    }

    // Chart.yaml has a version, and other files of repositories have a kind.
    private static boolean isMeantAsObject(ObjectNode object) {
        int has = 0;
        for (String field : List.of("apiVersion", "kind", "metadata")) {
            has += Fields.isAbsent(object.path(field)) ? 0 : 1;
        }
        return has > 1;
    }

    private void addItems(Part list, JsonNode items, TreeParser.Positions positions) {
        for (int i = 0; i < items.size(); i++) {
            if (items.path(i).isObject() || items.path(i).isArray()) {
                add(list.item(i, items.path(i)), positions);
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

    private void addObject(Part part, ObjectNode object, SourcePosition position, List<String> repeatedFields) {
        for (String field : List.of("apiVersion", "kind")) {
            JsonNode value = object.path(field);
            if (Fields.isAbsent(value)) {
                throw part.wrong(position, " has no \"" + field + "\": " + Fields.shown(object));
            }
            if (!value.isTextual() || value.textValue().isEmpty()) {
                throw part.wrong(position, ": " + field + ": " + Fields.shown(value) + " (expected: text)");
            }
        }
        generateName(object);
        ObjectKey key = ObjectKey.of(object);
        if ((key.kind() + key.namespace() + key.name()).contains("{{")) {
            throw template(position.toString(), null);
        }
        if (KnownFields.areOf(object.path("apiVersion").asText(""), key.kind())) {
            for (String field : repeatedFields) {
                notes.problem(field + ": comes twice in an object (expected: once)");
            }
        }
        JsonNode name = object.path("metadata").path("name");
        if (name.isTextual() && !key.name().isEmpty()) {
            addNamed(part, object, position);
        } else if (key.isBuiltIn()) {
            String seen = name.isMissingNode() ? "" : ": " + Fields.shown(name);
            throw part.wrong(position, " (" + key.kind() + ") has no \"metadata.name\"" + seen);
        } else {
            accept(object, position);
        }
    }

    // The API server adds five letters at random.
    private void generateName(ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        String prefix = metadata.path("generateName").asText("");
        if (metadata instanceof ObjectNode fields && Fields.isAbsent(metadata.path("name")) && !prefix.isEmpty()) {
            int seed = 0;
            ObjectKey key;
            do {
                fields.put(
                        "name", GeneratedNames.name(prefix, ObjectKey.of(object).kind() + "/" + seed++));
                key = inNamespace(object);
            } while (positions.containsKey(key));
        }
    }

    /** Returns the key of an object, which gets the namespace {@code default} if it needs one and names none. */
    static ObjectKey inNamespace(ObjectNode object) {
        ObjectKey key = ObjectKey.of(object);
        if (key.isBuiltIn() && !key.isClusterScoped() && key.namespace().isEmpty()) {
            Fields.of(object).struct("metadata").node().put("namespace", "default");
            key = ObjectKey.of(object);
        }
        return key;
    }

    private void addNamed(Part part, ObjectNode object, SourcePosition position) {
        ObjectKey key = inNamespace(object);
        SourcePosition first = positions.putIfAbsent(key, position);
        if (first == null) {
            accept(object, position);
        } else if (BuiltInKinds.find(key.group(), key.kind())
                .map(kind -> KnownFields.areOf(kind.apiVersion(), kind.kind()))
                .orElse(false)) {
            String way = first.file().equals(position.file())
                    ? ""
                    : "; of a manifest that is to replace an object, --changed " + position.file();
            throw part.wrong(
                    position, ": " + key.title() + " comes twice, first at " + first + " (expected: once" + way + ")");
        } else {
            notes.passOverRepeated(key.title(), position);
        }
    }

    private void accept(ObjectNode object, SourcePosition position) {
        try {
            objects.accept(object, position);
        } catch (ClusterFileException | ObjectDecodeException e) {
            notes.problem(position + ": " + message(e));
        }
    }
}
