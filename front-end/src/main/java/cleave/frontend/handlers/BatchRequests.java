package cleave.frontend.handlers;

import cleave.frontend.protocol.batch.BatchError;
import cleave.frontend.protocol.batch.BatchOperation;
import cleave.frontend.protocol.batch.BatchParser;
import cleave.frontend.protocol.batch.BatchRequest;
import cleave.frontend.protocol.batch.BatchResponse;
import cleave.frontend.protocol.batch.BatchResponseWriter;
import cleave.frontend.protocol.batch.OperationResponse;
import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.Prefer;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.AdmittedRequest;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Gate;
import cleave.frontend.routing.Caller;
import cleave.frontend.routing.EntityStore;
import cleave.runtime.loop.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Answers batches: entity group transactions, and single queries. Confined to its loop.
 *
 * <p>Invariant I6: a changeset goes whole, as one write, to the one owner of its partition.
 *
 * <p>The error of one operation is answered inside the batch response, whose own status is a success. An error of the whole request (a busy
 * server, an unknown outcome) is the status of the response, because only that makes clients retry.
 */
public final class BatchRequests {
    private static final int ACCEPTED = 202;
    private static final int SERVER_ERRORS = 500;

    private final EventLoop loop;
    private final Guids guids;
    private final EntityStore store;
    private final EntityRequests entities;

    public BatchRequests(EventLoop loop, Guids guids, EntityStore store, EntityRequests entities) {
        this.loop = loop;
        this.guids = guids;
        this.store = store;
        this.entities = entities;
    }

    public CompletableFuture<Answer> answer(Caller caller, AdmittedRequest admission, Body body) {
        loop.assertInside();
        BatchRequest batch;
        try {
            batch = BatchParser.parse(body, admission.request().headers().first("Content-Type"), admission.address());
        } catch (ServiceError error) {
            return error.operation() < 0
                    ? CompletableFuture.failedFuture(error)
                    : CompletableFuture.completedFuture(
                            refused(admission, new BatchError(error, null, null), ofAll(admission)));
        }
        if (batch.isQuery()) {
            return query(caller, admission, batch.operations().get(0));
        }
        if (admission.address().secondary()) {
            return CompletableFuture.failedFuture(Gate.readOnly());
        }
        return batch.operations().isEmpty()
                ? CompletableFuture.completedFuture(
                        accepted(BatchResponseWriter.done(guids.next(), guids.next(), List.of())))
                : changeset(caller, admission, batch.operations());
    }

    private CompletableFuture<Answer> changeset(
            Caller caller, AdmittedRequest admission, List<BatchOperation> operations) {
        Changeset changeset;
        try {
            changeset = Changeset.of(admission.formats(), operations);
        } catch (ServiceError error) {
            return CompletableFuture.completedFuture(refused(admission, operations, error));
        }
        return store.write(caller, changeset.writes())
                .thenApply(timestamps -> accepted(BatchResponseWriter.done(
                        guids.next(), guids.next(), changeset.answers(admission.base(), timestamps))))
                .exceptionallyCompose(failure -> executionFailed(admission, operations, failure));
    }

    /** The error of a whole changeset, such as a missing table, is attributed to its first operation. */
    private CompletableFuture<Answer> executionFailed(
            AdmittedRequest admission, List<BatchOperation> operations, Throwable failure) {
        return EventLoop.cause(failure) instanceof ServiceError error && error.status() < SERVER_ERRORS
                ? CompletableFuture.completedFuture(refused(admission, operations, error))
                : CompletableFuture.failedFuture(failure);
    }

    private Answer refused(AdmittedRequest admission, List<BatchOperation> operations, ServiceError error) {
        BatchOperation refused = operations.get(Math.max(0, error.operation()));
        String prefer = refused.method() == Method.POST ? refused.headers().first("Prefer") : null;
        BatchError refusal =
                new BatchError(error, refused.contentId(), Prefer.parse(prefer).applied());
        return refused(admission, refusal, admission.formats().ofRefusal(refused.query(), refused.headers()));
    }

    private Answer refused(AdmittedRequest admission, BatchError refusal, AnswerFormat format) {
        return accepted(BatchResponseWriter.refused(
                guids.next(), guids.next(), refusal, format, admission.request().id(), loop.ticks()));
    }

    /** The format of the error of an operation that was not read. */
    private static AnswerFormat ofAll(AdmittedRequest admission) {
        return admission
                .formats()
                .ofRefusal(admission.query(), admission.request().headers());
    }

    private CompletableFuture<Answer> query(Caller caller, AdmittedRequest admission, BatchOperation get) {
        AnswerFormat format;
        try {
            format = admission.formats().negotiate(get.query(), get.headers(), true);
        } catch (ServiceError error) {
            return CompletableFuture.completedFuture(notFound(admission, get, error, MetadataLevel.MINIMAL));
        }
        return CompletableFuture.completedFuture(get.resource())
                .thenCompose(resource -> answered(caller, admission, get, resource, format))
                .thenApply(answer -> found(get, answer))
                .exceptionallyCompose(failure ->
                        EventLoop.cause(failure) instanceof ServiceError error && error.status() < SERVER_ERRORS
                                ? CompletableFuture.completedFuture(notFound(admission, get, error, format))
                                : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Answer> answered(
            Caller caller, AdmittedRequest admission, BatchOperation get, Resource resource, AnswerFormat format) {
        if (resource instanceof Resource.EntityAddress address) {
            return entities.get(caller, admission.base(), address, get.query(), get.headers(), format);
        }
        if (resource instanceof Resource.EntitySet set) {
            return entities.query(caller, admission.base(), set, get.query(), format, false);
        }
        throw new AssertionError("no query of " + resource);
    }

    private Answer found(BatchOperation get, Answer answer) {
        OperationResponse.Found part = new OperationResponse.Found(
                answer.status(),
                get.contentId(),
                answer.header("Content-Type"),
                answer.header("ETag"),
                answer.header("x-ms-continuation-NextPartitionKey"),
                answer.header("x-ms-continuation-NextRowKey"),
                Body.of(answer.body()));
        return accepted(BatchResponseWriter.found(guids.next(), part));
    }

    private Answer notFound(AdmittedRequest admission, BatchOperation get, ServiceError error, AnswerFormat format) {
        BatchError refusal = new BatchError(error, get.contentId(), null);
        return accepted(BatchResponseWriter.notFound(
                guids.next(), refusal, format, admission.request().id(), loop.ticks()));
    }

    private static Answer accepted(BatchResponse response) {
        return Answer.of(ACCEPTED, response.contentType(), response.body());
    }
}
