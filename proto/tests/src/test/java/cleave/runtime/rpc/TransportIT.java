package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.WatchRequest;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class TransportIT {
    private static final MapUpdate UPDATE =
            MapUpdate.newBuilder().setVersion(42).build();

    private static final Status REACHED = Status.ABORTED;
    private static final String OF_A_SERVER = "uri:spiffe://test.example/cleave/server";
    private static final String HERE = "dns:localhost,ip:127.0.0.1," + OF_A_SERVER;

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
        return peer(name, PeerRole.SERVER);
    }

    private Transport peer(String name, PeerRole role) throws IOException {
        return Transport.mutualTls(TestAuthority.write(folder.resolve(name), authority.issueFor(name, role)), role);
    }

    private static MapUpdate ask(Transport client, RpcServer server) {
        return ask(client, server.address());
    }

    private static MapUpdate ask(Transport client, String address) {
        try (Channels channels = new Channels(client)) {
            return MapWatchGrpc.newBlockingStub(channels.to(address))
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .watch(WatchRequest.getDefaultInstance())
                    .next();
        }
    }

    private static void assertRefused(Transport client, RpcServer server) {
        assertRefused(client, server.address());
    }

    private static void assertRefused(Transport client, String address) {
        assertThatThrownBy(() -> ask(client, address))
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
        Path stranger = issued("stranger", another, HERE);
        // A stranger who believes the authority, and is not vouched for by it.
        Files.copy(
                issued("one", authority, HERE).resolve("ca.crt"),
                stranger.resolve("ca.crt"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        try (Transport own = Transport.mutualTls(folder.resolve("one"), PeerRole.SERVER);
                Transport unknown = Transport.mutualTls(stranger, PeerRole.SERVER);
                RpcServer server = RpcServer.start(own, "127.0.0.1:0", new OneUpdate())) {
            assertRefused(unknown, server);
            assertRefused(Transport.PLAIN, server);
            assertThat(ask(own, server)).isEqualTo(UPDATE);
        }
    }

    @Test
    void aServerWhoseCertificateNamesAnotherHostIsNotBelieved() throws IOException {
        try (Transport elsewhere = Transport.mutualTls(
                        issued("elsewhere", authority, "dns:elsewhere," + OF_A_SERVER), PeerRole.SERVER);
                Transport client = peer("client");
                RpcServer server = RpcServer.start(elsewhere, "127.0.0.1:0", new OneUpdate())) {
            assertRefused(client, server);
        }
    }

    /** Such as a pod that has an address and no name: its certificate names what it is. */
    @Test
    void aServerIsKnownByTheNameThatItsAddressSays() throws IOException {
        try (Transport named = Transport.mutualTls(
                        issued("named", authority, "dns:cleave-server," + OF_A_SERVER), PeerRole.SERVER);
                Transport client = peer("client");
                RpcServer server = RpcServer.start(named, "127.0.0.1:0", new OneUpdate())) {
            assertThat(ask(client, server.address() + "/cleave-server")).isEqualTo(UPDATE);
            assertRefused(client, server.address() + "/cleave-master");
            assertRefused(client, server);
        }
    }

    @Test
    void aListenerHasNoOtherName() throws IOException {
        assertThatThrownBy(() -> Transport.PLAIN.checkListen("server.listen", "127.0.0.1:0/cleave-server"))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("setting server.listen is '127.0.0.1:0/cleave-server'")
                .hasMessageEndingWith("give host:port");
        try (RpcServer server = RpcServer.start("127.0.0.1:0", new OneUpdate())) {
            assertThat(ask(Transport.PLAIN, server.address() + "/any-name"))
                    .as("in the clear")
                    .isEqualTo(UPDATE);
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
        Path own = issued("own", authority, HERE);
        Files.delete(own.resolve("ca.crt"));

        assertThatThrownBy(() -> Transport.mutualTls(own, PeerRole.SERVER))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ca.crt");
    }

    /** All services, whose methods do nothing but say that they were reached. */
    private static BindableService[] everything() {
        Map<String, ServerServiceDefinition.Builder> services = new TreeMap<>();
        for (MethodDescriptor<?, ?> method : PermissionsTest.methods()) {
            String service = Objects.requireNonNull(method.getServiceName());
            add(services.computeIfAbsent(service, ServerServiceDefinition::builder), method);
        }
        return services.values().stream()
                .<BindableService>map(service -> service::build)
                .toArray(BindableService[]::new);
    }

    private static <Q, A> void add(ServerServiceDefinition.Builder service, MethodDescriptor<Q, A> method) {
        service.addMethod(method, (call, headers) -> {
            call.close(REACHED, new Metadata());
            return new ServerCall.Listener<Q>() {};
        });
    }

    private static <Q, A> Status.Code outcome(ManagedChannel channel, MethodDescriptor<Q, A> method) {
        CompletableFuture<Status> closed = new CompletableFuture<>();
        ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS));
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        closed.complete(status);
                    }
                },
                new Metadata());
        call.request(1);
        call.halfClose();
        return closed.join().getCode();
    }

    @Test
    void aCertificateIsGoodForTheCallsOfItsRoleAlone() throws IOException {
        try (Transport own = peer("everything");
                RpcServer server = RpcServer.start(own, "127.0.0.1:0", everything())) {
            for (PeerRole role : PeerRole.values()) {
                try (Transport client = peer(role.word(), role);
                        Channels channels = new Channels(client)) {
                    for (MethodDescriptor<?, ?> method : PermissionsTest.methods()) {
                        boolean permitted =
                                Permissions.callers(method.getFullMethodName()).contains(role);
                        assertThat(outcome(channels.to(server.address()), method))
                                .as("%s calls %s", role, method.getFullMethodName())
                                .isEqualTo(permitted ? REACHED.getCode() : Status.Code.PERMISSION_DENIED);
                    }
                }
            }
        }
    }

    @Test
    void aCertificateWithoutARoleMayCallNothing() throws IOException {
        TestAuthority.Issued roleless = authority.issue("roleless");
        try (Transport own = peer("everything");
                RpcServer server = RpcServer.start(own, "127.0.0.1:0", everything())) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .sslContext(GrpcSslContexts.forClient()
                            .keyManager(roleless.key(), roleless.certificate())
                            .trustManager(roleless.authority())
                            .build())
                    .build();
            try {
                for (MethodDescriptor<?, ?> method : PermissionsTest.methods()) {
                    assertThat(outcome(channel, method)).isEqualTo(Status.Code.PERMISSION_DENIED);
                }
            } finally {
                channel.shutdownNow();
            }
        }
    }

    @Test
    void inTheClearOneListensOnThisMachineAloneUnlessANetworkIsMeant() {
        for (String other : new String[] {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"}) {
            assertThatThrownBy(() -> RpcServer.start(other, new OneUpdate()))
                    .isInstanceOf(BadSetting.class)
                    .hasMessageContainingAll(other, "tls=DIR", "insecure-network=true");
        }
        RpcServer.start("127.0.0.1:0", new OneUpdate()).close();
        RpcServer.start("localhost:0", new OneUpdate()).close();
        RpcServer.start(Transport.INSECURE_NETWORK, "0.0.0.0:0", new OneUpdate())
                .close();
    }
}
