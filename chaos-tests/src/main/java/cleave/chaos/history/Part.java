package cleave.chaos.history;

import org.jspecify.annotations.Nullable;

/** What an operation does with, or says of, one entity. */
sealed interface Part {
    /** The entity afterwards; null if the operation cannot have happened when it was so. */
    @Nullable
    EntityState step(EntityState before);

    /** A write that is done. */
    record Written(Write write, String etag, boolean isOfKnownWrite) implements Part {
        @Override
        public @Nullable EntityState step(EntityState before) {
            return before.refusal(write, isOfKnownWrite) == null ? before.after(write, etag) : null;
        }
    }

    /** A write that is not done, since another of its transaction is refused; it would have been. */
    record Possible(Write write, boolean isOfKnownWrite) implements Part {
        @Override
        public @Nullable EntityState step(EntityState before) {
            return before.refusal(write, isOfKnownWrite) == null ? before : null;
        }
    }

    /** A write that is refused. */
    record Refused(Write write, Outcome why, boolean isOfKnownWrite) implements Part {
        @Override
        public @Nullable EntityState step(EntityState before) {
            boolean mayHaveAnother = why == Outcome.CONDITION_FAILED
                    && before.isUnbound()
                    && !write.ifMatch().isEmpty()
                    && write.kind() != OperationKind.INSERT;
            return mayHaveAnother || before.refusal(write, isOfKnownWrite) == why ? before : null;
        }
    }

    /** A read. */
    record Seen(Result result, boolean isOfKnownWrite) implements Part {
        @Override
        public @Nullable EntityState step(EntityState before) {
            return before.seenAs(result, isOfKnownWrite);
        }
    }
}
