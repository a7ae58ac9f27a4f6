package cleave.chaos.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProfileTest {
    private static final String MAP = "java.util.HashMap.get";
    private static final String CORE = "cleave.frontend.core.FrontEndCore.admit";
    private static final String LOOP = "io.vertx.core.impl.ContextImpl.run";
    private static final String EPOLL = "io.netty.channel.epoll.Native.epollWait";

    private final Profile profile = new Profile();

    @Test
    void aSampleCountsForTheInnermostPartAndForAllOfItsStack() {
        profile.add(List.of(MAP, CORE, LOOP, EPOLL));
        profile.add(List.of(EPOLL));
        profile.add(List.of("io.netty.handler.codec.http2.Http2FrameReader.read", EPOLL));
        profile.add(List.of(MAP));

        assertThat(profile.samples()).isEqualTo(4);
        assertThat(profile.innermost(Part.CLEAVE)).isCloseTo(0.25, within(1e-9));
        assertThat(profile.innermost(Part.GRPC)).isCloseTo(0.25, within(1e-9));
        assertThat(profile.innermost(Part.NETTY)).isCloseTo(0.25, within(1e-9));
        assertThat(profile.innermost(Part.OTHER)).isCloseTo(0.25, within(1e-9));
        assertThat(profile.innermost(Part.VERTX)).isZero();
        assertThat(profile.anywhere(Part.VERTX)).isCloseTo(0.25, within(1e-9));
        assertThat(profile.anywhere(Part.NETTY)).isCloseTo(0.75, within(1e-9));
    }

    @Test
    void generatedClassesAndDecodersBelongToWhoUsesThem() {
        assertThat(Part.of("cleave.wire.RangesGrpc$MethodHandlers.invoke")).isEqualTo(Part.GRPC);
        assertThat(Part.of("cleave.wire.ReadReply.writeTo")).isEqualTo(Part.PROTOBUF);
        assertThat(Part.of("io.netty.handler.codec.ByteToMessageDecoder.channelRead"))
                .isEqualTo(Part.NETTY);
        assertThat(Part.of("io.netty.handler.codec.http.HttpObjectDecoder.decode"))
                .isEqualTo(Part.HTTP);
    }

    @Test
    void theTextListsTheMethodsThatRanByTheirShares() {
        profile.add(List.of(MAP, CORE));
        profile.add(List.of(MAP));
        profile.add(List.of(CORE));

        assertThat(profile.text())
                .contains("| cleave.* | 66.7 % | 66.7 % |", "| none of these | 33.3 % | 33.3 % |")
                .containsSubsequence("| `" + MAP + "` | 66.7 % |", "| `" + CORE + "` | 33.3 % |")
                .doesNotContain("Vert.x");
    }
}
