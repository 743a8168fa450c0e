// SPDX-License-Identifier: Apache-2.0
package org.moorage.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.moorage.config.cloud.ConfigShape;

/**
 * Writes the effective configuration, with every default filled in, in a form that can be read again. A comment at the
 * end of each line has the origin of the setting.
 *
 * <pre>{@code
 * parallelism: 4         # scheduler.yaml:3
 * leaderElection:
 *   leaderElect: false   # --leader-elect
 *   leaseDuration: 15s   # default
 * }</pre>
 */
public final class ConfigPrinter {
    private static final int WIDEST_FLOW = 80;
    private static final int WIDEST_COLUMN = 60;

    // A plain scalar that any YAML parser reads as a text: it starts with a letter and is no word for another value.
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z/][A-Za-z0-9_./-]*(:[A-Za-z0-9_./-]+)*");
    // Lists whose items come from several lines.
    private static final Set<String> OF_FIELDS = Set.of("profiles", "extenders");
    private static final Pattern PLUGINS = Pattern.compile("profiles\\[\\d+]\\.plugins");
    private static final Pattern PLUGIN_SET = Pattern.compile(PLUGINS + "\\.[A-Za-z]+\\.(enabled|disabled)");
    private static final Pattern DURATION = Pattern.compile("[0-9][0-9.]*[a-zµ][a-zµ0-9.]*");
    private static final Pattern NOT_TEXT =
            Pattern.compile("(?i:y|yes|n|no|true|false|on|off|null)|[0-9][0-9.]*e[0-9]+|0[box].*");

    private final UnaryOperator<String> originOf;
    private final List<Line> lines = new ArrayList<>();

    private ConfigPrinter(UnaryOperator<String> originOf) {
        this.originOf = originOf;
    }

    /** Returns the configuration as YAML. */
    public static String print(LoadedConfig config) {
        ConfigPrinter printer = new ConfigPrinter(config::originOf);
        printer.fields(config.effectiveTree(), "", "", "");
        return printer.text();
    }

    /** Returns only the settings that differ from the defaults, as YAML. */
    public static String printChanged(LoadedConfig config) {
        ChangedSettings changes = config.changes();
        ConfigPrinter printer = new ConfigPrinter(path -> LoadedConfig.closest(path, changes.originByPath()));
        printer.fields(changes.tree(), "", "", "");
        return printer.text();
    }

    /** Returns only the settings that the configuration contains itself, in version v1, as YAML without origins. */
    public static String printSource(LoadedConfig config) {
        ConfigPrinter printer = new ConfigPrinter(path -> "");
        printer.fields(config.sourceTree(), "", "", "");
        return printer.text();
    }

    /**
     * Returns only the settings that the configuration contains itself, in a shape, as YAML without origins.
     *
     * @param warnings receives the settings that the cloud may not accept, one line each
     * @throws ConfigException if the cloud has no setting for something that differs from the defaults, or refuses it
     */
    public static String printSource(LoadedConfig config, ConfigShape shape, Consumer<String> warnings) {
        ConfigPrinter printer = new ConfigPrinter(path -> "");
        printer.fields(config.sourceTree(shape, warnings), "", "", "");
        return printer.text();
    }

    private record Line(String text, String comment) {}

    private void fields(ObjectNode object, String path, String firstIndent, String indent) {
        String lead = firstIndent;
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            JsonNode value = field.getValue();
            if (value.isObject() && value.isEmpty() && PLUGINS.matcher(path).matches()) {
                // Most extension points have no settings.
                continue;
            }
            String at = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
            String key = lead + scalar(field.getKey()) + ":";
            lead = indent;
            if (value instanceof ObjectNode nested && !nested.isEmpty()) {
                lines.add(new Line(key, ""));
                fields(nested, at, indent + "  ", indent + "  ");
            } else if (value instanceof ArrayNode array && !array.isEmpty()) {
                lines.add(new Line(key, ""));
                items(array, at, indent);
            } else if (isOfLines(value.asText())) {
                lines.add(new Line(key + " |", originOf.apply(at)));
                value.asText().lines().forEach(line -> lines.add(new Line(indent + "  " + line, "")));
            } else {
                lines.add(new Line(key + " " + flow(value), originOf.apply(at)));
            }
        }
    }

    private void items(ArrayNode array, String path, String indent) {
        for (int i = 0; i < array.size(); i++) {
            JsonNode item = saidOf(array.path(i), path);
            String at = path + "[" + i + "]";
            String flow = flow(item);
            if (isFlat(item) && flow.length() <= WIDEST_FLOW && !OF_FIELDS.contains(path)) {
                lines.add(new Line(indent + "- " + flow, originOf.apply(at)));
            } else if (item instanceof ObjectNode object && !object.isEmpty()) {
                fields(object, at, indent + "- ", indent + "  ");
            } else if (item instanceof ArrayNode nested && !nested.isEmpty()) {
                lines.add(new Line(indent + "-", ""));
                items(nested, at, indent + "  ");
            } else {
                lines.add(new Line(indent + "- " + flow, originOf.apply(at)));
            }
        }
    }

    // Whether a block can contain the text unchanged.
    private static boolean isOfLines(String text) {
        return text.endsWith("\n")
                && !text.endsWith("\n\n")
                && !Character.isWhitespace(text.charAt(0))
                && text.chars().allMatch(c -> c == '\n' || c >= ' ' && c <= '~' || Character.isLetterOrDigit(c));
    }

    // A plugin weight of 0 means that no weight is given.
    private static JsonNode saidOf(JsonNode item, String path) {
        if (item instanceof ObjectNode plugin
                && PLUGIN_SET.matcher(path).matches()
                && plugin.path("weight").asInt() == 0) {
            return plugin.deepCopy().without("weight");
        }
        return item;
    }

    private static boolean isFlat(JsonNode value) {
        for (JsonNode nested : value) {
            if (nested.isContainerNode()) {
                return false;
            }
        }
        return true;
    }

    private static String flow(JsonNode value) {
        List<String> parts = new ArrayList<>();
        if (value instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                parts.add(scalar(field.getKey()) + ": " + flow(field.getValue()));
            }
            return "{" + String.join(", ", parts) + "}";
        }
        if (value instanceof ArrayNode array) {
            array.forEach(item -> parts.add(flow(item)));
            return "[" + String.join(", ", parts) + "]";
        }
        return value.isTextual() ? scalar(value.textValue()) : value.toString();
    }

    private static String scalar(String text) {
        boolean plain = PLAIN.matcher(text).matches() || DURATION.matcher(text).matches();
        return plain && !NOT_TEXT.matcher(text).matches()
                ? text
                : TextNode.valueOf(text).toString();
    }

    private String text() {
        int column = 0;
        for (Line line : lines) {
            if (!line.comment.isEmpty() && line.text.length() <= WIDEST_COLUMN) {
                column = Math.max(column, line.text.length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (Line line : lines) {
            text.append(line.text);
            if (!line.comment.isEmpty()) {
                text.append(" ".repeat(Math.max(0, column - line.text.length())))
                        .append("  # ")
                        .append(line.comment.replace('\n', ' '));
            }
            text.append('\n');
        }
        return text.toString();
    }
}
