package cleave.deploy.links;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.OwnersFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The file that tells the processes of a local cluster which of their links are cut. They read it again and again, so what is written here holds within a
 * second, also for a process that is started later. Immutable; one process writes at a time.
 */
public record LinksFile(Path file) {
    /**
     * Writes it anew, with all links whole.
     *
     * @param nodes the names of processes by the addresses that they serve at
     */
    public void make(Map<String, String> nodes) {
        OwnersFile.write(file, LinkTable.of(nodes).text());
    }

    /** Processes that are started from now on have links that cannot be cut. */
    public void remove() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public boolean exists() {
        return Files.exists(file);
    }

    /** The links that are cut; none if there is no such file. */
    public List<Link> cut() {
        return exists() ? List.copyOf(read().cut()) : List.of();
    }

    /** Cuts a process off from others. */
    public void cut(String one, Collection<String> others) {
        change(table -> table.cutting(one, others));
    }

    public void heal(String one, Collection<String> others) {
        change(table -> table.healing(one, others));
    }

    public void healAll() {
        change(LinkTable::healed);
    }

    private void change(UnaryOperator<LinkTable> how) {
        OwnersFile.write(file, how.apply(read()).text());
    }

    /** CommandFailure if it cannot be read. */
    LinkTable read() {
        try {
            return LinkTable.parse(Files.readString(file));
        } catch (IOException | IllegalArgumentException unfit) {
            throw CommandFailure.failed("the links of this cluster are not known: " + file + ": " + unfit.getMessage());
        }
    }
}
