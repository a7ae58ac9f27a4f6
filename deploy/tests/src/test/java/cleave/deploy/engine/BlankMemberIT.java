package cleave.deploy.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.loop.Await;
import cleave.runtime.rpc.TestPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class BlankMemberIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final int port = TestPorts.free();
    private final int other = TestPorts.free();

    private CompletableFuture<Boolean> blank() {
        return blank(port, other);
    }

    private static CompletableFuture<Boolean> blank(int own, int beside) {
        BlankMember member = new BlankMember(own, List.of("127.0.0.1:" + beside), EnginePeers.CLEAR);
        return CompletableFuture.supplyAsync(() -> {
            try {
                return member.await();
            } catch (IOException failed) {
                throw new CompletionException(failed);
            }
        });
    }

    private String ask(String word) {
        AtomicReference<String> answer = new AtomicReference<>("");
        Await.until("an answer to " + word, () -> isAnswered(word, answer));
        return Objects.requireNonNull(answer.get());
    }

    private boolean isAnswered(String word, AtomicReference<String> answer) {
        try {
            answer.set(new ZooKeeperProbe(List.of("127.0.0.1:" + port)).answer(word));
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    @Test
    void saysThatItIsBlankUntilItIsToldToBegin() throws Exception {
        CompletableFuture<Boolean> blank = blank();

        assertThat(ask("srvr")).startsWith(BlankMember.BLANK);
        try (Socket mute = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertThat(mute.isConnected()).isTrue();
            assertThat(ask("ruok")).startsWith(BlankMember.BLANK);
        }
        assertThat(blank.isDone()).isFalse();
        ask(BlankMember.INITIALIZE);
        assertThat(blank.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void doesNotBeginAnewWhereAnotherServes() throws Exception {
        CompletableFuture<Boolean> blank = blank();
        assertThat(ask("srvr")).startsWith(BlankMember.BLANK);

        try (ServerSocket serves = new ServerSocket(other)) {
            serves.setSoTimeout((int) PATIENCE.toMillis());
            try (Socket caller = serves.accept()) {
                assertThat(caller.getInputStream().readNBytes(4)).isEqualTo("srvr".getBytes(US_ASCII));
                caller.getOutputStream().write("Mode: leader\n".getBytes(US_ASCII));
            }
        }
        assertThat(blank.get(30, TimeUnit.SECONDS)).isFalse();
    }

    /** Blank servers ask each other: a slow one must not keep this one from answering. */
    @Test
    void answersWhileAnotherIsSilent() throws Exception {
        try (ServerSocket silent = new ServerSocket(other)) {
            CompletableFuture<Boolean> blank = blank();
            ask("srvr");
            try (Socket asked = silent.accept()) {
                assertThat(asked.isConnected()).isTrue();
                assertThat(BlankMember.othersIn(new ZooKeeperProbe(List.of("127.0.0.1:" + port)).answer("srvr")))
                        .containsExactly("127.0.0.1:" + other);
            }
            assertThat(blank.isDone()).isFalse();
            ask(BlankMember.INITIALIZE);
            assertThat(blank.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The command may have been given only some of the ensemble. */
    @Test
    void beginsOnlyIfTheWholeEnsembleIsBlankWhicheverTheCommandWasGiven() throws Exception {
        CompletableFuture<Boolean> blank = blank();
        ask("srvr");
        Ensemble ensemble = new Ensemble(List.of("127.0.0.1:" + port), EnginePeers.CLEAR);

        assertThat(ensemble.serves()).isFalse();
        assertThat(ensemble.isPartlyBlank()).isTrue();
        assertThat(ensemble).hasToString("127.0.0.1:" + port + " is blank, 127.0.0.1:" + other + " does not answer");
        assertThat(blank.isDone()).isFalse();

        CompletableFuture<Boolean> otherBlank = blank(other, port);
        Await.until("all begin", () -> ensemble.serves() || (blank.isDone() && otherBlank.isDone()));
        assertThat(blank.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(otherBlank.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
