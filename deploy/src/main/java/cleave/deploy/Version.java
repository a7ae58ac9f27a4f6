package cleave.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote down, and the Java that runs it. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "cleave " + built() + " (Java " + Runtime.version().feature() + ", " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch") + ")"
        };
    }

    /** The version of this build. */
    public static String built() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return properties.getProperty("version", "unknown");
    }
}
