package cleave.chaos.history;

import org.jspecify.annotations.Nullable;

/** The effect of an operation on one entity, or what it shows of it. */
sealed interface Part {
    /** The entity afterwards; null if the operation cannot have happened in this state. */
    @Nullable
    EntityState step(EntityState before);

    /** An executed write. */
    record Written(Write write, String etag, boolean isOfKnownWrite) implements Part {
        @Override
        public @Nullable EntityState step(EntityState before) {
            return before.refusal(write, isOfKnownWrite) == null ? before.after(write, etag) : null;
        }
    }

    /** A write that would succeed but is not executed, because another one of its transaction is refused. */
    record Possible(Write write, boolean isOfKnownWrite) implements Part {
        @Override
        public @Nullable EntityState step(EntityState before) {
            return before.refusal(write, isOfKnownWrite) == null ? before : null;
        }
    }

    /** A refused write. */
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
