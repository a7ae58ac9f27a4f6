package cleave.deploy.role;

import cleave.runtime.files.FileProblem;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a role's command that give its settings. Confined to the command's thread. */
public final class GivenSettings {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "a properties file: lines of key=value in UTF-8; # begins a comment")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "one setting; overrides the file. May be given many times")
    private List<String> assignments = List.of();

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "log to this file, rolled at 64 MiB (default: standard error)")
    private @Nullable Path log;

    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            description = "text, for people, or json, an object a line for machines (default: text)")
    private Logs.Format logFormat = Logs.Format.TEXT;

    /** All that was given, the command line's over the file's. */
    public Settings read() {
        return new Settings(all());
    }

    /** The same, for a program with other settings than a role's. */
    public Map<String, String> all() {
        Map<String, String> given = new TreeMap<>();
        if (file != null) {
            given.putAll(ofFile(file));
        }
        given.putAll(ofAssignments(assignments));
        return given;
    }

    public void openLog() {
        if (log == null) {
            Logs.toStandardError(logFormat);
        } else {
            Logs.toFile(log, logFormat);
        }
    }

    public static Map<String, String> ofAssignments(List<String> assignments) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String assignment : assignments) {
            int equals = assignment.indexOf('=');
            if (equals < 1) {
                throw new BadSetting("'" + assignment + "' is no setting; write --set key=value");
            }
            given.put(
                    assignment.substring(0, equals).trim(),
                    assignment.substring(equals + 1).trim());
        }
        return given;
    }

    static Map<String, String> ofFile(Path file) {
        Properties properties = new OnceOnly(file);
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException unreadable) {
            throw new BadSetting("the configuration file " + file + " cannot be read: " + FileProblem.text(unreadable));
        } catch (IllegalArgumentException malformed) {
            throw malformed instanceof BadSetting wrong
                    ? wrong
                    : new BadSetting("the configuration file " + file + " is malformed: " + malformed.getMessage());
        }
        Map<String, String> given = new TreeMap<>();
        for (String key : properties.stringPropertyNames()) {
            given.put(key, properties.getProperty(key).trim());
        }
        return given;
    }

    /** Properties that refuse a key given twice, of which one would otherwise silently win. */
    private static final class OnceOnly extends Properties {
        private static final long serialVersionUID = 1;

        private final transient Path file;

        OnceOnly(Path file) {
            this.file = file;
        }

        @Override
        public synchronized @Nullable Object put(Object key, Object value) {
            if (super.put(key, value) != null) {
                throw new BadSetting("the configuration file " + file + " gives " + key + " twice");
            }
            return null;
        }
    }
}
