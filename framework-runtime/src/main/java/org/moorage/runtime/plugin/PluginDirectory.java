// SPDX-License-Identifier: Apache-2.0
package org.moorage.runtime.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.PluginFactory;

/**
 * Loads plugins from the jars of a directory.
 *
 * <p>Each jar brings what its plugins need beside the plugin API: its classes come first, also where the scheduler has
 * others of the same name, so two jars may carry two versions of one library. Only the API itself is always the
 * scheduler's. The classes stay loaded for as long as the process lives.
 */
public final class PluginDirectory {
    private static final String SERVICE = "META-INF/services/" + PluginFactory.class.getName();
    private static final String JAR = ".jar";

    private PluginDirectory() {}

    /**
     * The factories of all jars in a directory, jar by jar in the order of their names.
     *
     * @param directory the directory; what does not end in {@code .jar} is passed over
     * @throws PluginJarException if the directory cannot be read, or any jar is unusable; it names all of those
     */
    public static List<PluginFactory<?>> load(Path directory) {
        Map<String, Path> jarByPlugin = new LinkedHashMap<>();
        List<PluginFactory<?>> factories = new ArrayList<>();
        List<PluginJarException> faults = new ArrayList<>();
        for (Path jar : jars(directory)) {
            try {
                for (PluginFactory<?> factory : factories(jar)) {
                    Path other = jarByPlugin.putIfAbsent(factory.name(), jar);
                    if (other != null) {
                        throw new PluginJarException(jar + ": plugin \"" + factory.name() + "\" is in "
                                + (other.equals(jar) ? "it twice" : other.getFileName() + " too")
                                + " (expected: one factory for a name)");
                    }
                    factories.add(factory);
                }
            } catch (PluginJarException fault) {
                faults.add(fault);
            }
        }
        if (faults.size() == 1) {
            throw faults.get(0);
        }
        if (!faults.isEmpty()) {
            List<String> messages = new ArrayList<>();
            faults.forEach(fault -> messages.add(fault.getMessage()));
            PluginJarException all = new PluginJarException(String.join("\n", messages));
            faults.forEach(all::addSuppressed);
            throw all;
        }
        return List.copyOf(factories);
    }

    private static List<Path> jars(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new PluginJarException(directory + ": " + (Files.exists(directory) ? "not a directory" : "not there")
                    + " (expected: a directory of jars)");
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith(JAR))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw new PluginJarException(directory + ": cannot be listed: " + failed, failed);
        }
    }

    private static List<PluginFactory<?>> factories(Path jar) {
        Set<String> classNames = classNames(jar);
        if (classNames.isEmpty()) {
            throw new PluginJarException(
                    jar + ": no plugin in it (expected: the names of factory classes in " + SERVICE + ")");
        }
        ClassLoader loader = loader(jar);
        List<PluginFactory<?>> factories = new ArrayList<>();
        for (String className : classNames) {
            factories.add(factory(jar, className, loader));
        }
        return factories;
    }

    private static ClassLoader loader(Path jar) {
        try {
            return new JarLoader(jar.toUri().toURL(), PluginDirectory.class.getClassLoader());
        } catch (IOException failed) {
            throw new PluginJarException(jar + ": cannot be read: " + failed, failed);
        }
    }

    // Not with ServiceLoader, whose errors do not name the jar, and which would find factories outside of the jar too.
    private static Set<String> classNames(Path jar) {
        Set<String> names = new LinkedHashSet<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry services = zip.getEntry(SERVICE);
            if (services != null) {
                try (InputStream in = zip.getInputStream(services)) {
                    for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList()) {
                        int comment = line.indexOf('#');
                        String name = (comment < 0 ? line : line.substring(0, comment)).strip();
                        if (!name.isEmpty()) {
                            names.add(name);
                        }
                    }
                }
            }
        } catch (IOException failed) {
            throw new PluginJarException(jar + ": not a jar that can be read: " + failed, failed);
        }
        return names;
    }

    private static PluginFactory<?> factory(Path jar, String className, ClassLoader loader) {
        String described = jar + ": factory " + className;
        try {
            Class<?> type = Class.forName(className, true, loader);
            if (!PluginFactory.class.isAssignableFrom(type)) {
                throw new PluginJarException(
                        described + ": not a factory (expected: implements " + PluginFactory.class.getName() + ")");
            }
            PluginFactory<?> factory = (PluginFactory<?>) type.getConstructor().newInstance();
            // Asked now, so that a jar that does not fit is refused now.
            Objects.requireNonNull(factory.name(), "name");
            if (!Objects.requireNonNull(factory.argsType(), "argsType").isRecord()) {
                throw new PluginJarException(
                        described + ": argsType " + factory.argsType().getName() + " (expected: a record)");
            }
            return factory;
        } catch (ClassNotFoundException absent) {
            throw new PluginJarException(described + ": no such class in the jar", absent);
        } catch (NoSuchMethodException hidden) {
            throw new PluginJarException(
                    described
                            + ": cannot be made (expected: a public class with a public constructor without parameters)",
                    hidden);
        } catch (ReflectiveOperationException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new PluginJarException(described + ": cannot be made: " + cause + hint(cause), failed);
        } catch (LinkageError doesNotFit) {
            throw new PluginJarException(described + ": does not fit: " + doesNotFit + hint(doesNotFit), doesNotFit);
        } catch (PluginJarException fault) {
            throw fault;
        } catch (RuntimeException failed) {
            throw new PluginJarException(described + ": cannot be asked what it makes: " + failed, failed);
        }
    }

    private static String hint(Throwable cause) {
        if (cause instanceof UnsupportedClassVersionError) {
            return ". It was built for a newer Java than " + Runtime.version().feature() + ".";
        }
        boolean linkage = cause instanceof IncompatibleClassChangeError || cause instanceof NoClassDefFoundError;
        return linkage
                ? ". It was built for another version of the plugin API, or a library that it needs is not in the jar."
                : "";
    }

    /** Looks into the jar first, but for the API, which both sides must see as the same classes. */
    private static final class JarLoader extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        JarLoader(URL jar, @Nullable ClassLoader parent) {
            super(new URL[] {jar}, parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded == null) {
                    loaded = isShared(name) ? super.loadClass(name, false) : findOwnFirst(name);
                }
                if (resolve) {
                    resolveClass(loaded);
                }
                return loaded;
            }
        }

        private Class<?> findOwnFirst(String name) throws ClassNotFoundException {
            try {
                return getPlatformClassLoader().loadClass(name);
            } catch (ClassNotFoundException notOfTheJdk) {
                try {
                    return findClass(name);
                } catch (ClassNotFoundException notInTheJar) {
                    return super.loadClass(name, false);
                }
            }
        }

        private static boolean isShared(String name) {
            return name.startsWith("java.") || name.startsWith("org.moorage.api.") || name.startsWith("org.jspecify.");
        }

        @Override
        public @Nullable URL getResource(String name) {
            URL own = findResource(name);
            return own == null ? super.getResource(name) : own;
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            List<URL> all = Collections.list(findResources(name));
            ClassLoader parent = getParent();
            if (parent != null) {
                all.addAll(Collections.list(parent.getResources(name)));
            }
            return Collections.enumeration(all);
        }
    }
}
