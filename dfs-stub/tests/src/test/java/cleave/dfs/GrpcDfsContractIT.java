package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.settings.DfsNodeConfig;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Link;
import cleave.runtime.rpc.TestPorts;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The networked form: clients and a node over gRPC. */
final class GrpcDfsContractIT extends DfsContract {
    private final List<Dfs> clients = new ArrayList<>();
    private @Nullable DfsNode node;
    private String address = "127.0.0.1:" + TestPorts.free();

    private void startNode() throws IOException {
        DfsNode started = new DfsNode(config(address, folder), metrics(), GrpcDfsContractIT::fail);
        started.start();
        node = started;
        address = started.address();
    }

    private DfsNodeConfig config(String listen, Path dir) {
        return new DfsNodeConfig("n1", listen, dir.toString(), 0, 1 << 20, 256 << 10, spaceReserve);
    }

    private static void fail(Throwable fault) {
        throw new AssertionError(fault);
    }

    @Override
    protected Dfs open() throws IOException {
        if (node == null) {
            startNode();
        }
        return openAnother();
    }

    @Override
    protected Dfs openAnother() {
        Dfs client = DfsClients.open("dfs:" + address, metrics());
        clients.add(client);
        return client;
    }

    @Override
    protected void stop() {
        clients.forEach(Dfs::close);
        clients.clear();
        stopNode();
    }

    private void stopNode() {
        if (node != null) {
            node.close();
            node = null;
        }
    }

    @Test
    void appendsAndBarriersGoOnByThemselvesOverRestartsOfTheNode() throws IOException {
        Dfs dfs = clients.get(0);
        List<DfsFile> files = new ArrayList<>();
        List<List<CompletableFuture<Long>>> appends = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            files.add(get(dfs.create("log-" + i)));
            appends.add(new ArrayList<>());
        }
        List<CompletableFuture<Void>> barriers = new ArrayList<>();
        for (int restart = 0; restart < 5; restart++) {
            appendToAll(files, appends, 100);
            stopNode();
            appendToAll(files, appends, 50);
            files.forEach(file -> barriers.add(file.barrier()));
            startNode();
            appendToAll(files, appends, 50);
        }

        barriers.forEach(this::get);
        for (int i = 0; i < files.size(); i++) {
            ByteString all = ByteString.EMPTY;
            for (int n = 0; n < appends.get(i).size(); n++) {
                all = all.concat(bytes(n, size(n)));
                assertThat(get(appends.get(i).get(n))).isEqualTo(all.size());
            }
            assertThat(get(dfs.read("log-" + i, 0, 100 << 20))).isEqualTo(all);
            assertThat(get(dfs.seal("log-" + i))).isEqualTo(all.size());
            assertFails(files.get(i).barrier(), Reason.SEALED);
        }
    }

    private static int size(int number) {
        return number % 61 == 0 ? 300_000 : 200 + number;
    }

    private static void appendToAll(List<DfsFile> files, List<List<CompletableFuture<Long>>> appends, int count) {
        for (int n = 0; n < count; n++) {
            for (int i = 0; i < files.size(); i++) {
                int number = appends.get(i).size();
                appends.get(i).add(files.get(i).append(bytes(number, size(number))));
            }
        }
    }

    @Test
    void callsAreUnavailableWhileTheNodeIsGoneAndAppendsWait() throws IOException {
        Dfs impatient = DfsClients.open("dfs:" + address, metrics(), TimeUnit.MILLISECONDS.toNanos(300));
        clients.add(impatient);
        DfsFile file = get(impatient.create("log"));
        stopNode();

        CompletableFuture<Long> append = file.append(text("abc"));
        assertFails(impatient.seal("log"), Reason.UNAVAILABLE);
        assertFails(impatient.stat("log"), Reason.UNAVAILABLE);
        assertFails(impatient.create("log-2"), Reason.UNAVAILABLE);
        assertThat(get(impatient.probe()).ready()).isFalse();
        assertThat(append).isNotDone();
        startNode();

        assertThat(get(append)).isEqualTo(3);
    }

    @Test
    void aFailedCallSaysWhyNoNodeIsReached() {
        stopNode();
        Dfs impatient = DfsClients.open("dfs:" + address, metrics(), TimeUnit.MILLISECONDS.toNanos(300));
        clients.add(impatient);
        // The first attempt may still be under way.
        Await.until(
                "a reason",
                () -> impatient
                        .stat("log")
                        .handle((info, failure) -> String.valueOf(failure))
                        .join()
                        .contains("no node was reached yet (UNAVAILABLE: java.net.ConnectException: "));
    }

    @Test
    void aFileSealedWhileItsWriterWasCutOffRefusesAppends() throws IOException {
        DfsFile file = get(clients.get(0).create("log"));
        get(file.append(text("abc")));
        stopNode();
        CompletableFuture<Long> late = file.append(text("late"));
        startNodeAndSeal("log");

        assertThat(get(openAnother().stat("log")).sealed()).isTrue();
        long sealed = get(openAnother().seal("log"));
        try {
            assertThat(get(late)).isEqualTo(7).isEqualTo(sealed);
        } catch (DfsException refused) {
            assertThat(refused.reason()).isEqualTo(Reason.SEALED);
            assertThat(sealed).isEqualTo(3);
        }
        assertFails(file.barrier(), Reason.SEALED);
    }

    private void startNodeAndSeal(String path) throws IOException {
        startNode();
        get(openAnother().seal(path));
    }

    @Test
    void anotherDiskAtTheAddressIsNotUsed() throws IOException {
        Dfs impatient = DfsClients.open("dfs:" + address, metrics(), TimeUnit.MILLISECONDS.toNanos(500));
        clients.add(impatient);
        DfsFile file = get(impatient.create("log"));
        get(file.append(text("abc")));
        stopNode();
        Path mine = folder;
        folder = mine.resolve("other");
        startNode();
        CompletableFuture<Long> append = file.append(text("def"));

        assertFails(impatient.create("log-2"), Reason.UNAVAILABLE);
        assertThat(append).isNotDone();
        awaitAnotherDisk(impatient);
        stopNode();
        folder = mine;
        startNode();

        assertThat(get(append)).isEqualTo(6);
        assertThat(get(impatient.probe()).missing()).isEmpty();
    }

    /** The name led to another node for a while. That one stays up, and keeps the client's connection. */
    @Test
    void aClientThatMetAnotherDiskLooksTheAddressUpAgainWhileThatNodeStays() throws IOException {
        try (Link link = new Link(Address.parse(address).port())) {
            Dfs client = DfsClients.open("dfs:127.0.0.1:" + link.port(), metrics());
            clients.add(client);
            DfsFile file = get(client.create("log"));
            get(file.append(text("abc")));

            DfsNodeConfig other = config("127.0.0.1:0", folder.resolve("other"));
            try (DfsNode stranger = new DfsNode(other, metrics(), GrpcDfsContractIT::fail)) {
                stranger.start();
                link.leadTo(Address.parse(stranger.address()).port());
                stopNode();
                awaitAnotherDisk(client);
                CompletableFuture<Long> append = file.append(text("def"));
                startNode();
                link.leadTo(Address.parse(address).port());

                assertThat(get(append)).isEqualTo(6);
            }
        }
    }

    private void awaitAnotherDisk(Dfs client) {
        Await.until("another disk", () -> get(client.probe()).missing().contains("another disk"));
    }

    @Test
    void aNodeIsReadyWhenItHasSyncedSomething() throws IOException {
        DfsNode started = Objects.requireNonNull(node);
        get(openAnother().probe());

        assertThat(started.readiness().missing()).isEmpty();
        started.close();
        assertThat(started.readiness().ready()).isFalse();
    }
}
