package cleave.chaos.pods;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A {@code kubectl} that answers from files, which are named for the first two words of the command, and notes its arguments.
 * Confined to its test.
 */
record FakeKubectl(Path folder) {
    private static final String SCRIPT = """
            #!/bin/sh
            folder=${0%/*}
            echo "$*" >>"$folder/commands"
            first= second=
            for word; do
                case $word in
                --*) ;;
                *) if [ -z "$first" ]; then first=$word; elif [ -z "$second" ]; then second=$word; fi ;;
                esac
            done
            answer=$folder/$first-$(echo "$second" | tr / _)
            if [ -e "$answer.error" ]; then
                cat "$answer.error" >&2
                exit 1
            fi
            echo 'Warning: an answer is not all that is printed' >&2
            [ ! -e "$answer" ] || cat "$answer"
            [ ! -e "$answer.next" ] || mv "$answer.next" "$answer"
            # Its input ends with the process that started it.
            [ "$first" != port-forward ] || exec cat
            """;

    static FakeKubectl in(Path folder) throws IOException {
        Files.createDirectories(folder);
        Path script = Files.writeString(folder.resolve("kubectl"), SCRIPT);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new FakeKubectl(folder);
    }

    /** Answers so from now on. */
    void answer(String words, String text) throws IOException {
        Files.writeString(folder.resolve(words.replace(' ', '-').replace('/', '_')), text);
    }

    /** Answers so after the present answer was given once. */
    void answerNext(String words, String text) throws IOException {
        answer(words + ".next", text);
    }

    void refuse(String words, String error) throws IOException {
        answer(words + ".error", error);
    }

    /** The commands since the last call of this. */
    List<String> commands() throws IOException {
        Path noted = folder.resolve("commands");
        List<String> commands = Files.exists(noted) ? Files.readAllLines(noted) : List.of();
        Files.deleteIfExists(noted);
        return commands;
    }
}
