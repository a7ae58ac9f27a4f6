package cleave.chaos.lab.exercise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * All of Cleave loaded anew, with the classes of one exercise in place of the original's. Libraries are shared with the tests around it.
 * Confined to its thread.
 */
final class MutatedClasses extends ClassLoader {
    private static final Path ROOT = Path.of("..", "..");

    private final Path classes;
    private final Path testsOfModule;

    private MutatedClasses(Path classes, Path testsOfModule) {
        super(MutatedClasses.class.getClassLoader());
        this.classes = classes;
        this.testsOfModule = testsOfModule;
    }

    /** Compiles the exercise as it is given. */
    static MutatedClasses of(Exercise exercise, Path folder) throws IOException {
        String name = Path.of(exercise.file()).getFileName().toString();
        Path classes = compiled(name, given(exercise, folder), folder);
        return new MutatedClasses(classes, ROOT.resolve(exercise.tests()).resolve("target/test-classes"));
    }

    /** Compiles this text of a file, and returns the folder of its classes. */
    private static Path compiled(String fileName, String text, Path folder) throws IOException {
        Path given = Files.writeString(folder.resolve(fileName), text);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = ToolProvider.getSystemJavaCompiler()
                .getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
            boolean isCompiled = ToolProvider.getSystemJavaCompiler()
                    .getTask(errors, files, null, options, null, files.getJavaFileObjects(given))
                    .call();
            assertThat(isCompiled).as("%s compiles: %s", fileName, errors).isTrue();
        }
        return classes;
    }

    /** The file as the exercise gives it; IOException if its patch does not fit today's source. */
    static String given(Exercise exercise, Path folder) throws IOException {
        Path tree = folder.resolve("given");
        Path file = tree.resolve(exercise.file());
        Files.createDirectories(file.getParent());
        Files.copy(ROOT.resolve(exercise.file()), file);
        Path patch = Files.writeString(folder.resolve("exercise.patch"), exercise.patch());
        Child.git(tree, "apply", patch.toString());
        return Files.readString(file);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("cleave.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try {
            byte[] bytes = bytes(name.replace('.', '/') + ".class");
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException failed) {
            throw new ClassNotFoundException(name, failed);
        }
    }

    private byte @Nullable [] bytes(String file) throws IOException {
        for (Path folder : List.of(classes, testsOfModule)) {
            if (Files.isRegularFile(folder.resolve(file))) {
                return Files.readAllBytes(folder.resolve(file));
            }
        }
        try (InputStream in = getParent().getResourceAsStream(file)) {
            return in == null ? null : in.readAllBytes();
        }
    }

    /** Runs one test of the module. */
    TestExecutionSummary run(String className, String method) throws ClassNotFoundException {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            thread.setContextClassLoader(this);
            Class<?> test = loadClass(className);
            List<java.lang.reflect.Method> methods = java.util.Arrays.stream(test.getDeclaredMethods())
                    .filter(each -> each.getName().equals(method))
                    .toList();
            assertThat(methods).as("%s.%s", className, method).hasSize(1);
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectMethod(test, methods.get(0)))
                                    .build(),
                            listener);
        } finally {
            thread.setContextClassLoader(before);
        }
        return listener.getSummary();
    }
}
