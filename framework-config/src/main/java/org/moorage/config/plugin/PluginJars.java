// SPDX-License-Identifier: Apache-2.0
package org.moorage.config.plugin;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.moorage.api.plugin.ApiVersion;
import org.moorage.api.plugin.PluginFactory;

/**
 * Plugins from jars.
 *
 * <p>Each jar contains all libraries that its plugins need in addition to the plugin API. Its classes take precedence
 * over classes of the same name in the scheduler, so two jars may contain two versions of one library. Only the API
 * itself always comes from the scheduler. The classes stay loaded until the process ends.
 *
 * @param factories the factories in the jars, jar by jar in the order of their names
 * @param notes notes for the user, a sentence each: which jars of a folder have no plugin, and which do not name the
 *     version of the API that they were built for
 */
public record PluginJars(List<PluginFactory<?>> factories, List<String> notes) {
    private static final String JAR = ".jar";

    /** The jars that builds create in addition to a plugin's jar, by the end of the name. */
    private static final List<String> NOT_PLUGINS =
            List.of("-sources.jar", "-test-sources.jar", "-javadoc.jar", "-test-javadoc.jar", "-tests.jar");

    /** The prefix that Maven's Shade plugin gives the jar without the libraries. */
    private static final String WITHOUT_LIBRARIES = "original-";

    public PluginJars {
        factories = List.copyOf(factories);
        notes = List.copyOf(notes);
    }

    /**
     * Loads the plugins of a jar, or of all jars in a folder. In a folder, skips jars without a factory and jars of
     * sources, documentation and tests.
     *
     * @param path the jar or the folder
     * @param rules the rules for all jars, including skipped ones
     * @throws PluginJarException if the path cannot be read, or any jar is unusable; it names all unusable jars
     */
    public static PluginJars load(Path path, JarRules rules) {
        return new Loading(rules).load(path);
    }

    private static final class Loading {
        private final JarRules rules;
        private final Map<String, Path> jarByPlugin = new LinkedHashMap<>();
        private final List<PluginFactory<?>> factories = new ArrayList<>();
        private final List<PluginJarException> faults = new ArrayList<>();
        private final List<String> passedOver = new ArrayList<>();
        private final List<Path> withoutVersion = new ArrayList<>();

        Loading(JarRules rules) {
            this.rules = rules;
        }

        PluginJars load(Path path) {
            if (path.toString().isEmpty()) {
                // It would be the current folder.
                throw new PluginJarException("\"\": not there (expected: a jar, or a folder of jars)");
            } else if (Files.isDirectory(path)) {
                loadAll(path);
            } else if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new PluginJarException(path + ": not there (expected: a jar, or a folder of jars)");
            } else if (!isNamedAsJar(path)) {
                throw new PluginJarException(path + ": not a jar (expected: a jar, or a folder of jars)");
            } else if (!loadOne(path)) {
                faults.add(new PluginJarException(path + ": no plugin in it (expected: the names of factory classes in "
                        + JarContents.SERVICE + ")"));
            }
            throwFaults();
            return new PluginJars(factories, notes(path));
        }

        private void loadAll(Path folder) {
            List<Path> jars = jars(folder);
            Set<String> names = new HashSet<>();
            jars.forEach(jar -> names.add(name(jar)));
            for (Path jar : jars) {
                String name = name(jar);
                boolean isPlugin = NOT_PLUGINS.stream().noneMatch(name::endsWith)
                        && !(name.startsWith(WITHOUT_LIBRARIES)
                                && names.contains(name.substring(WITHOUT_LIBRARIES.length())));
                if (isPlugin ? !loadOne(jar) : isAllowed(jar)) {
                    passedOver.add(name);
                }
            }
        }

        // Whether the jar is allowed in the folder; faults are collected.
        private boolean isAllowed(Path jar) {
            try {
                RegularFile.check(jar);
                rules.checksums().check(jar);
                return true;
            } catch (IOException failed) {
                faults.add(unreadable(jar, failed));
            } catch (PluginJarException fault) {
                faults.add(fault);
            }
            return false;
        }

        // Whether it has factories, or a fault, which is kept.
        private boolean loadOne(Path jar) {
            if (!isAllowed(jar)) {
                return true;
            }
            try {
                JarContents contents = JarContents.read(jar);
                if (contents.classNames().isEmpty()) {
                    return false;
                }
                checkVersion(jar, contents.apiVersion());
                ClassLoader loader = loader(jar);
                for (String className : contents.classNames()) {
                    add(jar, factory(jar, className, loader));
                }
            } catch (IOException failed) {
                faults.add(unreadable(jar, failed));
            } catch (PluginJarException fault) {
                faults.add(fault);
            }
            return true;
        }

        private static PluginJarException unreadable(Path jar, IOException failed) {
            return new PluginJarException(
                    jar + ": not a jar that can be read: " + JarContents.shortened(failed.toString()), failed);
        }

        private void checkVersion(Path jar, @Nullable String text) {
            if (text == null) {
                if (rules.withoutVersion() == JarRules.WithoutVersion.REFUSED) {
                    throw new PluginJarException(jar + ": no " + ApiVersion.MANIFEST_ATTRIBUTE
                            + " in its manifest (expected: " + expected() + ")");
                }
                withoutVersion.add(jar);
                return;
            }
            ApiVersion builtFor;
            try {
                builtFor = ApiVersion.parse(text);
            } catch (IllegalArgumentException unreadable) {
                throw new PluginJarException(
                        jar + ": " + ApiVersion.MANIFEST_ATTRIBUTE + " of its manifest: " + unreadable.getMessage(),
                        unreadable);
            }
            if (!ApiVersion.CURRENT.takes(builtFor)) {
                throw new PluginJarException(
                        jar + ": built for version " + builtFor + " of the plugin API (expected: " + expected() + ")");
            }
        }

        private static String expected() {
            ApiVersion current = ApiVersion.CURRENT;
            return current.major() == 0 || current.minor() == 0
                    ? current.toString()
                    : new ApiVersion(current.major(), 0) + " to " + current;
        }

        private void add(Path jar, PluginFactory<?> factory) {
            Path other = jarByPlugin.putIfAbsent(factory.name(), jar);
            if (other != null) {
                throw new PluginJarException(jar + ": plugin \"" + factory.name() + "\" is in "
                        + (other.equals(jar) ? "it twice" : other.getFileName() + " too")
                        + " (expected: one factory for a name)");
            }
            factories.add(factory);
        }

        private void throwFaults() {
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
        }

        private List<String> notes(Path path) {
            List<String> notes = new ArrayList<>();
            if (!passedOver.isEmpty()) {
                notes.add(path + ": skipped jars without a plugin: " + String.join(", ", passedOver));
            }
            for (Path jar : withoutVersion) {
                notes.add(jar + ": taken as built for version " + ApiVersion.CURRENT + " of the plugin API, since no "
                        + ApiVersion.MANIFEST_ATTRIBUTE + " is in its manifest. A scheduler refuses it.");
            }
            return notes;
        }
    }

    private static boolean isNamedAsJar(Path file) {
        return name(file).endsWith(JAR);
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static List<Path> jars(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(PluginJars::isNamedAsJar).sorted().toList();
        } catch (IOException failed) {
            throw new PluginJarException(folder + ": cannot be listed: " + failed, failed);
        }
    }

    private static ClassLoader loader(Path jar) {
        try {
            return new JarLoader(jar.toUri().toURL(), PluginJars.class.getClassLoader());
        } catch (IOException failed) {
            throw new PluginJarException(jar + ": cannot be read: " + failed, failed);
        }
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
            // Called now, so that an incompatible jar is rejected immediately.
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
            throw new PluginJarException(described + ": cannot be made: " + text(cause) + hint(cause), failed);
        } catch (LinkageError doesNotFit) {
            throw new PluginJarException(
                    described + ": does not fit: " + text(doesNotFit) + hint(doesNotFit), doesNotFit);
        } catch (PluginJarException fault) {
            throw fault;
        } catch (RuntimeException | AssertionError | StackOverflowError failed) {
            throw new PluginJarException(described + ": cannot be asked what it makes: " + text(failed), failed);
        }
    }

    private static String text(Throwable thrown) {
        try {
            return JarContents.shortened(thrown.toString());
        } catch (RuntimeException | AssertionError | StackOverflowError ofItsOwn) {
            return thrown.getClass().getName();
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

    /** Searches the jar first, except for the API, whose classes must be the same on both sides. */
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
