package cleave.model.table;

import cleave.model.Damaged;
import cleave.model.KnownFields;
import cleave.wire.StoredPolicies;
import cleave.wire.StoredPolicy;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stored access policy of a table: fields that a shared access signature may omit and take from here, by the policy's
 * id. Immutable.
 *
 * @param start ticks; null if not given here
 * @param expiry ticks; null if not given here
 * @param permissions letters of {@code raud}; null if not given here
 */
public record AccessPolicy(
        String id,
        @Nullable Long start,
        @Nullable Long expiry,
        @Nullable String permissions) {

    static byte[] encode(List<AccessPolicy> policies) {
        StoredPolicies.Builder stored = StoredPolicies.newBuilder();
        for (AccessPolicy policy : policies) {
            stored.addPolicies(policy.toWire());
        }
        return stored.build().toByteArray();
    }

    private StoredPolicy toWire() {
        StoredPolicy.Builder wire = StoredPolicy.newBuilder().setId(id);
        if (start != null) {
            wire.setStart(start);
        }
        if (expiry != null) {
            wire.setExpiry(expiry);
        }
        if (permissions != null) {
            wire.setPermissions(permissions);
        }
        return wire.build();
    }

    /** {@link Damaged} if {@link #encode} did not write these bytes. */
    public static List<AccessPolicy> decode(byte[] stored) {
        try {
            StoredPolicies policies = StoredPolicies.parseFrom(stored);
            KnownFields.check("stored access policies", policies);
            return policies.getPoliciesList().stream()
                    .map(AccessPolicy::fromWire)
                    .toList();
        } catch (InvalidProtocolBufferException malformed) {
            throw new Damaged("stored access policies: " + malformed.getMessage());
        }
    }

    private static AccessPolicy fromWire(StoredPolicy wire) {
        return new AccessPolicy(
                wire.getId(),
                wire.hasStart() ? (Long) wire.getStart() : null,
                wire.hasExpiry() ? (Long) wire.getExpiry() : null,
                wire.hasPermissions() ? wire.getPermissions() : null);
    }
}
