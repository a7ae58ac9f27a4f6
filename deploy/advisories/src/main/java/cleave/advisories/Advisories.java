package cleave.advisories;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** The command of {@code .ci/advisories}: which libraries of a bill of materials are affected by advisories. Stateless. */
public final class Advisories {
    private static final int CLEAN = 0;
    private static final int AFFECTED = 1;
    private static final int NOT_CHECKED = 2;

    private Advisories() {}

    /** @param arguments the bill of materials; a folder or a zip of advisories */
    public static void main(String[] arguments) {
        System.exit(run(Path.of(arguments[0]), Path.of(arguments[1]), System.out));
    }

    /** Prints what it found, and returns the exit status: 0 if nothing is affected, 1 if something is, 2 if that cannot be said. */
    static int run(Path bill, Path data, PrintStream out) {
        try {
            List<Library> libraries = Library.listedIn(AdvisoryFiles.object(bill.toString(), Files.readAllBytes(bill)));
            if (libraries.isEmpty()) {
                throw new IOException(bill + " lists no library of Maven");
            }
            List<Advisory> advisories = AdvisoryFiles.read(data);
            if (advisories.isEmpty()) {
                throw new IOException(data + " has no advisory about a package of Maven");
            }
            List<String> findings = libraries.stream()
                    .flatMap(library -> advisories.stream().flatMap(advisory -> advisory.finding(library).stream()))
                    .toList();
            findings.forEach(out::println);
            out.printf(
                    "%d of %d advisories concern the %d libraries%n",
                    findings.size(), advisories.size(), libraries.size());
            return findings.isEmpty() ? CLEAN : AFFECTED;
        } catch (NoSuchFileException missing) {
            out.println("not checked: there is no " + missing.getMessage());
        } catch (IOException unreadable) {
            out.println("not checked: " + unreadable.getMessage());
        }
        return NOT_CHECKED;
    }
}
