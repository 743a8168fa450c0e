// SPDX-License-Identifier: Apache-2.0
package org.moorage.app;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReferenceTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The Javadoc of record types, read from their sources. */
final class Javadocs {
    private static final List<String> SOURCES =
            List.of("src/main/java", "../framework-simulation/src/main/java", "../framework-runtime/src/main/java");

    private final Map<String, Map<String, String>> textsByType = new HashMap<>();

    /** Returns the first sentence of a type's Javadoc; empty if its source is not one of ours. */
    Optional<String> type(Class<?> type) {
        return Optional.ofNullable(texts(type).get(""));
    }

    /** Returns the description of a record component; null if it has none. */
    @Nullable
    String component(Class<?> type, String name) {
        return texts(type).get(name);
    }

    private Map<String, String> texts(Class<?> type) {
        Class<?> outermost = type;
        while (outermost.getEnclosingClass() != null) {
            outermost = outermost.getEnclosingClass();
        }
        String path = outermost.getName().replace('.', '/') + ".java";
        if (!textsByType.containsKey(outermost.getName())) {
            textsByType.put(outermost.getName(), Map.of());
            SOURCES.stream()
                    .map(folder -> Path.of(folder, path))
                    .filter(Files::exists)
                    .findFirst()
                    .ifPresent(this::read);
        }
        return textsByType.getOrDefault(type.getName(), Map.of());
    }

    private void read(Path source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task =
                    (JavacTask) compiler.getTask(null, files, any -> {}, null, null, files.getJavaFileObjects(source));
            DocTrees docs = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new Types(docs, String.valueOf(unit.getPackageName())).scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Types extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final DocTrees docs;
        private String prefix;

        Types(DocTrees docs, String packageName) {
            this.docs = docs;
            prefix = packageName + ".";
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void none) {
            String before = prefix;
            String name = prefix + type.getSimpleName();
            DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
            if (comment != null) {
                Map<String, String> texts = new HashMap<>();
                texts.put("", text(comment.getFirstSentence()));
                for (DocTree tag : comment.getBlockTags()) {
                    if (tag instanceof ParamTree param && !param.isTypeParameter()) {
                        texts.put(param.getName().toString(), sentence(text(param.getDescription())));
                    }
                }
                textsByType.put(name, texts);
            }
            prefix = name + "$";
            super.visitClass(type, none);
            prefix = before;
            return null;
        }
    }

    private static String sentence(String text) {
        return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
    }

    // The text as a reader of Javadoc sees it.
    private static String text(List<? extends DocTree> parts) {
        String text = parts.stream().map(Javadocs::text).collect(Collectors.joining());
        return text.replaceAll("<[^>]*>", "").replaceAll("\\s+", " ").strip();
    }

    private static String text(DocTree part) {
        if (part instanceof LiteralTree literal) {
            return literal.getBody().toString();
        }
        if (part instanceof LinkTree link) {
            ReferenceTree reference = link.getReference();
            return link.getLabel().isEmpty()
                    ? reference.getSignature().replaceAll(".*[.#]", "")
                    : text(link.getLabel());
        }
        return part.toString();
    }
}
