package cleave.chaos.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names in the sources of all modules, tests included. Immutable after it was read. */
final class Sources {
    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([a-z0-9.]+);");
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w*)");
    private static final Pattern OF_WIRE = Pattern.compile("\\b(?:message|service|rpc|enum) ([A-Z]\\w*)");
    private static final Pattern CODE = Pattern.compile("\"([A-Z]\\w+)\"");

    /** By a type's simple name, the texts of the files that declare one of it. */
    private final Map<String, StringBuilder> types = new HashMap<>();
    /** {@code package.Type}. */
    private final Set<String> qualified = new HashSet<>();

    private final Set<String> packages = new HashSet<>();
    /** Messages, services and their calls. */
    private final Set<String> ofWire = new HashSet<>();
    /** The error codes of the Table protocol. */
    private final Set<String> codes = new HashSet<>();

    private Sources() {}

    static Sources read() {
        Sources sources = new Sources();
        eachFile(file -> {
            String name = file.getFileName().toString();
            if (name.endsWith(".java")) {
                sources.addJava(name, Files.readString(file));
            } else if (name.endsWith(".proto")) {
                OF_WIRE.matcher(Files.readString(file)).results().forEach(found -> sources.ofWire.add(found.group(1)));
            }
        });
        return sources;
    }

    /** Reads a file. */
    interface FileReader {
        void read(Path file) throws IOException;
    }

    /** Visits every file of the project except those that a build makes. */
    static void eachFile(FileReader reader) {
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    String name = folder.getFileName().toString();
                    boolean isOther = name.equals("target") || name.equals("node_modules") || name.startsWith(".");
                    return isOther ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    reader.read(file);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void addJava(String file, String text) {
        Matcher named = PACKAGE.matcher(text);
        String inPackage = named.find() ? named.group(1) : "";
        for (String of = inPackage; of.contains("."); of = of.substring(0, of.lastIndexOf('.'))) {
            packages.add(of);
        }
        TYPE.matcher(text).results().forEach(found -> {
            types.computeIfAbsent(found.group(1), name -> new StringBuilder()).append(text);
            qualified.add(inPackage + "." + found.group(1));
        });
        if (file.equals("ServiceCode.java")) {
            CODE.matcher(text).results().forEach(found -> codes.add(found.group(1)));
        }
    }

    boolean hasType(String name) {
        return types.containsKey(name);
    }

    boolean hasType(String inPackage, String name) {
        return qualified.contains(inPackage + "." + name);
    }

    /** True if a type of this name has a member, an enum constant or a nested type of that name. */
    boolean hasMember(String type, String member) {
        StringBuilder text = types.get(type);
        return text != null
                && Pattern.compile("\\b" + member + "\\b").matcher(text).find();
    }

    boolean hasPackage(String name) {
        return packages.contains(name);
    }

    boolean isOfProtocol(String name) {
        return ofWire.contains(name) || codes.contains(name);
    }
}
