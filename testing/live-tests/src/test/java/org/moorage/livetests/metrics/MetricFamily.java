// SPDX-License-Identifier: Apache-2.0
package org.moorage.livetests.metrics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.kubernetes.client.openapi.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The samples of one metric in a scrape.
 *
 * @param type counter, gauge or histogram
 * @param help its help text
 * @param labels the names of its labels
 * @param buckets the upper bounds of its buckets, without the last one; none if it is no histogram
 * @param series the values by labels, as {@code a=1,b=2}; of a histogram how many were observed. A value is null where
 *     it depends on time or chance
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MetricFamily(
        String type,
        String help,
        SortedSet<String> labels,
        SortedSet<Double> buckets,
        @JsonInclude(JsonInclude.Include.ALWAYS) SortedMap<String, Double> series) {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final TypeReference<Map.Entry<String, MetricFamily>> LINE = new TypeReference<>() {};
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z0-9_:]+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z0-9_]+)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    // API servers of tests listen where there is a free port.
    private static final Pattern LOOPBACK = Pattern.compile("127\\.0\\.0\\.1:[0-9]+");

    public MetricFamily {
        labels = labels == null ? new TreeSet<>() : labels;
        buckets = buckets == null ? new TreeSet<>() : buckets;
    }

    private static MetricFamily named(String type, String help) {
        return new MetricFamily(type, help, new TreeSet<>(), new TreeSet<>(), new TreeMap<>());
    }

    /** The same without its series: what does not depend on the load. */
    public MetricFamily definition() {
        return new MetricFamily(type, help, labels, buckets, new TreeMap<>());
    }

    /** The same without values. */
    public MetricFamily withoutValues() {
        SortedMap<String, Double> names = new TreeMap<>();
        series.keySet().forEach(name -> names.put(name, null));
        return new MetricFamily(type, help, labels, buckets, names);
    }

    /** Reads a scrape in Prometheus' text format; the families by name. */
    public static SortedMap<String, MetricFamily> parse(String text) {
        SortedMap<String, MetricFamily> families = new TreeMap<>();
        String help = "";
        MetricFamily family = named("", "");
        for (String line : text.split("\n")) {
            String[] parts = line.split(" ", 4);
            if (line.startsWith("# HELP ")) {
                help = parts[3];
            } else if (line.startsWith("# TYPE ")) {
                family = named(parts[3], help);
                families.put(parts[2], family);
            } else {
                family.addSample(line);
            }
        }
        return families;
    }

    private void addSample(String line) {
        Matcher sample = SAMPLE.matcher(line);
        if (!sample.matches()) {
            throw new IllegalArgumentException(line + " (expected: a sample such as name{label=\"value\"} 1)");
        }
        SortedMap<String, String> values = new TreeMap<>();
        Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
        while (label.find()) {
            values.put(label.group(1), LOOPBACK.matcher(label.group(2)).replaceAll("127.0.0.1:PORT"));
        }
        String bound = values.remove("le");
        labels.addAll(values.keySet());
        if (bound != null && !bound.equals("+Inf")) {
            buckets.add(Double.valueOf(bound));
        }
        boolean isHistogram = type.equals("histogram");
        if (!isHistogram || sample.group(1).endsWith("_count")) {
            String name = values.toString().replace(", ", ",");
            series.put(name.substring(1, name.length() - 1), value(sample.group(3)));
        }
    }

    private static double value(String text) {
        return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    /** Reads families, one JSON object a line. */
    public static SortedMap<String, MetricFamily> read(Path file) {
        try {
            SortedMap<String, MetricFamily> families = new TreeMap<>();
            for (String line : Files.readAllLines(file)) {
                Map.Entry<String, MetricFamily> entry = JSON.readValue(line, LINE);
                families.put(entry.getKey(), entry.getValue());
            }
            return families;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes families to a file, with the values of some of them. */
    public static void write(Path file, SortedMap<String, MetricFamily> families, Predicate<String> withValues) {
        StringBuilder text = new StringBuilder();
        try {
            for (Map.Entry<String, MetricFamily> entry : families.entrySet()) {
                MetricFamily family = entry.getValue();
                text.append(JSON.writeValueAsString(Map.entry(
                                entry.getKey(), withValues.test(entry.getKey()) ? family : family.withoutValues())))
                        .append('\n');
            }
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
