package cleave.server;

import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.runtime.loop.ManualLoop;
import cleave.server.membership.Membership;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Readers;
import cleave.server.outside.StoreException;
import cleave.server.policy.AnswerOrder;
import cleave.server.range.AccountShares;
import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.server.settings.RangeSettings;
import cleave.server.store.InMemoryStores;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import io.prometheus.client.CollectorRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One partition server's core in a {@link Cluster}, and what a test says to it. Confined to the test's thread. */
final class Node {
    final String id;
    final ManualLoop loop;
    final Directory directory;
    final AccountShares memory;
    final InMemoryStores stores;
    final CollectorRegistry registry = new CollectorRegistry();
    final ServerMetrics metrics = new ServerMetrics(registry);
    /** Scans pause as often as they can. */
    boolean scansMakeWay;
    /** How long a scan waits for a thread. */
    long readersBusyNanos;

    final Membership membership;
    private final InMemoryDfs dfs;

    Node(String id, Cluster cluster, RangeSettings settings) {
        this.id = id;
        this.loop = cluster.loop;
        this.dfs = cluster.dfs;
        this.stores = new InMemoryStores(cluster.dfs);
        Readers readers = new Readers() {
            @Override
            public <T> @Nullable CompletableFuture<T> submit(int account, Scan<T> scan) {
                CompletableFuture<T> walk = new CompletableFuture<>();
                if (readersBusyNanos == 0) {
                    goOn(scan, walk);
                } else {
                    loop.schedule(readersBusyNanos, () -> goOn(scan, walk));
                }
                return walk;
            }

            private <T> void goOn(Scan<T> scan, CompletableFuture<T> walk) {
                T end;
                try {
                    end = scan.go(now -> scansMakeWay);
                } catch (StoreException failure) {
                    walk.completeExceptionally(failure);
                    return;
                }
                if (end == null) {
                    loop.submit(() -> goOn(scan, walk));
                } else {
                    walk.complete(end);
                }
            }
        };
        ServerCore core = ServerCore.of(
                loop,
                new Membership.Self(id, 200_000_000, 8, settings, cluster.scrub),
                new Membership.Outside(
                        dfs,
                        cluster.linkOf(id),
                        cluster.targetsOf(id),
                        stores,
                        readers,
                        metrics,
                        List.of(loop),
                        AnswerOrder.OF_THE_LOG));
        this.directory = core.directory();
        this.memory = core.memory();
        this.membership = core.membership();
    }

    /** The only range that it serves. */
    Range range() {
        List<Range> all = ranges();
        if (all.size() != 1) {
            throw new AssertionError(id + " serves " + all);
        }
        return all.get(0);
    }

    List<Range> ranges() {
        java.util.ArrayList<Range> all = new java.util.ArrayList<>();
        directory.all().forEach(all::add);
        return all;
    }

    private static Route route(Range range) {
        return Route.newBuilder()
                .setRange(range.ownership().range())
                .setEpoch(range.ownership().epoch())
                .build();
    }

    // A request is sent to the range that it held at that time; answers come when the loop is turned.

    static Key key(String row) {
        return Key.of(7, "p", row);
    }

    static byte[] entity(String value) {
        return EntityCodec.encode(new Entity(0, List.of(new Property("V", EdmType.STRING, value))));
    }

    static WriteOperation op(WriteKind kind, Key key, @Nullable String value) {
        WriteOperation.Builder operation =
                WriteOperation.newBuilder().setKind(kind).setKey(key.toWire());
        if (value != null) {
            operation.setEntity(com.google.protobuf.ByteString.copyFrom(entity(value)));
        }
        return operation.build();
    }

    static Answer<WriteReply> send(Range range, WriteOperation... operations) {
        return send(range, 0, operations);
    }

    static Answer<WriteReply> send(Range range, int deadlineMillis, WriteOperation... operations) {
        Answer<WriteReply> answer = new Answer<>();
        range.requests()
                .write(
                        WriteRequest.newBuilder()
                                .setRoute(route(range))
                                .addAllOperations(List.of(operations))
                                .setDeadlineMillis(deadlineMillis)
                                .build(),
                        answer);
        return answer;
    }

    static Answer<ReadReply> read(Range range, Key key) {
        Answer<ReadReply> answer = new Answer<>();
        range.requests()
                .read(
                        ReadRequest.newBuilder()
                                .setRoute(route(range))
                                .setKey(key.toWire())
                                .build(),
                        answer);
        return answer;
    }

    static Answer<ScanReply> scan(Range range, ScanRequest.Builder request) {
        Answer<ScanReply> answer = new Answer<>();
        range.requests().scan(request.setRoute(route(range)).build(), answer);
        return answer;
    }

    static Answer<DropReply> drop(Range range, long table) {
        Answer<DropReply> answer = new Answer<>();
        range.requests()
                .drop(
                        DropRequest.newBuilder()
                                .setRoute(route(range))
                                .setTable(table)
                                .build(),
                        answer);
        return answer;
    }

    /** Sends it as {@link #send} does, and waits for the answer. */
    WriteReply write(WriteKind kind, Key key, @Nullable String value) {
        Answer<WriteReply> answer = send(rangeOf(key), op(kind, key, value));
        loop.runReady();
        return answer.get();
    }

    ErrorCode put(String row, String value) {
        return write(WriteKind.INSERT_OR_REPLACE, key(row), value).getStatus().getCode();
    }

    /** The value of an entity; null if there is none; an error code in capitals if it could not be read. */
    @Nullable
    String value(String row) {
        return value(key(row));
    }

    @Nullable
    String value(Key key) {
        Answer<ReadReply> answer = read(rangeOf(key), key);
        loop.runReady();
        return valueOf(answer.get());
    }

    static @Nullable String valueOf(ReadReply reply) {
        if (reply.getStatus().getCode() == ErrorCode.NOT_FOUND) {
            return null;
        }
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            return reply.getStatus().getCode().name();
        }
        Property property = EntityCodec.decode(reply.getEntity().toByteArray()).property("V");
        return property == null ? "" : property.value().toString();
    }

    Range rangeOf(Key key) {
        for (Range range : directory.all()) {
            if (range.ownership().holds(key)) {
                return range;
            }
        }
        throw new AssertionError(id + " does not serve " + key);
    }

    /** The newest commit log of the only range. */
    String logPath() {
        List<String> logs = dfs.paths("-log-");
        return logs.get(logs.size() - 1);
    }
}
