package cleave.master.raft;

import cleave.master.membership.GroupMembership;
import cleave.master.membership.GroupMembership.Phase;
import cleave.master.settings.MasterConfig.Peer;
import cleave.model.ClusterId;
import cleave.model.UnknownFormat;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.ratis.util.FileUtils;
import org.jspecify.annotations.Nullable;

/**
 * {@code member.properties} in a master's folder names the cluster and the member to which the folder belongs. Raft's
 * storage is beside it, in a folder named by the cluster's id. Stateless.
 *
 * <p>A folder that does not fit results in an IOException with cause and remedy. A master must not start on it, because
 * without its log it would break its promises to the others.
 */
final class MemberFile {
    private static final String NAME = "member.properties";
    private static final String RAFT = "raft";
    private static final String LEFT = "left";
    private static final String FORMAT = "1";

    private MemberFile() {}

    /** The folder of Raft's storage. */
    static Path raft(Path dir) {
        return dir.resolve(RAFT);
    }

    /** Null for a folder that belongs to no cluster. */
    static @Nullable GroupMembership read(Path dir, String id) throws IOException {
        Path file = dir.resolve(NAME);
        if (!Files.exists(file)) {
            if (!isEmpty(raft(dir))) {
                throw new IOException("the folder " + dir + " has a Raft log, but no " + NAME
                        + " that says of which cluster. If that file was lost, restore it from the copy that goes with the"
                        + " log; a log of a version of Cleave before clusters had ids cannot be used");
            }
            return null;
        }
        GroupMembership membership = parse(file);
        if (membership.phase() == Phase.LEFT) {
            putAside(dir, membership);
            return null;
        }
        if (!membership.id().equals(id)) {
            throw new IOException("the folder " + dir + " is that of master " + membership.id() + " of cluster "
                    + membership.cluster() + ", but this is master " + id + ": set master.dir or master.id right");
        }
        if (membership.phase() == Phase.MEMBER
                && isEmpty(raft(dir).resolve(membership.cluster().text()))) {
            throw new IOException("the folder " + dir + " is that of a member of cluster " + membership.cluster()
                    + ", but its Raft log is gone ("
                    + raft(dir).resolve(membership.cluster().text())
                    + "). Restore it, or remove the whole folder and have this master replaced by the others"
                    + " ('cleave admin masters replace')");
        }
        return membership;
    }

    private static boolean isEmpty(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return true;
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        }
    }

    private static GroupMembership parse(Path file) throws IOException {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(Files.readString(file)));
            String format = text(properties, "format");
            if (!format.equals(FORMAT)) {
                throw new UnknownFormat(file + " has format " + format, "format " + FORMAT);
            }
            return new GroupMembership(
                    new ClusterId(text(properties, "cluster")),
                    text(properties, "master"),
                    Phase.valueOf(text(properties, "phase").toUpperCase(Locale.ROOT)),
                    text(properties, "token"),
                    list(text(properties, "founders")).map(Peer::of).toList(),
                    list(text(properties, "awaited")).toList());
        } catch (IllegalArgumentException | CharacterCodingException damaged) {
            throw new IOException(
                    file + " is damaged: "
                            + (damaged instanceof IOException unreadable
                                    ? FileProblem.text(unreadable)
                                    : damaged.getMessage())
                            + ". It says of which cluster this master is a member; " + remedy(file.getParent()),
                    damaged);
        }
    }

    /** The remedy for a damaged file in a master's folder, for its operator. */
    static String remedy(@Nullable Path dir) {
        return "if there are other masters, remove the folder " + dir
                + " and have this master replaced by them ('cleave admin masters replace'); if there are none, restore the whole"
                + " folder from a copy that was made while the master was stopped, or the cluster from a backup";
    }

    private static String text(Properties properties, String key) {
        String value = properties.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException("it lacks '" + key + "'");
        }
        return value;
    }

    private static Stream<String> list(String text) {
        return text.isEmpty() ? Stream.of() : Stream.of(text.split(",", -1));
    }

    /** Durable when it returns. */
    static void write(Path dir, GroupMembership membership) throws IOException {
        List<String> founders = membership.founders().stream().map(Peer::text).toList();
        String text =
                "# To which cluster this folder belongs; written by the master. Copy it only together with the log.\n"
                        + "format=" + FORMAT + "\n"
                        + "cluster=" + membership.cluster() + "\n"
                        + "master=" + membership.id() + "\n"
                        + "phase=" + membership.phase().name().toLowerCase(Locale.ROOT) + "\n"
                        + "token=" + membership.token() + "\n"
                        + "founders=" + String.join(",", founders) + "\n"
                        + "awaited=" + String.join(",", membership.awaited()) + "\n";
        PrivateFiles.makeNamed(dir);
        DurableFile.write(dir.resolve(NAME), text.getBytes(StandardCharsets.UTF_8));
    }

    /** Ends the membership: moves the log and this file to a folder beside them; only the newest such folder is kept. */
    static void putAside(Path dir, GroupMembership membership) throws IOException {
        write(dir, membership.in(Phase.LEFT));
        Path aside = dir.resolve(LEFT);
        Path log = raft(dir);
        if (Files.exists(log)) {
            FileUtils.deleteFully(aside);
            Files.createDirectories(aside);
            Files.move(log, aside.resolve(RAFT));
        }
        Files.createDirectories(aside);
        Files.move(
                dir.resolve(NAME),
                aside.resolve(NAME),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
