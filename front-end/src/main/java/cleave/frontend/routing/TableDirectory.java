package cleave.frontend.routing;

import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.odata.TableName;
import cleave.frontend.tracing.RequestTrace;
import cleave.model.AccountNumber;
import cleave.model.Key;
import cleave.model.RequestId;
import cleave.model.entity.EntityCodec;
import cleave.model.table.AccessPolicy;
import cleave.model.table.Registry;
import cleave.route.RangeClient;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds tables in the registry, and caches those that exist. Confined to its loop.
 *
 * <p>A cached entry is valid for a while; a range that answers "dropped" evicts it at once. That a table is absent or being deleted is
 * never cached, so a table can be used through any front end as soon as it is created.
 */
public final class TableDirectory {
    /** A request whose table is dropped and created again this often is answered ServerBusy. */
    private static final int ATTEMPTS = 4;
    /** The span in which a table is found. */
    private static final String ROUTE = "route";

    private final EventLoop loop;
    private final RangeClient ranges;
    private final RecentReads<Key, Registry> memory;

    /** @param max tables cached */
    public TableDirectory(EventLoop loop, RangeClient ranges, long trustNanos, int max) {
        this.loop = loop;
        this.ranges = ranges;
        this.memory = new RecentReads<>(loop, trustNanos, max);
    }

    /**
     * Does work on the table of this name, if the grant of the caller permits it. If a range says that the table was dropped, the registry is read again,
     * and the work done again on the table that has the name now: an answer "dropped" means that nothing was executed.
     *
     * <p>The check runs twice: before the lookup with the most that the caller's grant can permit, so that a caller learns nothing about
     * tables it cannot access; and after it with the policies of that very table, which a later table of the same name does not inherit.
     *
     * @param check throws if a grant does not permit the work
     */
    <T> CompletableFuture<T> with(
            Caller caller, String name, Consumer<Grant> check, BiFunction<Registry, Grant, CompletableFuture<T>> work) {
        loop.assertInside();
        try {
            check.accept(caller.grant());
            return new Use<>(caller, key(caller.account(), name), check, work).begin();
        } catch (ServiceError refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** One request's work on the table that has a name, which may be another table after each drop. */
    private final class Use<T> {
        private final Caller caller;
        private final Key key;
        private final Consumer<Grant> check;
        private final BiFunction<Registry, Grant, CompletableFuture<T>> work;
        private int readsLeft = ATTEMPTS;
        /** The table that the work was last done on; 0 if there is none. */
        private long tableId;

        Use(Caller caller, Key key, Consumer<Grant> check, BiFunction<Registry, Grant, CompletableFuture<T>> work) {
            this.caller = caller;
            this.key = key;
            this.check = check;
            this.work = work;
        }

        CompletableFuture<T> begin() {
            RequestTrace trace = caller.trace();
            long began = trace == null ? 0 : trace.now();
            Registry known = memory.recall(key);
            if (known == null) {
                return readAndWork();
            }
            if (trace != null) {
                trace.spent(ROUTE, began, trace.now());
            }
            return workOn(known);
        }

        private CompletableFuture<T> readAndWork() {
            if (readsLeft == 0) {
                return CompletableFuture.failedFuture(ServiceError.of(ServiceCode.SERVER_BUSY));
            }
            readsLeft--;
            RequestTrace trace = caller.trace();
            if (trace == null) {
                return read(key, null, caller.deadlineNanos()).thenCompose(this::workOnRead);
            }
            int route = trace.begin(ROUTE);
            return read(key, trace, caller.deadlineNanos())
                    .whenComplete((table, failure) -> trace.end(route))
                    .thenCompose(this::workOnRead);
        }

        private CompletableFuture<T> workOnRead(Optional<Registry> read) {
            Registry table = usable(read);
            return table.id() == tableId ? CompletableFuture.failedFuture(notFound()) : workOn(table);
        }

        private CompletableFuture<T> workOn(Registry table) {
            tableId = table.id();
            return permitted(table).exceptionallyCompose(this::failed);
        }

        private CompletableFuture<T> permitted(Registry table) {
            try {
                Grant grant = caller.grant().under(table.policies(), loop.ticks());
                if (!grant.equals(caller.grant())) {
                    check.accept(grant);
                }
                return work.apply(table, grant);
            } catch (ServiceError refused) {
                return CompletableFuture.failedFuture(refused);
            }
        }

        private CompletableFuture<T> failed(Throwable failure) {
            if (!(EventLoop.cause(failure) instanceof TableDropped)) {
                return CompletableFuture.failedFuture(failure);
            }
            memory.forget(key);
            return readAndWork();
        }
    }

    /**
     * Checks the cached table of this name and, if that fails, the current one, so that no refusal results from a stale entry. Each refused request costs one read.
     */
    public CompletableFuture<Void> judged(
            String account, String name, long deadlineNanos, Consumer<Registry> judgement) {
        loop.assertInside();
        try {
            Key key = key(account, name);
            Registry known = memory.recall(key);
            return known != null && passes(judgement, known)
                    ? CompletableFuture.completedFuture(null)
                    : read(key, null, deadlineNanos).thenAccept(table -> judgement.accept(usable(table)));
        } catch (ServiceError notFound) {
            return CompletableFuture.failedFuture(notFound);
        }
    }

    private static boolean passes(Consumer<Registry> judgement, Registry table) {
        try {
            judgement.accept(table);
            return true;
        } catch (RuntimeException refusal) {
            return false;
        }
    }

    private static Key key(String account, String name) {
        if (!TableName.isLegal(name)) {
            throw notFound();
        }
        return Registry.key(account, name);
    }

    private static Registry usable(Optional<Registry> read) {
        Registry table = read.orElse(null);
        if (table == null || table.deleting()) {
            throw notFound();
        }
        return table;
    }

    /** Reads a table's registry entry now; nothing if there is none. Caches a table that can be used. */
    public CompletableFuture<Optional<Registry>> read(String account, String name, long deadlineNanos) {
        loop.assertInside();
        return read(Registry.key(account, name), null, deadlineNanos);
    }

    private CompletableFuture<Optional<Registry>> read(Key key, @Nullable RequestTrace trace, long deadlineNanos) {
        return ranges.read(AccountNumber.NOBODY, RequestId.NONE, trace, key, deadlineNanos)
                .thenApply(reply -> {
                    Registry table = table(reply);
                    if (table == null || table.deleting()) {
                        memory.forget(key);
                    } else {
                        memory.remember(key, table);
                    }
                    return Optional.ofNullable(table);
                });
    }

    /** Adds an entry; refused with EntityAlreadyExists if the name has one. */
    public CompletableFuture<Void> insert(String account, Registry table, long deadlineNanos) {
        loop.assertInside();
        Key key = Registry.key(account, table.name());
        WriteOperation insert = EntityWrite.toWire(WriteKind.INSERT, key, table.toEntity(), null);
        return ranges.write(List.of(insert), deadlineNanos).thenAccept(reply -> {
            if (reply.getStatus().getCode() != ErrorCode.OK) {
                throw WireErrors.ofRange(reply.getStatus());
            }
            memory.remember(key, table);
        });
    }

    /** Replaces a table's access policies. A table that is deleted meanwhile stays deleted, and a new one of its name gets none of them. */
    public CompletableFuture<Void> replacePolicies(
            String account, String name, List<AccessPolicy> policies, long deadlineNanos) {
        loop.assertInside();
        return replacePolicies(Registry.key(account, name), policies, deadlineNanos, ATTEMPTS);
    }

    private CompletableFuture<Void> replacePolicies(
            Key key, List<AccessPolicy> policies, long deadlineNanos, int attempts) {
        if (attempts == 0) {
            return CompletableFuture.failedFuture(ServiceError.of(ServiceCode.SERVER_BUSY));
        }
        return ranges.read(key, deadlineNanos).thenCompose(reply -> {
            Registry table = table(reply);
            if (table == null || table.deleting()) {
                throw ServiceError.of(ServiceCode.RESOURCE_NOT_FOUND);
            }
            WriteOperation merge = EntityWrite.toWire(
                    WriteKind.MERGE,
                    key,
                    Registry.replacePolicies(policies),
                    EntityCodec.timestamp(reply.getEntity().toByteArray()));
            return ranges.write(List.of(merge), deadlineNanos).thenCompose(written -> {
                memory.forget(key);
                if (written.getStatus().getCode() == ErrorCode.CONDITION_FAILED) {
                    return replacePolicies(key, policies, deadlineNanos, attempts - 1);
                }
                if (written.getStatus().getCode() != ErrorCode.OK) {
                    throw WireErrors.ofRange(written.getStatus());
                }
                return CompletableFuture.completedFuture(null);
            });
        });
    }

    private static @Nullable Registry table(ReadReply reply) {
        if (reply.getStatus().getCode() == ErrorCode.NOT_FOUND) {
            return null;
        }
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            throw WireErrors.ofRange(reply.getStatus());
        }
        Registry table = Registry.of(EntityCodec.decode(reply.getEntity().toByteArray()));
        if (table == null) {
            throw new IllegalStateException("the registry holds an entity that is no table");
        }
        return table;
    }

    public void forget(String account, String name) {
        loop.assertInside();
        memory.forget(Registry.key(account, name));
    }

    private static ServiceError notFound() {
        return ServiceError.of(ServiceCode.TABLE_NOT_FOUND);
    }
}
