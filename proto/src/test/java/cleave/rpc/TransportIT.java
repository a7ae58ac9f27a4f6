package cleave.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.tls.TestAuthority;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.WatchRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class TransportIT {
    private static final MapUpdate UPDATE =
            MapUpdate.newBuilder().setVersion(42).build();

    private static final class OneUpdate extends MapWatchGrpc.MapWatchImplBase {
        @Override
        public void watch(WatchRequest request, StreamObserver<MapUpdate> updates) {
            updates.onNext(UPDATE);
        }
    }

    @TempDir
    private Path folder;

    private TestAuthority authority;

    @BeforeEach
    void makeAuthority() throws IOException {
        authority = new TestAuthority(Files.createDirectory(folder.resolve("authority")));
    }

    private Path issued(String name, TestAuthority by, String names) {
        return TestAuthority.write(folder.resolve(name), by.issue(name, "EC", names));
    }

    private Transport peer(String name) throws IOException {
        return Transport.mutualTls(issued(name, authority, "dns:localhost,ip:127.0.0.1"));
    }

    private static MapUpdate ask(Transport client, RpcServer server) {
        try (Channels channels = new Channels(client)) {
            return MapWatchGrpc.newBlockingStub(channels.to(server.address()))
                    .withDeadlineAfter(20, TimeUnit.SECONDS)
                    .watch(WatchRequest.getDefaultInstance())
                    .next();
        }
    }

    private static void assertRefused(Transport client, RpcServer server) {
        assertThatThrownBy(() -> ask(client, server))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refused -> assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    }

    @Test
    void peersOfOneAuthorityTalk() throws IOException {
        try (Transport one = peer("one");
                Transport other = peer("other");
                RpcServer server = RpcServer.start(one, "127.0.0.1:0", new OneUpdate())) {
            assertThat(ask(other, server)).isEqualTo(UPDATE);
        }
    }

    @Test
    void whoShowsNoCertificateOrThatOfAnotherAuthorityIsRefused() throws IOException {
        TestAuthority another = new TestAuthority(Files.createDirectory(folder.resolve("another")));
        Path stranger = issued("stranger", another, "dns:localhost,ip:127.0.0.1");
        // A stranger who believes the authority, and is not vouched for by it.
        Files.copy(
                issued("one", authority, "dns:localhost,ip:127.0.0.1").resolve("ca.crt"),
                stranger.resolve("ca.crt"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        try (Transport own = Transport.mutualTls(folder.resolve("one"));
                Transport unknown = Transport.mutualTls(stranger);
                RpcServer server = RpcServer.start(own, "127.0.0.1:0", new OneUpdate())) {
            assertRefused(unknown, server);
            assertRefused(Transport.PLAIN, server);
            assertThat(ask(own, server)).isEqualTo(UPDATE);
        }
    }

    @Test
    void aServerWhoseCertificateNamesAnotherHostIsNotBelieved() throws IOException {
        try (Transport elsewhere = Transport.mutualTls(issued("elsewhere", authority, "dns:elsewhere"));
                Transport client = peer("client");
                RpcServer server = RpcServer.start(elsewhere, "127.0.0.1:0", new OneUpdate())) {
            assertRefused(client, server);
        }
    }

    @Test
    void aServerInTheClearIsNotBelieved() throws IOException {
        try (Transport client = peer("client");
                RpcServer server = RpcServer.start("127.0.0.1:0", new OneUpdate())) {
            assertRefused(client, server);
        }
    }

    @Test
    void aFolderWithoutAuthoritiesIsRefused() throws IOException {
        Path own = issued("own", authority, "ip:127.0.0.1");
        Files.delete(own.resolve("ca.crt"));

        assertThatThrownBy(() -> Transport.mutualTls(own))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ca.crt");
    }
}
