package cleave.frontend.routing;

import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Right;
import cleave.frontend.protocol.odata.ContinuationToken;
import cleave.frontend.protocol.odata.PageSink;
import cleave.frontend.protocol.odata.QueryOptions;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.Status;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entities of named tables: point reads, writes of one partition, pages of queries. Confined to its loop. Futures fail with a
 * {@link ServiceError}; any other failure is a bug. The caller's grant is enforced here.
 */
public final class EntityStore {
    private final PageScan.Outside outside;
    private final EventLoop loop;
    private final TableDirectory tables;

    public EntityStore(PageScan.Outside outside, TableDirectory tables) {
        this.outside = outside;
        this.loop = outside.loop();
        this.tables = tables;
    }

    /** An entity as stored. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record Stored(Key key, byte[] entity) {}

    public CompletableFuture<Stored> read(Caller caller, String table, String partitionKey, String rowKey) {
        loop.assertInside();
        Consumer<Grant> check = grant -> {
            grant.check(Right.QUERY, table);
            grant.checkKeys(Right.QUERY, partitionKey, rowKey);
        };
        caller.cost().classify(QueryClass.POINT);
        return tables.with(caller, table, check, (found, grant) -> {
            caller.cost().concerns(found.name());
            Key key = Key.of(found.id(), partitionKey, rowKey);
            long asked = loop.nanos();
            return outside.ranges()
                    .read(caller.number(), caller.id(), caller.trace(), key, caller.deadlineNanos())
                    .thenApply(reply -> {
                        caller.cost().waited(loop.nanos() - asked, reply.getQueueMicros(), reply.getDfsMicros());
                        return stored(caller.cost(), key, reply);
                    });
        });
    }

    private Stored stored(RequestCost cost, Key key, ReadReply reply) {
        cost.called(outside.map().current().lookup(key));
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            noteThrottled(cost, reply.getStatus());
            throw WireErrors.ofRange(reply.getStatus());
        }
        cost.read(1, 1);
        cost.answered(1);
        return new Stored(key, reply.getEntity().toByteArray());
    }

    /**
     * Writes entities of one partition, all or none; returns their timestamps in ticks. A refusal carries the index of the refused
     * write as its {@linkplain ServiceError#operation() operation}.
     */
    public CompletableFuture<List<Long>> write(Caller caller, List<EntityWrite> writes) {
        loop.assertInside();
        return tables.with(caller, writes.get(0).table(), grant -> EntityWrite.check(grant, writes), (found, grant) -> {
            caller.cost().concerns(found.name());
            List<WriteOperation> operations = new ArrayList<>(writes.size());
            for (EntityWrite write : writes) {
                operations.add(write.toWire(found.id()));
            }
            long asked = loop.nanos();
            return outside.ranges()
                    .write(caller.number(), caller.id(), caller.trace(), operations, caller.deadlineNanos())
                    .thenApply(reply -> {
                        caller.cost().waited(loop.nanos() - asked, reply.getQueueMicros(), reply.getDfsMicros());
                        return timestamps(caller, Key.fromWire(operations.get(0).getKey()), writes.size(), reply);
                    });
        });
    }

    private List<Long> timestamps(Caller caller, Key key, int writes, WriteReply reply) {
        RequestCost cost = caller.cost();
        cost.called(outside.map().current().lookup(key));
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            noteThrottled(cost, reply.getStatus());
            RuntimeException error = WireErrors.ofRange(reply.getStatus(), caller.id());
            throw error instanceof ServiceError refusal && isOfOneOperation(reply)
                    ? refusal.ofOperation(reply.getFailedOperation(), writes)
                    : error;
        }
        if (reply.getTimestampsCount() != writes) {
            throw new IllegalStateException(reply.getTimestampsCount() + " timestamps for " + writes + " writes");
        }
        cost.wrote(writes);
        return reply.getTimestampsList();
    }

    private static void noteThrottled(RequestCost cost, Status status) {
        if (status.getCode() == ErrorCode.THROTTLED) {
            cost.throttled();
        }
    }

    private static boolean isOfOneOperation(WriteReply reply) {
        return switch (reply.getStatus().getCode()) {
            case ALREADY_EXISTS, NOT_FOUND, CONDITION_FAILED, ENTITY_TOO_LARGE, TOO_MANY_PROPERTIES -> true;
            default -> false;
        };
    }

    /**
     * A page and where the next one begins.
     *
     * @param unreadable what a salvage passed over, ascending; null if it is none
     */
    public record PageOf<R>(
            R rows,
            Optional<ContinuationToken> next,
            @Nullable List<KeyRange> unreadable) {}

    /**
     * One page of a query of entities.
     *
     * @param salvages passes over entities that cannot be read: the page says where they are
     * @param rows makes the receiver of the page's entities; called again if the page restarts on a new table of that name
     */
    public <R extends PageSink> CompletableFuture<PageOf<R>> query(
            Caller caller, String table, QueryOptions options, boolean salvages, Supplier<R> rows) {
        return tables.with(caller, table, grant -> grant.check(Right.QUERY, table), (found, grant) -> {
            caller.cost().concerns(found.name());
            QueryPlan plan =
                    narrowed(QueryPlan.ofEntities(found.id(), options.filter(), options.continuation()), grant);
            R page = rows.get();
            PageScan scan = scan(caller, plan, options.selection().names(), options.top(), page, salvages);
            return run(scan, page, ContinuationToken::ofEntities).thenApply(its -> salvages ? telling(its, scan) : its);
        });
    }

    private static <R> PageOf<R> telling(PageOf<R> page, @Nullable PageScan scan) {
        return new PageOf<>(page.rows(), page.next(), scan == null ? List.of() : scan.unreadable());
    }

    private static QueryPlan narrowed(QueryPlan plan, Grant grant) {
        KeyRange range = plan.range();
        return range == null ? plan : plan.on(grant.narrowed(range));
    }

    /** One page of the list of an account's tables. */
    public <R extends PageSink> CompletableFuture<PageOf<R>> listTables(Caller caller, QueryOptions options, R rows) {
        QueryPlan plan = QueryPlan.ofTables(caller.account(), options.filter(), options.continuation());
        return run(scan(caller, plan, List.of(), options.top(), rows, false), rows, ContinuationToken::ofTables);
    }

    /** Null if there is nothing to examine. */
    private @Nullable PageScan scan(
            Caller caller, QueryPlan plan, List<String> select, int top, PageSink rows, boolean salvages) {
        loop.assertInside();
        caller.cost().classify(plan.queryClass());
        KeyRange range = plan.range();
        return top == 0 || range == null
                ? null
                : new PageScan(outside, caller, range, plan.filter(), select, top, rows, salvages);
    }

    private static <R> CompletableFuture<PageOf<R>> run(
            @Nullable PageScan scan, R rows, Function<Key, ContinuationToken> token) {
        return scan == null
                ? CompletableFuture.completedFuture(new PageOf<>(rows, Optional.empty(), null))
                : scan.run().thenApply(next -> new PageOf<>(rows, next.map(token), null));
    }
}
