// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Makes the pictures of docs/plan/page.md again, of generated clusters: with the system property
 * {@code screenshots.accept} only.
 */
@Tag("any-jvm")
@EnabledIf("org.moorage.app.internal.page.Browser#isThere")
@EnabledIfSystemProperty(named = "screenshots.accept", matches = "true")
class PageScreenshotsTest {
    private static final Path PICTURES = Path.of("..", "docs", "images", "page");
    private static final int MOST_BYTES = 150_000;
    private static final int COLORS = 256;
    private static final int OFTEN = 96;
    private static final int ALIKE = 300;

    private record Picture(String name, String place, String theme, int height) {}

    private static final List<Picture> SMALL = List.of(
            new Picture("overview-20-light", "#/overview", "light", 760),
            new Picture("overview-20-dark", "#/overview", "dark", 760),
            new Picture("nodes-20-light", "#/nodes?node=node-0003", "light", 820));
    private static final List<Picture> MEDIUM = List.of(
            new Picture("overview-1500-light", "#/overview", "light", 900),
            new Picture("overview-1500-dark", "#/overview", "dark", 900),
            new Picture("nodes-1500-light", "#/nodes?node=node-0100", "light", 900),
            new Picture("nodes-1500-dark", "#/nodes?node=node-0100", "dark", 900),
            new Picture("waiting-1500-light", "#/waiting?row=FIRST", "light", 760),
            new Picture("pod-1500-light", "#/pod?key=FIRST", "light", 1000),
            new Picture("matrix-1500-dark", "#/pod?key=SECOND", "dark", 900),
            new Picture("compare-1500-light", "#/compare", "light", 1000));
    private static final List<Picture> LARGE = List.of(
            new Picture("nodes-5000-light", "#/nodes?group=type&by=cpu", "light", 900),
            new Picture("nodes-5000-dark", "#/nodes?group=type&by=cpu", "dark", 900));

    private static final List<Picture> OF_A_RUNNING_SCHEDULER = List.of(
            new Picture("attempts-1500-light", "#/pod?key=FIRST", "light", 1000),
            new Picture("attempts-1500-dark", "#/pod?key=FIRST", "dark", 1000),
            new Picture("queue-1500-light", "#/waiting?state=unschedulable", "light", 760),
            new Picture("queue-1500-dark", "#/waiting?state=unschedulable", "dark", 760));

    @TempDir
    Path folder;

    @Test
    void ofSomeSizes() throws IOException {
        Files.createDirectories(PICTURES);
        try (Browser browser = Browser.open()) {
            take(browser, PageFixture.simulated(folder, 20, 110, "web"), SMALL);
            take(browser, PageFixture.simulated(folder, 1_500, 8_000, "api", "llm"), MEDIUM);
            take(browser, PageFixture.generated(folder, 5_000, 30_000), LARGE);
            try (LivePage live = LivePage.start(folder, 1_500, 8_000, 5)) {
                for (Picture picture : OF_A_RUNNING_SCHEDULER) {
                    browser.size(1440, picture.height);
                    browser.show(live.address(), picture.place.replace("FIRST", live.pod("llm-")));
                    browser.theme(picture.theme);
                    if (picture.place.startsWith("#/pod")) {
                        browser.until(
                                "document.getElementById('view').textContent.includes('Any of these would make it fit')");
                    } else {
                        browser.click(".reason-row .head");
                    }
                    write(browser, picture);
                }
            }
        }
    }

    private static void write(Browser browser, Picture picture) throws IOException {
        browser.settle();
        byte[] png = optimised(browser.screenshot());
        assertThat(png).as(picture.name).hasSizeLessThan(MOST_BYTES);
        Files.write(PICTURES.resolve(picture.name + ".png"), png);
    }

    private void take(Browser browser, PageContent.Builder builder, List<Picture> pictures) throws IOException {
        PageContent content = builder.build();
        Path file = folder.resolve("page.html");
        HtmlReport.write(file, content);
        for (Picture picture : pictures) {
            browser.size(1440, picture.height);
            String place = picture.place;
            for (int i = 0; i < content.evaluations().size(); i++) {
                String key = content.evaluations().get(i).pod().key();
                place = place.replace(i == 0 ? "key=FIRST" : "key=SECOND", "key=" + key);
            }
            browser.show(file.toUri().toString(), place.replace("?row=FIRST", ""));
            browser.theme(picture.theme);
            if (place.endsWith("?row=FIRST")) {
                browser.click(".reason-row .head");
            }
            write(browser, picture);
        }
    }

    // With a palette, since the images contain shades of only a few colors.
    private static byte[] optimised(byte[] png) throws IOException {
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
        Map<Integer, Integer> counts = new HashMap<>();
        for (int pixel : image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth())) {
            counts.merge(pixel & 0xffffff, 1, Integer::sum);
        }
        List<Integer> colors = counts.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .toList();
        int[] palette = palette(colors);
        BufferedImage small = new BufferedImage(
                image.getWidth(),
                image.getHeight(),
                BufferedImage.TYPE_BYTE_INDEXED,
                new IndexColorModel(8, palette.length, palette, 0, false, -1, 0));
        Map<Integer, Integer> nearest = new HashMap<>();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                int index = nearest.computeIfAbsent(image.getRGB(x, y) & 0xffffff, color -> nearest(palette, color));
                small.getRaster().setSample(x, y, 0, index);
            }
        }
        return png(small);
    }

    // Those that are used most, and of the others those that are like none of them.
    private static int[] palette(List<Integer> byUse) {
        int[] palette = new int[COLORS];
        int size = 0;
        for (int color : byUse) {
            boolean isTaken =
                    size < OFTEN || distance(palette[nearest(Arrays.copyOf(palette, size), color)], color) > ALIKE;
            if (isTaken && size < COLORS) {
                palette[size++] = color;
            }
        }
        return Arrays.copyOf(palette, size);
    }

    private static int distance(int one, int other) {
        int red = (one >> 16 & 255) - (other >> 16 & 255);
        int green = (one >> 8 & 255) - (other >> 8 & 255);
        int blue = (one & 255) - (other & 255);
        return red * red + green * green + blue * blue;
    }

    private static int nearest(int[] palette, int color) {
        int best = 0;
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < palette.length; i++) {
            int distance = distance(palette[i], color);
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }

    private static byte[] png(BufferedImage image) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
        try (ImageOutputStream to = ImageIO.createImageOutputStream(out)) {
            ImageWriteParam parameters = writer.getDefaultWriteParam();
            parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            parameters.setCompressionQuality(0);
            writer.setOutput(to);
            writer.write(null, new IIOImage(image, null, null), parameters);
        } finally {
            writer.dispose();
        }
        return out.toByteArray();
    }
}
