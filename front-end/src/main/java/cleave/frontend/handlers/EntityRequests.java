package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ContinuationToken;
import cleave.frontend.protocol.odata.ETag;
import cleave.frontend.protocol.odata.EntityPage;
import cleave.frontend.protocol.odata.EntityView;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.IfMatch;
import cleave.frontend.protocol.odata.Payload;
import cleave.frontend.protocol.odata.QueryOptions;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.odata.UnreadableKeys;
import cleave.frontend.request.AdmittedRequest;
import cleave.frontend.request.Answer;
import cleave.frontend.routing.Caller;
import cleave.frontend.routing.EntityStore;
import cleave.frontend.routing.EntityStore.PageOf;
import cleave.frontend.routing.EntityStore.Stored;
import cleave.frontend.routing.EntityWrite;
import cleave.model.KeyRange;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Filter;
import cleave.model.entity.FilterEvaluator;
import cleave.wire.WriteKind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Answers requests for entities. Confined to its loop. */
public final class EntityRequests {
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private final EntityStore store;

    public EntityRequests(EntityStore store) {
        this.store = store;
    }

    public CompletableFuture<Answer> insert(Caller caller, AdmittedRequest admission, Body body) {
        EntityWrite write = write(admission, body);
        BaseUri base = admission.base();
        InsertAnswer form = InsertAnswer.asked(
                admission.formats(), admission.query(), admission.request().headers(), false);
        return store.write(caller, List.of(write)).thenApply(timestamps -> {
            Payload content = form.content(base, write, timestamps.get(0));
            String location = InsertAnswer.location(base, write);
            Answer answer = content != null
                    ? Answer.of(CREATED, content)
                    : Answer.of(NO_CONTENT).with("DataServiceId", location);
            return answer.with("ETag", ETag.format(timestamps.get(0)))
                    .with("Location", location)
                    .with("Preference-Applied", form.prefer().applied());
        });
    }

    /** A replace, merge or delete. */
    public CompletableFuture<Answer> change(Caller caller, AdmittedRequest admission, Body body) {
        EntityWrite write = write(admission, body);
        boolean deletes = write.kind() == WriteKind.DELETE;
        return store.write(caller, List.of(write))
                .thenApply(timestamps ->
                        Answer.of(NO_CONTENT).with("ETag", deletes ? null : ETag.format(timestamps.get(0))));
    }

    private static EntityWrite write(AdmittedRequest admission, Body body) {
        return EntityWriteReader.read(
                admission.formats(),
                admission.method(),
                admission.address().resource(),
                admission.request().headers(),
                body);
    }

    /** An entity for which its filter does not hold is not found, and one that the client already has is not sent again. */
    public CompletableFuture<Answer> get(
            Caller caller,
            BaseUri base,
            Resource.EntityAddress address,
            QueryString query,
            Headers headers,
            AnswerFormat format) {
        QueryOptions options = QueryOptions.ofPointGet(query);
        IfMatch known = IfMatch.known(headers);
        EntityView view = new EntityView(base, address.table(), options.selection());
        return store.read(caller, address.table(), address.partitionKey(), address.rowKey())
                .thenApply(stored -> {
                    if (!holds(options.filter(), stored)) {
                        throw ServiceError.of(ServiceCode.RESOURCE_NOT_FOUND);
                    }
                    return entity(format, view, known, stored);
                });
    }

    private static boolean holds(@Nullable Filter filter, Stored stored) {
        if (filter instanceof Filter.Constant constant) {
            return constant.value();
        }
        return filter == null || FilterEvaluator.matches(filter, stored.key(), stored.entity());
    }

    private static Answer entity(AnswerFormat format, EntityView view, @Nullable IfMatch known, Stored stored) {
        long timestamp = EntityCodec.timestamp(stored.entity());
        Answer answer = known != null && known.matches(timestamp)
                ? Answer.of(NOT_MODIFIED)
                : Answer.of(OK, format.entity(view, stored.key(), stored.entity()));
        return answer.with("ETag", ETag.format(timestamp));
    }

    /** @param salvages passes over entities that cannot be read */
    public CompletableFuture<Answer> query(
            Caller caller,
            BaseUri base,
            Resource.EntitySet set,
            QueryString query,
            AnswerFormat format,
            boolean salvages) {
        QueryOptions options = QueryOptions.ofEntityQuery(query);
        EntityView view = new EntityView(base, set.table(), options.selection());
        return store.query(caller, set.table(), options, salvages, () -> format.entities(view))
                .thenApply(EntityRequests::page);
    }

    private static Answer page(PageOf<EntityPage> page) {
        List<KeyRange> unreadable = page.unreadable();
        Answer answer = Answer.of(OK, page.rows().finish())
                .with("x-cleave-unreadable", unreadable == null ? null : UnreadableKeys.text(unreadable));
        ContinuationToken next = page.next().orElse(null);
        return next == null
                ? answer
                : answer.with("x-ms-continuation-NextPartitionKey", next.nextPartitionKey())
                        .with("x-ms-continuation-NextRowKey", next.nextRowKey());
    }
}
