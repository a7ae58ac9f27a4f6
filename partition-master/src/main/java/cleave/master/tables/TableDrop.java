package cleave.master.tables;

import cleave.master.replication.Replication;
import cleave.master.servers.RangeCalls;
import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.DropDone;
import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import cleave.wire.DropReply;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.Status;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out one Delete Table: marks the registry row as deleting, has every range over the id's keys log the drop,
 * removes the registry row, and replicates that the drop is done. Confined to the master loop.
 *
 * <p>Every step may be repeated, by this leader or the next: the row is changed only while it holds this id, and under
 * its ETag; a range that has logged the drop logs nothing new; ids are never reused. The walk goes through the key
 * interval, asking the owner of the next key each time, until all of it has confirmed. Splits and merges on the way
 * lose nothing, because the parts of a split inherit the drop and a merge takes the union.
 */
final class TableDrop {
    private static final Logger LOG = LoggerFactory.getLogger(TableDrop.class);
    private static final long MILLI = 1_000_000;
    private static final Backoff BACKOFF = new Backoff(50 * MILLI, 2_000 * MILLI);
    private static final int FAILURES_BEFORE_WARNING = 10;

    private final Drop drop;
    private final EventLoop loop;
    private final RangeCalls calls;
    private final Replication replication;
    private final long callNanos;
    private final Consumer<TableDrop> done;
    private final Key registryKey;
    private boolean stopped;
    private int failures;

    TableDrop(
            Drop drop,
            EventLoop loop,
            RangeCalls calls,
            Replication replication,
            long callNanos,
            Consumer<TableDrop> done) {
        this.drop = drop;
        this.loop = loop;
        this.calls = calls;
        this.replication = replication;
        this.callNanos = callNanos;
        this.done = done;
        registryKey = Registry.key(drop.account(), drop.name());
    }

    /** The registry's entry of the table. */
    private record Found(Registry registry, long timestamp) {}

    Drop drop() {
        return drop;
    }

    void start() {
        loop.assertInside();
        LOG.info("table drop begins table={} account={} name={}", drop.table(), drop.account(), drop.name());
        mark();
    }

    /** Takes no further step: this master no longer leads, or the drop is done. */
    void stop() {
        loop.assertInside();
        stopped = true;
    }

    private void mark() {
        readRegistry(
                found -> {
                    if (found == null || found.registry().deleting()) {
                        walk(Key.beforeTable(drop.table()));
                        return;
                    }
                    WriteOperation merge = onRow(WriteKind.MERGE, found)
                            .setEntity(ByteString.copyFrom(EntityCodec.encode(Registry.markDeleting())))
                            .build();
                    write(merge, () -> walk(Key.beforeTable(drop.table())), this::mark);
                },
                this::mark);
    }

    private void walk(Key at) {
        call(calls.drop(at, drop.table(), deadline()), () -> walk(at), reply -> {
            KeyRange confirmed = confirmed(reply, at);
            if (confirmed == null) {
                again(() -> walk(at), message(reply.getStatus()));
            } else {
                onwards(confirmed.end());
            }
        });
    }

    /** The interval for which the drop is now logged; null if it does not contain the requested key. */
    private static @Nullable KeyRange confirmed(DropReply reply, Key at) {
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            return null;
        }
        KeyRange interval = KeyRange.fromWire(reply.getStart(), reply.getEnd());
        return interval != null && interval.contains(at) ? interval : null;
    }

    private void onwards(@Nullable Key next) {
        failures = 0;
        Key last = KeyRange.ofTable(drop.table()).end();
        if (next == null || (last != null && next.compareTo(last) >= 0)) {
            remove();
        } else {
            walk(next);
        }
    }

    private void remove() {
        readRegistry(
                found -> {
                    if (found == null) {
                        conclude();
                    } else {
                        WriteOperation delete = onRow(WriteKind.DELETE, found).build();
                        write(delete, this::conclude, this::remove);
                    }
                },
                this::remove);
    }

    private void conclude() {
        replication.propose(new DropDone(drop.table())).thenAccept(answer -> loop.submit(() -> concluded(answer)));
    }

    private void concluded(MasterAnswer answer) {
        if (stopped) {
            return;
        }
        if (answer.isOk()) {
            LOG.info("table drop done table={} account={} name={}", drop.table(), drop.account(), drop.name());
            stop();
            done.accept(this);
        } else {
            again(this::conclude, answer.code() + " " + answer.message());
        }
    }

    private WriteOperation.Builder onRow(WriteKind kind, Found found) {
        return WriteOperation.newBuilder()
                .setKind(kind)
                .setKey(registryKey.toWire())
                .setIfMatch(found.timestamp());
    }

    /** Reads the registry row and passes it on; null if there is none or it holds another id. */
    private void readRegistry(Consumer<@Nullable Found> reader, Runnable retry) {
        call(calls.read(registryKey, deadline()), retry, reply -> {
            ErrorCode code = reply.getStatus().getCode();
            if (code == ErrorCode.OK) {
                take(reply, reader, retry);
            } else if (code == ErrorCode.NOT_FOUND) {
                reader.accept(null);
            } else {
                again(retry, message(reply.getStatus()));
            }
        });
    }

    private void take(ReadReply reply, Consumer<@Nullable Found> reader, Runnable retry) {
        Entity entity;
        Registry registry;
        try {
            entity = EntityCodec.decode(reply.getEntity().toByteArray());
            registry = Registry.of(entity);
        } catch (Damaged damaged) {
            again(retry, String.valueOf(damaged));
            return;
        }
        boolean same = registry != null && registry.id() == drop.table();
        reader.accept(registry != null && same ? new Found(registry, entity.timestamp()) : null);
    }

    /** After a refusal or an unknown outcome the row is read again. */
    private void write(WriteOperation operation, Runnable written, Runnable retry) {
        call(calls.write(operation, deadline()), retry, (WriteReply reply) -> {
            if (reply.getStatus().getCode() == ErrorCode.OK) {
                written.run();
            } else {
                again(retry, message(reply.getStatus()));
            }
        });
    }

    private <T> void call(CompletableFuture<T> reply, Runnable retry, Consumer<T> next) {
        reply.whenComplete((value, failure) -> loop.submit(() -> {
            if (stopped) {
                return;
            }
            if (failure != null) {
                again(retry, String.valueOf(failure));
            } else {
                next.accept(value);
            }
        }));
    }

    private void again(Runnable step, String reason) {
        failures++;
        if (failures % FAILURES_BEFORE_WARNING == 0) {
            LOG.warn("table drop waits table={} failures={} reason={}", drop.table(), failures, reason);
        }
        loop.schedule(BACKOFF.nanos(failures), () -> {
            if (!stopped) {
                step.run();
            }
        });
    }

    private long deadline() {
        return loop.nanos() + callNanos;
    }

    private static String message(Status status) {
        return status.getCode() + " " + status.getMessage();
    }
}
