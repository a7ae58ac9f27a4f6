package cleave.runtime.files;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Map;

/** Says in words why a file or folder could not be used: many exceptions have no message but its name. Stateless. */
public final class FileProblem {
    private static final Map<Class<? extends FileSystemException>, String> REASONS = Map.of(
            NoSuchFileException.class, "no such file or folder",
            NotDirectoryException.class, "it is not a folder",
            FileAlreadyExistsException.class, "it exists already",
            DirectoryNotEmptyException.class, "the folder is not empty",
            AccessDeniedException.class, "permission denied");

    private FileProblem() {}

    /** The message, with the name of the file if the exception has one. */
    public static String text(IOException failed) {
        if (failed instanceof CharacterCodingException) {
            return "it is not a text in UTF-8";
        }
        String message = failed.getMessage();
        if (failed instanceof FileSystemException named && named.getReason() == null) {
            return message + ": "
                    + REASONS.getOrDefault(named.getClass(), named.getClass().getSimpleName());
        }
        return message == null ? failed.getClass().getSimpleName() : message;
    }

    /** The messages of a failure and its causes, each once. */
    public static String whole(Throwable failed) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            String own = cause instanceof IOException known ? text(known) : cause.getMessage();
            boolean isOfCause = own == null
                    || (cause.getCause() != null && own.equals(cause.getCause().toString()));
            if (!isOfCause && text.indexOf(own) < 0) {
                text.append(text.isEmpty() ? "" : ": ").append(own);
            }
        }
        return text.toString();
    }
}
