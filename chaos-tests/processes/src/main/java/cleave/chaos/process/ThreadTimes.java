package cleave.chaos.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Locale;

/**
 * Processor time of the threads that JVMs have now, by what the JVM uses them for, as Linux counts it. Immutable. Zero where there is no
 * /proc.
 *
 * @param compilers in seconds, as all
 * @param collector of garbage
 * @param others threads that run Java code, and what else the JVM has
 */
public record ThreadTimes(double compilers, double collector, double others) {
    public static final ThreadTimes NONE = new ThreadTimes(0, 0, 0);

    /** Of all living threads of these processes. */
    public static ThreadTimes of(Collection<Long> processes) {
        return processes.stream().map(ThreadTimes::of).reduce(NONE, ThreadTimes::plus);
    }

    private static ThreadTimes of(long process) {
        ThreadTimes sum = NONE;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc", Long.toString(process), "task"))) {
            for (Path thread : threads) {
                sum = sum.plus(of(thread));
            }
        } catch (NoSuchFileException ended) {
            return sum;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return sum;
    }

    private static ThreadTimes of(Path thread) {
        try {
            return parse(Files.readString(thread.resolve("stat")));
        } catch (IOException ended) {
            return NONE;
        }
    }

    /** Of one line of accounts, in which the name may contain anything; Linux knows its first 15 characters. */
    static ThreadTimes parse(String stat) {
        String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
        double seconds = Consumption.processorOf(stat);
        if (name.startsWith("C1 CompilerThre") || name.startsWith("C2 CompilerThre")) {
            return new ThreadTimes(seconds, 0, 0);
        }
        return name.startsWith("GC Thread") || name.startsWith("G1 ")
                ? new ThreadTimes(0, seconds, 0)
                : new ThreadTimes(0, 0, seconds);
    }

    private ThreadTimes plus(ThreadTimes other) {
        return new ThreadTimes(compilers + other.compilers, collector + other.collector, others + other.others);
    }

    public ThreadTimes minus(ThreadTimes before) {
        return new ThreadTimes(compilers - before.compilers, collector - before.collector, others - before.others);
    }

    /** For people. */
    public String text() {
        double all = Math.max(1e-9, compilers + collector + others);
        return String.format(
                Locale.ROOT,
                "Processor time %.2f s: compilers %.0f %%, garbage collector %.0f %%, other threads %.0f %%",
                compilers + collector + others,
                100 * compilers / all,
                100 * collector / all,
                100 * others / all);
    }
}
