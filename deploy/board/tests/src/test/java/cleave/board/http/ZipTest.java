package cleave.board.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
}
