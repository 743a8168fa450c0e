// SPDX-License-Identifier: Apache-2.0
package org.moorage.safe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.moorage.api.StateKey;
import org.moorage.api.plugin.Handle;
import org.moorage.safe.DemandStatistics.Moments;
import org.moorage.safe.DemandStatistics.Saved;

/** Persists demand statistics in a file. Writes them in the background when they changed. */
final class DemandFile {
    private static final StateKey<Map<Path, DemandStatistics>> SHARED = StateKey.of("plugins-safe/DemandFile");
    private static final Duration BETWEEN_WRITES = Duration.ofSeconds(10);

    private final Path path;
    private final String resources;
    private final DemandStatistics statistics;
    private final Handle handle;
    private Saved written;

    private DemandFile(Path path, String resources, DemandStatistics statistics, Handle handle) {
        this.path = path;
        this.resources = resources;
        this.statistics = statistics;
        this.handle = handle;
        written = statistics.saved();
    }

    /**
     * Returns the statistics in a file, or new ones if the file does not exist or has other resources. Profiles with
     * the same file share its statistics.
     *
     * @throws IllegalArgumentException if the file cannot be read or has other content
     */
    static DemandStatistics statistics(Path path, List<PigeonResource> resources, double smoothing, Handle handle) {
        return handle.<Map<Path, DemandStatistics>>shared(SHARED, ConcurrentHashMap::new)
                .computeIfAbsent(path.toAbsolutePath().normalize(), file -> open(file, resources, smoothing, handle));
    }

    private static DemandStatistics open(Path path, List<PigeonResource> resources, double smoothing, Handle handle) {
        List<String> names = new ArrayList<>();
        resources.forEach(resource -> names.add(resource.name()));
        String joined = String.join(",", names);
        DemandStatistics statistics = read(path, joined, names.size(), smoothing);
        DemandFile file = new DemandFile(path, joined, statistics, handle);
        handle.tasks().backgroundAfter(BETWEEN_WRITES, file::writeIfChanged);
        return statistics;
    }

    static DemandStatistics read(Path path, String resources, int size, double smoothing) {
        if (!Files.exists(path)) {
            return new DemandStatistics(size, smoothing);
        }
        Properties properties = new Properties();
        try (var reader = Files.newBufferedReader(path)) {
            properties.load(reader);
            if (!properties.getProperty("resources", "").equals(resources)) {
                return new DemandStatistics(size, smoothing);
            }
            double[] means = numbers(properties, "means", size);
            double[] products = numbers(properties, "products", size * size);
            double[][] rows = new double[size][size];
            for (int i = 0; i < products.length; i++) {
                rows[i / size][i % size] = products[i];
            }
            return new DemandStatistics(
                    Integer.parseInt(properties.getProperty("count", "")), new Moments(means, rows), smoothing);
        } catch (IOException | IllegalArgumentException unreadable) {
            throw new IllegalArgumentException(
                    "demandFile: " + path + " (expected: a file that PigeonHoling has written, or none): " + unreadable,
                    unreadable);
        }
    }

    private static double[] numbers(Properties properties, String key, int count) {
        String[] texts = properties.getProperty(key, "").split(",", -1);
        if (texts.length != count) {
            throw new IllegalArgumentException(key + ": " + texts.length + " numbers (expected: " + count + ")");
        }
        double[] numbers = new double[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = Double.parseDouble(texts[i]);
        }
        return numbers;
    }

    // Each run schedules the next one when it ends, so runs never overlap.
    private void writeIfChanged() {
        try {
            Saved now = statistics.saved();
            if (!now.equals(written)) {
                write(path, resources, now);
                written = now;
            }
        } finally {
            handle.tasks().backgroundAfter(BETWEEN_WRITES, this::writeIfChanged);
        }
    }

    static void write(Path path, String resources, Saved saved) {
        List<String> means = new ArrayList<>();
        List<String> products = new ArrayList<>();
        for (double mean : saved.moments().means()) {
            means.add(Double.toString(mean));
        }
        for (double[] row : saved.moments().products()) {
            for (double product : row) {
                products.add(Double.toString(product));
            }
        }
        String text = "count=" + saved.count() + "\nresources=" + resources + "\nmeans=" + String.join(",", means)
                + "\nproducts=" + String.join(",", products) + "\n";
        try {
            Path next = path.resolveSibling(path.getFileName() + ".next");
            Files.writeString(next, text);
            Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failed) {
            throw new UncheckedIOException(path + ": the demand of pods cannot be kept", failed);
        }
    }
}
