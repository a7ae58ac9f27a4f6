package cleave.deploy.access;

import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.runtime.files.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads files that hold a key: on a command line every user of the machine could read it. Stateless. */
public final class ConnectionFile {
    private ConnectionFile() {}

    /** The account of the connection string in a file; CommandFailure, which names the file, if there is none. */
    public static Endpoint account(Path file) {
        return account(file.toString(), text(file));
    }

    /** @param source where the connection string was, for the message */
    public static Endpoint account(String source, String text) {
        try {
            return TableAccount.ofConnectionString(text.strip());
        } catch (CommandFailure wrong) {
            throw CommandFailure.usage(source + ": " + wrong.getMessage());
        }
    }

    /** The text of a file; CommandFailure if it cannot be read. */
    public static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException missing) {
            throw CommandFailure.usage("there is no file " + file);
        } catch (IOException unreadable) {
            throw CommandFailure.usage("the file " + file + " cannot be read: " + FileProblem.text(unreadable));
        }
    }
}
