// SPDX-License-Identifier: Apache-2.0
package org.moorage.app.internal.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.JavascriptException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A browser without a window that shows pages. */
final class Browser implements AutoCloseable {
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);
    private static final String MEASURE =
            "const done = arguments[arguments.length - 1]; const start = performance.now();"
                    + " (0, eval)(arguments[0]);"
                    + " requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));";

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Whether there is one on this machine. */
    static boolean isThere() {
        return Files.isExecutable(DRIVER);
    }

    static Browser open() {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary("/usr/bin/chromium");
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--force-device-scale-factor=1");
        options.setCapability("goog:loggingPrefs", logs);
        options.setAcceptInsecureCerts(true);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(DRIVER.toString()))
                .build();
        Browser browser = new Browser(new ChromeDriver(service, options));
        browser.size(1440, 900);
        browser.driver.manage().timeouts().scriptTimeout(LONGEST_WAIT);
        return browser;
    }

    void size(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
    }

    /** Opens a page at a place in it, such as {@code #/nodes}, and waits until it is shown. */
    void show(String address, String place) {
        // The same page at another place would not be loaded again.
        driver.get("about:blank");
        driver.get(address + place);
        until("document.documentElement.dataset.ready === 'true'");
        settle();
    }

    /** Goes to another place in the page that is shown. */
    void go(String place) {
        run("location.hash = " + quoted(place));
        settle();
    }

    /** Waits until what was changed is drawn. */
    void settle() {
        Object ignored = driver.executeAsyncScript("const done = arguments[arguments.length - 1];"
                + " requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 30)));");
    }

    /** Waits until an expression is true. */
    void until(String expression) {
        Object ignored = driver.executeAsyncScript("const done = arguments[arguments.length - 1];"
                + " const check = () => (" + expression + " ? done(true) : setTimeout(check, 20)); check();");
    }

    String text(String selector) {
        return driver.findElement(By.cssSelector(selector)).getText();
    }

    int count(String selector) {
        return driver.findElements(By.cssSelector(selector)).size();
    }

    Object run(String script) {
        Object result = driver.executeScript(script);
        return result == null ? "" : result;
    }

    String address() {
        return Objects.requireNonNull(driver.getCurrentUrl());
    }

    void click(String selector) {
        driver.findElement(By.cssSelector(selector)).click();
        settle();
    }

    void back() {
        driver.navigate().back();
        settle();
    }

    void type(String selector, String text) {
        WebElement field = driver.findElement(By.cssSelector(selector));
        field.clear();
        field.sendKeys(text);
        settle();
    }

    /** Presses keys where the focus is. */
    void press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
        settle();
    }

    /**
     * Presses the key that goes to the next element until one that the selector finds has the focus; whether it came
     * there.
     */
    boolean tabTo(String selector) {
        for (int i = 0; i < 60; i++) {
            if (Boolean.TRUE.equals(
                    driver.executeScript("return document.activeElement.matches(arguments[0])", selector))) {
                return true;
            }
            new Actions(driver).sendKeys(Keys.TAB).perform();
        }
        return false;
    }

    void theme(String name) {
        run("if (document.documentElement.dataset.theme !== " + quoted(name)
                + ") document.getElementById('theme').click()");
        settle();
    }

    /** Sets the theme that the system prefers. */
    void systemTheme(String name) {
        Map<String, Object> ignored = driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", name))));
        settle();
    }

    /**
     * Returns the time of a script and of drawing its changes: the median of several runs.
     *
     * @param byClock in milliseconds, by the page's clock
     * @param ofProcessor what of it the page's thread took, in milliseconds: other work on the machine does not count
     */
    record Took(double byClock, double ofProcessor) {}

    Took took(List<String> scripts) {
        List<Double> byClock = new ArrayList<>();
        List<Double> ofProcessor = new ArrayList<>();
        Map<String, Object> ignored =
                driver.executeCdpCommand("Performance.enable", Map.of("timeDomain", "threadTicks"));
        for (String script : scripts) {
            double before = processorMilliseconds();
            byClock.add(((Number) Objects.requireNonNull(driver.executeAsyncScript(MEASURE, script))).doubleValue());
            ofProcessor.add(processorMilliseconds() - before);
            settle();
        }
        byClock.sort(null);
        ofProcessor.sort(null);
        return new Took(byClock.get(byClock.size() / 2), ofProcessor.get(ofProcessor.size() / 2));
    }

    private double processorMilliseconds() {
        List<?> metrics = (List<?>)
                driver.executeCdpCommand("Performance.getMetrics", Map.of()).get("metrics");
        for (Object metric : Objects.requireNonNull(metrics)) {
            Map<?, ?> entry = (Map<?, ?>) metric;
            if ("TaskDuration".equals(entry.get("name"))) {
                return ((Number) Objects.requireNonNull(entry.get("value"))).doubleValue() * 1_000;
            }
        }
        throw new IllegalStateException("TaskDuration (expected: among " + metrics + ")");
    }

    /** Returns the errors of the page and the browser since the last call. */
    List<String> complaints() {
        List<String> lines = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            lines.add(entry.getLevel() + " " + entry.getMessage());
        }
        return lines;
    }

    /** The findings of axe-core, a line each. */
    List<String> accessibilityFindings() throws IOException {
        try (InputStream axe = Browser.class.getResourceAsStream("axe.js")) {
            run(new String(Objects.requireNonNull(axe, "axe.js").readAllBytes(), UTF_8));
        }
        Object found = driver.executeAsyncScript("const done = arguments[arguments.length - 1];"
                + " axe.run(document, {resultTypes: ['violations']}).then((results) => done(results.violations"
                + ".map((finding) => `${finding.id}: ${finding.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)"
                + " + ' ' + node.failureSummary).join(' | ')}`)));");
        List<String> lines = new ArrayList<>();
        ((List<?>) Objects.requireNonNull(found)).forEach(line -> lines.add(String.valueOf(line)));
        return lines;
    }

    byte[] screenshot() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    private static String quoted(String text) {
        try {
            return PageFixture.JSON.writeValueAsString(text);
        } catch (IOException e) {
            throw new JavascriptException(text, e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
