package cleave.board.history;

import cleave.board.frame.Cut;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How far apart keys lie: in each table the bytes of a key are the digits of a fraction. Pure. */
final class Widths {
    private static final int DIGITS = 6;
    private static final double RADIX = 256;

    private Widths() {}

    /**
     * The height of each row, all together 1: each table has the same height, which its rows divide.
     *
     * @param only the one table that is shown; null: all
     */
    static List<Double> of(List<Cut> cuts, @Nullable Long only) {
        double[] begins = new double[cuts.size() + 1];
        long table = only == null ? 0 : only;
        long before = 0;
        for (int i = 1; i < begins.length; i++) {
            Cut cut = cuts.get(i - 1);
            before += cut.table() == table ? 0 : 1;
            table = cut.table();
            begins[i] = before + fraction(cut.key());
        }
        double[] heights = new double[begins.length];
        for (int i = 0; i < heights.length; i++) {
            double end = i + 1 < begins.length ? begins[i + 1] : before + 1;
            heights[i] = Math.max(0, end - begins[i]) / (before + 1);
        }
        double sum = Arrays.stream(heights).sum();
        return Arrays.stream(heights)
                .mapToObj(height -> sum > 0 ? height / sum : 1.0 / heights.length)
                .toList();
    }

    private static double fraction(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        double fraction = 0;
        for (int i = Math.min(bytes.length, DIGITS) - 1; i >= 0; i--) {
            fraction = (fraction + (bytes[i] & 0xff)) / RADIX;
        }
        return fraction;
    }
}
