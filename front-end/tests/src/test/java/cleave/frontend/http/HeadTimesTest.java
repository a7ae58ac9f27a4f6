package cleave.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.http.Http1ServerConfig;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long a head may take is counted from its first byte, however often another one comes. */
class HeadTimesTest {
    private static final long MAX = 10;

    private final MeteredRequestDecoder decoder =
            new MeteredRequestDecoder(new Http1ServerConfig(), () -> this.now, kept -> {});
    private final FrameMeter frames = new FrameMeter(() -> this.now);
    private final RecordMeter records = new RecordMeter(() -> this.now);
    private long now = Long.MAX_VALUE - 30; // Clocks of this kind may start anywhere.
    private EmbeddedChannel channel = new EmbeddedChannel();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void sends(String text) {
        channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
    }

    private void sends(int... bytes) {
        for (int each : bytes) {
            channel.writeInbound(Unpooled.buffer(1).writeByte(each));
        }
    }

    /** Sends a byte in each unit of time; the last one of them is one too late. */
    private void drips(String text) {
        for (int i = 0; i <= MAX; i++) {
            now++;
            sends(text);
        }
    }

    private boolean isHeadOverdue() {
        return decoder.isHeadOverdue(MAX, now);
    }

    @Test
    void aHeadThatDripsIsOverdueFromItsFirstByteOn() {
        channel = new EmbeddedChannel(decoder);
        now += 100;
        assertThat(isHeadOverdue()).isFalse(); // Nothing has come.
        sends("G");
        now += MAX;
        sends("E");
        assertThat(isHeadOverdue()).isFalse();
        now++;
        assertThat(isHeadOverdue()).isTrue();
        sends("T / HTTP/1.1\r\nHost: h\r\n");
        assertThat(isHeadOverdue()).isTrue();
        sends("\r\n");
        assertThat(isHeadOverdue()).isFalse();
    }

    @Test
    void linesThatDripAreAHeadAsWell() {
        channel = new EmbeddedChannel(decoder);
        sends("GET / HTTP/1.1\r\n");
        drips("X: y\r\n");
        assertThat(isHeadOverdue()).isTrue();
    }

    @Test
    void aLaterHeadHasATimeOfItsOwn() {
        channel = new EmbeddedChannel(decoder);
        sends("GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 20\r\n\r\n");
        drips("b");
        assertThat(isHeadOverdue()).as("bodies have a time-out of their own").isFalse();
        sends("the rest."); // 11 and 9 bytes.
        now += 100;
        assertThat(isHeadOverdue()).isFalse();
        sends("\r\n"); // As some clients send behind a body.
        now += 100;
        assertThat(isHeadOverdue()).isFalse();
        drips("G");
        assertThat(isHeadOverdue()).isFalse();
        now++;
        assertThat(isHeadOverdue()).isTrue();
    }

    @Test
    void ofABodyInChunksNothingIsAHead() {
        channel = new EmbeddedChannel(decoder);
        sends("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1");
        now += 100;
        assertThat(isHeadOverdue()).isFalse();
        sends("\r\nx\r\n0\r\n");
        now += 100;
        assertThat(isHeadOverdue()).isFalse();
        sends("\r\nG");
        now += 100;
        assertThat(isHeadOverdue()).isTrue();
    }

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private boolean isFrameOverdue() {
        return frames.isOverdue(MAX, now);
    }

    @Test
    void aFrameThatDripsIsOverdueUnlessItIsOfABody() {
        channel = new EmbeddedChannel(frames);
        sends(PREFACE);
        sends(0, 0, 0, 4, 0, 0, 0, 0, 0); // SETTINGS, empty.
        now += 100;
        assertThat(isFrameOverdue()).isFalse();
        sends(0, 0, 1, 0, 0, 0, 0, 0, 1); // DATA of one byte.
        now += 100;
        assertThat(isFrameOverdue()).isFalse();
        sends('x');
        sends(0);
        now += MAX;
        assertThat(isFrameOverdue()).isFalse();
        sends(0);
        now++;
        assertThat(isFrameOverdue()).isTrue();
    }

    @Test
    void theFramesOfOneHeadHaveOneTime() {
        channel = new EmbeddedChannel(frames);
        sends(PREFACE);
        sends(0, 0, 0, 1, 0, 0, 0, 0, 1); // HEADERS that go on.
        for (int i = 0; i <= MAX; i++) {
            now++;
            sends(0, 0, 0, 9, 0, 0, 0, 0, 1); // CONTINUATION.
        }
        assertThat(isFrameOverdue()).isTrue();
        sends(0, 0, 0, 9, 4, 0, 0, 0, 1); // END_HEADERS.
        assertThat(isFrameOverdue()).isFalse();
    }

    @Test
    void aRecordOfTlsThatDripsIsOverdue() {
        channel = new EmbeddedChannel(records);
        sends(23, 3, 3, 1, 0); // 256 bytes.
        now += MAX;
        assertThat(records.isOverdue(MAX, now)).isFalse();
        sends('x');
        now++;
        assertThat(records.isOverdue(MAX, now)).isTrue();
        sends("x".repeat(255));
        assertThat(records.isOverdue(MAX, now)).isFalse();
        sends(23);
        now += 100;
        assertThat(records.isOverdue(MAX, now)).isTrue();
    }
}
