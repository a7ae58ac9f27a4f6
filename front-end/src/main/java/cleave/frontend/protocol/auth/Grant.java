package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.KeyRange;
import cleave.model.table.AccessPolicy;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The permissions of a credential. Immutable. */
public sealed interface Grant {
    /** The grant of an account key. */
    @SuppressWarnings("ClassInitializationDeadlock") // Full is made here alone.
    Grant FULL = new Full();

    /**
     * Throws the refusal unless this grant permits an operation, whatever the keys.
     *
     * @param table the table's name, in upper or lower case; ignored unless the right is one of entities
     */
    void check(Right right, String table);

    /** Throws the refusal unless this grant covers an entity, for the operation that a right of entities permits. */
    default void checkKeys(Right right, String partitionKey, String rowKey) {}

    /**
     * The grant in a table with these policies; throws the refusal if it refers to a policy that does not exist or is not in force. Only a
     * grant that refers to a policy depends on them.
     */
    default Grant under(List<AccessPolicy> policies, long nowTicks) {
        return this;
    }

    /** The part of an interval of a table's keys that this grant covers; null if none. */
    default @Nullable KeyRange narrowed(KeyRange range) {
        return range;
    }

    private static ServiceError withoutPermission(String permissions, String letters) {
        return ServiceError.of(ServiceCode.AUTHORIZATION_PERMISSION_MISMATCH)
                .because("sp is " + permissions + ", but must contain " + letters);
    }

    /** The account's owner. */
    record Full() implements Grant {
        @Override
        public void check(Right right, String table) {}
    }

    /** The rights of roles, in all tables of an account. */
    record OfRoles(Set<Right> rights) implements Grant {
        public OfRoles {
            rights = Set.copyOf(rights);
        }

        /** Policies are not there for tokens, whatever their roles: the service answers so by design. */
        @Override
        public void check(Right right, String table) {
            if (right == Right.ACCESS_POLICIES) {
                throw ServiceError.of(ServiceCode.RESOURCE_NOT_FOUND).because("no token reaches access policies");
            }
            if (!rights.contains(right)) {
                throw ServiceError.of(ServiceCode.AUTHORIZATION_PERMISSION_MISMATCH);
            }
        }
    }

    /**
     * A shared access signature of the account.
     *
     * @param permissions the letters of {@code sp}
     * @param resourceTypes the letters of {@code srt}
     */
    record OfAccount(String permissions, String resourceTypes) implements Grant {
        @Override
        public void check(Right right, String table) {
            switch (right) {
                case READ_SERVICE -> needs("s", has('r'), "r");
                case WRITE_SERVICE -> needs("s", has('w'), "w");
                case LIST_TABLES -> needs("c", has('l'), "l");
                case CREATE_TABLE -> needs("c", has('c') || has('w'), "c or w");
                case DELETE_TABLE -> needs("c", has('d'), "d");
                case QUERY -> needs("oc", has('r'), "r");
                case INSERT -> needs("o", has('a'), "a");
                case UPDATE -> needs("o", has('u'), "u");
                case UPSERT -> needs("o", has('a') && has('u'), "a and u");
                case DELETE -> needs("o", has('d'), "d");
                case ACCESS_POLICIES ->
                    throw ServiceError.of(ServiceCode.AUTHORIZATION_FAILURE)
                            .because("no signature permits reading or writing access policies");
            }
        }

        private boolean has(char permission) {
            return permissions.indexOf(permission) >= 0;
        }

        /** @param letters those of {@code sp} that permit it, for the reason of a refusal */
        private void needs(String anyType, boolean permitted, String letters) {
            if (anyType.chars().noneMatch(type -> resourceTypes.indexOf(type) >= 0)) {
                throw ServiceError.of(ServiceCode.AUTHORIZATION_RESOURCE_TYPE_MISMATCH)
                        .because("srt is " + resourceTypes + ", but must contain "
                                + String.join(" or ", anyType.split("")));
            }
            if (!permitted) {
                throw withoutPermission(permissions, letters);
            }
        }
    }

    /**
     * A shared access signature of one table.
     *
     * @param table in lower case
     * @param permissions letters of {@code raud}
     */
    record OfTable(String table, String permissions, KeySpan keys) implements Grant {
        @Override
        public void check(Right right, String name) {
            checkTable(table, right, name);
            switch (right) {
                case QUERY -> needs(has('r'), "r");
                case INSERT -> needs(has('a'), "a");
                case UPDATE -> needs(has('u'), "u");
                case UPSERT -> needs(has('a') && has('u'), "a and u");
                case DELETE -> needs(has('d'), "d");
                default -> throw new AssertionError("no right of entities is " + right);
            }
        }

        private boolean has(char permission) {
            return permissions.indexOf(permission) >= 0;
        }

        private void needs(boolean permitted, String letters) {
            if (!permitted) {
                throw withoutPermission(permissions, letters);
            }
        }

        /** A read finds nothing beyond the keys, as a query does; whatever else reaches there is refused. */
        @Override
        public void checkKeys(Right right, String partitionKey, String rowKey) {
            if (!keys.contains(partitionKey, rowKey)) {
                ServiceCode code =
                        right == Right.QUERY ? ServiceCode.RESOURCE_NOT_FOUND : ServiceCode.AUTHORIZATION_FAILURE;
                throw ServiceError.of(code).because("the entity is not within the keys of spk, srk, epk and erk");
            }
        }

        @Override
        public @Nullable KeyRange narrowed(KeyRange range) {
            KeyRange reached = keys.in(range.start().table());
            return reached == null ? null : range.intersection(reached);
        }

        private static void checkTable(String granted, Right right, String name) {
            if (!right.isOfEntities()) {
                throw ServiceError.of(ServiceCode.AUTHORIZATION_FAILURE)
                        .because("a table's signature permits operations on its entities alone");
            }
            if (!name.toLowerCase(Locale.ROOT).equals(granted)) {
                throw ServiceError.of(ServiceCode.AUTHORIZATION_FAILURE)
                        .because("tn is " + granted + ", the request is for another table");
            }
        }
    }

    /**
     * A shared access signature of one table that refers to one of the table's stored access policies. What it permits is known only
     * {@linkplain #under with} the policy.
     *
     * @param table in lower case
     * @param given the terms in the signature itself
     */
    record ByPolicy(String table, String policy, Terms given, KeySpan keys) implements Grant {
        @Override
        public void check(Right right, String name) {
            OfTable.checkTable(table, right, name);
        }

        @Override
        public Grant under(List<AccessPolicy> policies, long nowTicks) {
            for (AccessPolicy stored : policies) {
                if (stored.id().equals(policy)) {
                    Terms terms = given.with(new Terms(stored.start(), stored.expiry(), stored.permissions()));
                    return new OfTable(table, terms.inForce(nowTicks), keys);
                }
            }
            throw AuthenticationError.failed("the table has no stored access policy of the id that si names");
        }
    }
}
