package cleave.frontend.handlers;

import cleave.frontend.protocol.batch.BatchOperation;
import cleave.frontend.protocol.batch.OperationResponse;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.ETag;
import cleave.frontend.protocol.odata.Payload;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.PayloadFormats;
import cleave.frontend.routing.EntityWrite;
import cleave.wire.WriteKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The operations of one entity group transaction, read and checked together. Immutable. */
record Changeset(List<Member> members) {
    Changeset {
        members = List.copyOf(members);
    }

    /** @param insert how an insert is answered; null for another write */
    record Member(
            EntityWrite write,
            @Nullable InsertAnswer insert,
            @Nullable String contentId) {}

    /** Reads the operations. Throws the error of the first illegal operation, with its index. */
    static Changeset of(PayloadFormats formats, List<BatchOperation> operations) {
        List<Member> members = new ArrayList<>(operations.size());
        Set<String> rowKeys = new HashSet<>();
        for (int i = 0; i < operations.size(); i++) {
            try {
                Member member = member(formats, operations.get(i));
                check(
                        member.write(),
                        members.isEmpty() ? member.write() : members.get(0).write(),
                        rowKeys);
                members.add(member);
            } catch (ServiceError error) {
                throw error.ofOperation(i, operations.size());
            }
        }
        return new Changeset(members);
    }

    private static Member member(PayloadFormats formats, BatchOperation operation) {
        EntityWrite write = EntityWriteReader.read(
                formats, operation.method(), operation.resource(), operation.headers(), operation.body());
        InsertAnswer insert = write.kind() == WriteKind.INSERT
                ? InsertAnswer.asked(formats, operation.query(), operation.headers(), true)
                : null;
        return new Member(write, insert, operation.contentId());
    }

    private static void check(EntityWrite write, EntityWrite first, Set<String> rowKeys) {
        if (!write.table().equalsIgnoreCase(first.table())) {
            throw ServiceError.of(ServiceCode.INVALID_INPUT);
        }
        if (!write.partitionKey().equals(first.partitionKey())) {
            throw ServiceError.of(ServiceCode.COMMANDS_IN_BATCH_ACT_ON_DIFFERENT_PARTITIONS);
        }
        if (!rowKeys.add(write.rowKey())) {
            throw ServiceError.of(ServiceCode.INVALID_DUPLICATE_ROW);
        }
    }

    List<EntityWrite> writes() {
        return members.stream().map(Member::write).toList();
    }

    /** The responses to the operations after all succeeded, with the timestamps of their entities. */
    List<OperationResponse> answers(BaseUri base, List<Long> timestamps) {
        List<OperationResponse> answers = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            answers.add(answer(base, members.get(i), timestamps.get(i)));
        }
        return answers;
    }

    private static OperationResponse answer(BaseUri base, Member member, long timestamp) {
        EntityWrite write = member.write();
        InsertAnswer insert = member.insert();
        if (insert == null) {
            String etag = write.kind() == WriteKind.DELETE ? null : ETag.format(timestamp);
            return new OperationResponse.Changed(member.contentId(), etag);
        }
        Payload content = insert.content(base, write, timestamp);
        return new OperationResponse.Inserted(
                member.contentId(),
                content == null ? null : content.contentType(),
                insert.prefer().applied(),
                InsertAnswer.location(base, write),
                ETag.format(timestamp),
                content == null ? Body.EMPTY : Body.of(content.bytes()));
    }
}
