package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ContinuationToken;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.PageSink;
import cleave.frontend.protocol.odata.Prefer;
import cleave.frontend.protocol.odata.QueryOptions;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Selection;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.odata.TableName;
import cleave.frontend.request.AdmittedRequest;
import cleave.frontend.request.Answer;
import cleave.frontend.request.PayloadFormats;
import cleave.frontend.routing.Caller;
import cleave.frontend.routing.EntityStore;
import cleave.frontend.routing.EntityStore.PageOf;
import cleave.frontend.routing.QueryPlan;
import cleave.frontend.routing.TableDirectory;
import cleave.frontend.routing.WireErrors;
import cleave.frontend.tracing.RequestTrace;
import cleave.model.Key;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.FilterEvaluator;
import cleave.model.table.Registry;
import cleave.runtime.loop.EventLoop;
import cleave.wire.AllocateReply;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Answers requests for tables. Confined to its loop.
 *
 * <p>Creating a table is an insert into the registry, with an id from the masters. The masters delete tables, because a deletion must
 * complete even if this process fails.
 */
public final class TableRequests {
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NO_CONTENT = 204;

    private final TableDirectory tables;
    private final EntityStore store;
    private final TableMaster master;

    public TableRequests(TableDirectory tables, EntityStore store, TableMaster master) {
        this.tables = tables;
        this.store = store;
        this.master = master;
    }

    public CompletableFuture<Answer> create(Caller caller, AdmittedRequest admission, Body body) {
        Headers headers = admission.request().headers();
        PayloadFormats formats = admission.formats();
        Prefer prefer = Prefer.parse(headers.first("Prefer"));
        formats.checkType(headers);
        AnswerFormat format =
                prefer.wantsContent() ? formats.negotiate(admission.query(), headers, false) : MetadataLevel.MINIMAL;
        String name = formats.tableName(headers, body);
        // The registry first: most requests to create a table are for tables that exist, and need no master.
        return tables.read(caller.account(), name, caller.deadlineNanos())
                .thenCompose(before -> before.isPresent() ? refuseTaken(before) : insert(caller, name))
                .thenApply(nothing -> created(admission.base(), format, prefer, name));
    }

    private CompletableFuture<Void> insert(Caller caller, String name) {
        return RequestTrace.within(
                        caller.trace(),
                        "master allocate-table-ids",
                        () -> master.allocateTableIds(1, caller.deadlineNanos()))
                .thenCompose(reply -> tables.insert(
                        caller.account(), new Registry(allocated(reply), name, false), caller.deadlineNanos()))
                .exceptionallyCompose(failure -> wasTaken(failure)
                        ? tables.read(caller.account(), name, caller.deadlineNanos())
                                .thenCompose(TableRequests::refuseTaken)
                        : CompletableFuture.failedFuture(failure));
    }

    private static long allocated(AllocateReply reply) {
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            throw WireErrors.ofAllocation(reply.getStatus());
        }
        return reply.getFirst();
    }

    /** Another request was faster. */
    private static boolean wasTaken(Throwable failure) {
        return EventLoop.cause(failure) instanceof ServiceError error
                && error.code() == ServiceCode.ENTITY_ALREADY_EXISTS;
    }

    private static CompletableFuture<Void> refuseTaken(Optional<Registry> table) {
        boolean exists = table.isPresent() && !table.get().deleting();
        return CompletableFuture.failedFuture(
                ServiceError.of(exists ? ServiceCode.TABLE_ALREADY_EXISTS : ServiceCode.TABLE_BEING_DELETED));
    }

    private static Answer created(BaseUri base, AnswerFormat format, Prefer prefer, String name) {
        String location = base.ofTable(name);
        Answer answer = prefer.wantsContent()
                ? Answer.of(CREATED, format.table(base, Selection.ALL, name))
                : Answer.of(NO_CONTENT).with("DataServiceId", location);
        return answer.with("Location", location).with("Preference-Applied", prefer.applied());
    }

    public CompletableFuture<Answer> get(
            Caller caller, BaseUri base, QueryString query, AnswerFormat format, String name) {
        QueryOptions options = QueryOptions.ofPointGet(query);
        QueryPlan list = QueryPlan.ofTables(caller.account(), options.filter(), null);
        return existing(caller, name).thenApply(table -> {
            if (!isIn(list, caller.account(), table)) {
                throw notFound();
            }
            return Answer.of(OK, format.table(base, options.selection(), table.name()));
        });
    }

    /** False also of a table that is being deleted. */
    private static boolean isIn(QueryPlan list, String account, Registry table) {
        return list.range() != null
                && list.filter() != null
                && FilterEvaluator.matches(
                        list.filter(), Registry.key(account, table.name()), EntityCodec.encode(table.toEntity()));
    }

    public CompletableFuture<Answer> delete(Caller caller, String name) {
        return existing(caller, name)
                .thenCompose(table -> RequestTrace.within(
                        caller.trace(),
                        "master drop-table",
                        () -> master.dropTable(
                                caller.account(), name.toLowerCase(Locale.ROOT), table.id(), caller.deadlineNanos())))
                .thenApply(reply -> {
                    tables.forget(caller.account(), name);
                    return dropped(reply);
                });
    }

    private static Answer dropped(CommandReply reply) {
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            throw WireErrors.ofDrop(reply.getStatus());
        }
        return Answer.of(NO_CONTENT);
    }

    /** The registry's entry, which may say that the table is being deleted. */
    private CompletableFuture<Registry> existing(Caller caller, String name) {
        if (!TableName.isLegal(name)) {
            return CompletableFuture.failedFuture(notFound());
        }
        return tables.read(caller.account(), name, caller.deadlineNanos())
                .thenApply(table -> table.orElseThrow(TableRequests::notFound));
    }

    private static ServiceError notFound() {
        return ServiceError.of(ServiceCode.RESOURCE_NOT_FOUND);
    }

    public CompletableFuture<Answer> list(Caller caller, BaseUri base, QueryString query, AnswerFormat format) {
        QueryOptions options = QueryOptions.ofTableQuery(query);
        return store.listTables(caller, options, new TableNames())
                .thenApply(page -> page(base, format, options.selection(), page));
    }

    private static Answer page(BaseUri base, AnswerFormat format, Selection selection, PageOf<TableNames> page) {
        return Answer.of(OK, format.tables(base, selection, page.rows().names))
                .with(
                        "x-ms-continuation-NextTableName",
                        page.next().map(ContinuationToken::nextTableName).orElse(null));
    }

    /** The names of a page of tables, as they were created. */
    private static final class TableNames implements PageSink {
        private final List<String> names = new ArrayList<>();

        @Override
        public void add(Key key, byte[] stored) {
            Registry table = Registry.of(EntityCodec.decode(stored));
            if (table == null) {
                throw new IllegalStateException("the registry holds an entity that is no table");
            }
            names.add(table.name());
        }

        /** Only the number of names limits a page. */
        @Override
        public long size() {
            return 0;
        }
    }
}
