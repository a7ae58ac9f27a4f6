package cleave.chaos.sim;

import cleave.chaos.sim.faults.FaultKind;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The value of {@code --faults}: kinds from which a seed draws, or a file with a list of faults. Immutable.
 *
 * @param kinds null for a file
 * @param file null for kinds
 */
record StruckBy(
        @Nullable SortedSet<FaultKind> kinds, @Nullable Path file) {
    /** No kind has a dot or a slash in its name, and a file that {@code --shrink} wrote can be named with one. */
    static boolean isFile(String text) {
        return text.contains(".") || text.contains("/") || text.contains("\\");
    }

    /** The run of the file; a CommandFailure says why it cannot be read. */
    static Schedule.Kept read(Path file) {
        try {
            return Schedule.Kept.read(file);
        } catch (IOException failed) {
            throw CommandFailure.failed("the faults cannot be read from " + file + ": " + failed);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(file + " is no list of faults that --shrink wrote: " + wrong.getMessage());
        }
    }

    /** Converts names of kinds or a file, and lists all kinds. */
    static final class Converter implements ITypeConverter<StruckBy>, Iterable<String> {
        @Override
        public StruckBy convert(String text) {
            if (isFile(text)) {
                return new StruckBy(null, Path.of(text));
            }
            try {
                return new StruckBy(FaultKind.parse(text), null);
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException(wrong.getMessage());
            }
        }

        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(FaultKind.values()).map(FaultKind::name).iterator();
        }
    }
}
