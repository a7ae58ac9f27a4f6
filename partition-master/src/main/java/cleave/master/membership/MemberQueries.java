package cleave.master.membership;

import cleave.wire.MembersReply;
import java.util.concurrent.CompletableFuture;

/** Asks other masters who the members are. Thread-safe. Futures fail when a master does not answer. */
public interface MemberQueries {
    /** The members of a cluster; only its leader answers OK. */
    CompletableFuture<MembersReply> members(String address, String cluster);
}
