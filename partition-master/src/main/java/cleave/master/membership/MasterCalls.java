package cleave.master.membership;

import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MembersReply;
import cleave.wire.SupportedLevelsReply;
import java.util.concurrent.CompletableFuture;

/** The calls of a master to other masters, by address. Thread-safe. A future fails if the master does not answer in time. */
public interface MasterCalls {
    /** Tells a master that it is a member. */
    CompletableFuture<JoinReply> join(String address, JoinRequest request);

    /** The members of a cluster; only its leader answers OK. */
    CompletableFuture<MembersReply> members(String address, String cluster);

    /** The feature levels that a master supports; fails also if its version does not know the call. */
    CompletableFuture<SupportedLevelsReply> supportedLevels(String address, long timeoutNanos);
}
