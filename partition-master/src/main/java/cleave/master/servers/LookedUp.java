package cleave.master.servers;

import cleave.model.Damaged;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry's entry of a table that an operator named. Immutable.
 *
 * @param what the table, for messages
 * @param table null if there is none, or that is not known
 * @param code OK with a table
 * @param problem why there is no table; empty with one
 */
public record LookedUp(String what, @Nullable Registry table, ErrorCode code, String problem) {
    private static final Logger LOG = LoggerFactory.getLogger(LookedUp.class);

    /** Never fails. */
    public static CompletableFuture<LookedUp> ask(RangeCalls calls, String account, String name, long deadlineNanos) {
        String what = "table " + name + " of account " + account;
        return calls.read(Registry.key(account, name), deadlineNanos)
                .handle((reply, failure) -> reply == null
                        ? none(what, ErrorCode.UNAVAILABLE, "the registry cannot be read: " + failure)
                        : of(what, reply));
    }

    private static LookedUp of(String what, ReadReply reply) {
        ErrorCode code = reply.getStatus().getCode();
        if (code == ErrorCode.NOT_FOUND) {
            return none(what, code, "there is no " + what);
        }
        if (code != ErrorCode.OK) {
            return none(
                    what,
                    code,
                    "the registry cannot be read: " + reply.getStatus().getMessage());
        }
        try {
            Registry table = Registry.of(EntityCodec.decode(reply.getEntity().toByteArray()));
            if (table != null) {
                return new LookedUp(what, table, code, "");
            }
        } catch (Damaged damaged) {
            LOG.error("damaged entry of the registry", damaged);
        }
        return none(what, ErrorCode.NOT_FOUND, "the registry's entry of " + what + " is unreadable");
    }

    private static LookedUp none(String what, ErrorCode code, String problem) {
        return new LookedUp(what, null, code, problem);
    }
}
