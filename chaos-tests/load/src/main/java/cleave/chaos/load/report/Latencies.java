package cleave.chaos.load.report;

import cleave.chaos.load.run.Tally;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds, as numbers in milliseconds and as text. Stateless. */
public final class Latencies {
    private static final double NANOS_PER_MILLI = 1e6;

    private Latencies() {}

    public static double millis(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    public static double maxMillis(Histogram nanos) {
        return nanos.getMaxValue() / NANOS_PER_MILLI;
    }

    public static Histogram sum(Collection<Histogram> some) {
        Histogram sum = new Histogram(Tally.DIGITS);
        some.forEach(sum::add);
        return sum;
    }

    /** Compressed, in base64, as the tools of HdrHistogram read it. */
    static String encoded(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /** IllegalArgumentException if it is no encoded histogram. */
    static Histogram decoded(String text) {
        try {
            Histogram decoded = Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
            decoded.setAutoResize(true);
            return decoded;
        } catch (DataFormatException | RuntimeException malformed) {
            throw new IllegalArgumentException("no encoded histogram: " + malformed.getMessage(), malformed);
        }
    }
}
