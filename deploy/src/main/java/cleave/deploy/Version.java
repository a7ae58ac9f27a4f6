package cleave.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote down, the commit that a release was built from, and the Java that runs it. */
public final class Version implements IVersionProvider {
    /** What deploy's pom says where nobody named a commit. */
    private static final String NO_COMMIT = "none";

    /** Hexadecimal digits of a commit that a version names. */
    private static final int COMMIT_DIGITS = 12;

    @Override
    public String[] getVersion() {
        return new String[] {
            "cleave " + built() + " (Java " + Runtime.version().feature() + ", " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch") + ")"
        };
    }

    /** The version of this build, and of a release also the commit: {@code 1.2.3-0123456789ab}, which is its image's tag, too. */
    public static String built() {
        Properties properties = properties();
        return named(properties.getProperty("version", "unknown"), properties.getProperty("commit", NO_COMMIT));
    }

    /** The whole commit that a release was built from; empty if the build knew of none. */
    public static String commit() {
        String commit = properties().getProperty("commit", NO_COMMIT);
        return commit.equals(NO_COMMIT) ? "" : commit;
    }

    private static Properties properties() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return properties;
    }

    /** A version with its commit, if the build knew of one. */
    static String named(String version, String commit) {
        return commit.equals(NO_COMMIT)
                ? version
                : version + "-" + commit.substring(0, Math.min(COMMIT_DIGITS, commit.length()));
    }
}
