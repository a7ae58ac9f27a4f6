package cleave.chaos.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * Resources that processes have consumed since they began, by the accounts of Linux (proc(5)) and, where they keep some, by their own. Immutable.
 *
 * @param user processor time in their own code, in seconds; the accounts count in hundredths
 * @param system processor time in the kernel on their behalf, in seconds
 * @param contextSwitches of the threads that they have now, wanted or not
 * @param allocated bytes on their heaps; NaN: they do not tell
 */
public record Consumption(double user, double system, long contextSwitches, double allocated) {
    public static final Consumption NONE = new Consumption(0, 0, 0, 0);

    private static final Path PROC = Path.of("/proc");
    /** USER_HZ, which is the same on every Linux that Java runs on. */
    private static final double TICKS_PER_SECOND = 100;
    /** Fields of {@code stat} behind the name of the program, which may contain anything. */
    private static final int USER_FIELD = 11;

    private static final int CHILDREN_USER_FIELD = 13;
    /** How often a tree is read, at most, until no process begins or ends meanwhile. */
    private static final int ATTEMPTS = 20;

    /** Whether this machine keeps such accounts. */
    public static boolean isKnown() {
        return Files.isReadable(PROC.resolve("self/stat"));
    }

    /** The sum over these processes, without allocations; those that have ended count as nothing. */
    public static Consumption of(Collection<Long> processes) {
        return sum(processes.stream().map(Consumption::of).toList());
    }

    public static Consumption sum(Collection<Consumption> all) {
        return all.stream().reduce(NONE, Consumption::plus);
    }

    /**
     * The sum over a process and all that descend from it, with the processor time of those that have ended, if their parents have waited for
     * them.
     */
    public static Consumption ofTree(long root) {
        Set<Long> before = tree(root);
        for (int attempt = 1; ; attempt++) {
            Consumption sum = sum(before.stream().map(Consumption::withChildren).toList());
            Set<Long> after = tree(root);
            // What begins or ends meanwhile is missing, or counted twice.
            if (after.equals(before) || attempt == ATTEMPTS) {
                return sum;
            }
            before = after;
        }
    }

    private static Set<Long> tree(long root) {
        Set<Long> tree = new TreeSet<>(Set.of(root));
        ProcessHandle.of(root).ifPresent(process -> process.descendants().forEach(each -> tree.add(each.pid())));
        return tree;
    }

    private static Consumption of(long process) {
        return of(process, 0);
    }

    private static Consumption withChildren(long process) {
        return of(process, 1);
    }

    /** @param children 1: with the processor time of the children that it waited for */
    private static Consumption of(long process, int children) {
        Path folder = PROC.resolve(Long.toString(process));
        try {
            String stat = Files.readString(folder.resolve("stat"));
            return new Consumption(
                    seconds(stat, USER_FIELD) + children * seconds(stat, CHILDREN_USER_FIELD),
                    seconds(stat, USER_FIELD + 1) + children * seconds(stat, CHILDREN_USER_FIELD + 1),
                    contextSwitches(folder.resolve("task")),
                    Double.NaN);
        } catch (NoSuchFileException ended) {
            return NONE;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static double seconds(String stat, int field) {
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[field]) / TICKS_PER_SECOND;
    }

    private static long contextSwitches(Path threads) throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
            for (Path thread : all) {
                sum += contextSwitchesOf(thread);
            }
        }
        return sum;
    }

    private static long contextSwitchesOf(Path thread) {
        try {
            return Files.readAllLines(thread.resolve("status")).stream()
                    .filter(line -> line.contains("ctxt_switches:"))
                    .mapToLong(line ->
                            Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
                    .sum();
        } catch (IOException ended) {
            return 0;
        }
    }

    public Consumption plus(Consumption other) {
        return new Consumption(
                user + other.user,
                system + other.system,
                contextSwitches + other.contextSwitches,
                allocated + other.allocated);
    }

    public Consumption minus(Consumption before) {
        return new Consumption(
                user - before.user,
                system - before.system,
                contextSwitches - before.contextSwitches,
                allocated - before.allocated);
    }

    /** The part of this that falls on so much time, if it was consumed in {@code seconds}. */
    public Consumption during(double time, double seconds) {
        double part = time / seconds;
        return new Consumption(user * part, system * part, Math.round(contextSwitches * part), allocated * part);
    }

    public Consumption allocating(double bytes) {
        return new Consumption(user, system, contextSwitches, bytes);
    }

    /** In seconds. */
    public double processor() {
        return user + system;
    }
}
