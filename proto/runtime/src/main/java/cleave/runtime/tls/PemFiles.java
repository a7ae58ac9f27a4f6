package cleave.runtime.tls;

import cleave.runtime.files.FileProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The files of a {@code kubernetes.io/tls} Secret, as read from a folder. Immutable.
 *
 * @param authorities empty if there is no such file
 */
record PemFiles(String certificate, String key, String authorities) {
    static final String CERTIFICATE = "tls.crt";
    static final String KEY = "tls.key";
    static final String AUTHORITIES = "ca.crt";

    /** IOException, with the name of a required file that cannot be read. */
    static PemFiles read(Path folder) throws IOException {
        Path authorities = folder.resolve(AUTHORITIES);
        return new PemFiles(
                text(folder.resolve(CERTIFICATE)),
                text(folder.resolve(KEY)),
                Files.exists(authorities) ? text(authorities) : "");
    }

    private static String text(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException missing) {
            throw new IOException(file + " does not exist", missing);
        } catch (IOException unreadable) {
            throw new IOException(file + " cannot be read: " + FileProblem.text(unreadable), unreadable);
        }
    }

    /** Without the key. */
    @Override
    public String toString() {
        return CERTIFICATE + ": " + certificate;
    }
}
