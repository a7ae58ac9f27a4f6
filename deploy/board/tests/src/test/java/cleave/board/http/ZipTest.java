package cleave.board.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.Examples;
import cleave.board.frame.Axis;
import cleave.board.frame.Cells;
import cleave.board.frame.Frame;
import cleave.board.frame.FrameWriter;
import cleave.board.frame.Measure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class ZipTest {
    /** A viewer who comes later gets pieces that were made for another. */
    @Test
    void piecesMakeAStreamInWhateverOrder() throws IOException {
        byte[] one = Zip.piece("one ".repeat(5000).getBytes(UTF_8));
        byte[] two = Zip.piece("two ".getBytes(UTF_8));
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        stream.write(Zip.head());
        stream.write(two);
        stream.write(one);
        stream.write(two);

        GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(stream.toByteArray()));

        String whole = "two " + "one ".repeat(5000) + "two ";
        assertThat(new String(in.readNBytes(whole.length()), UTF_8)).isEqualTo(whole);
        assertThat(one).hasSizeLessThan(1000);
    }

    /** What a viewer of the largest map gets in a minute; a tenth of the rows are busy. */
    @Test
    void aFrameOfAllRowsIsSmall() {
        Random random = new Random(3);
        Axis axis = Examples.axis(
                1,
                IntStream.range(1, Axis.BUCKETS_MAX)
                        .mapToObj(i -> String.format(Locale.ROOT, "partition-%06d", i))
                        .toArray(String[]::new));
        Cells.Builder cells = new Cells.Builder(Axis.BUCKETS_MAX);
        for (int bucket = 0; bucket < Axis.BUCKETS_MAX; bucket++) {
            cells.place(bucket, 4096L + bucket / 8, bucket / 200, 0)
                    .set(Measure.BYTES, bucket, random.nextInt(1 << 28));
            for (Measure measure : Measure.values()) {
                if (measure != Measure.BYTES && random.nextInt(10) == 0) {
                    cells.set(measure, bucket, random.nextInt(3000));
                }
            }
        }
        Frame frame = new Frame(
                1,
                1000,
                1000,
                "",
                axis,
                cells.build(),
                Examples.full(1).parties(),
                192,
                Examples.full(1).told());

        byte[] line = FrameWriter.line(frame, false);
        byte[] zipped = Zip.piece(line);

        System.out.println(
                "bytes a viewer and minute, 1,536 rows: " + 60 * line.length + ", with gzip " + 60 * zipped.length);
        assertThat(zipped).hasSizeLessThan(line.length / 2);
    }
}
