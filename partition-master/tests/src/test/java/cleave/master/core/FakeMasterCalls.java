package cleave.master.core;

import cleave.master.membership.MasterCalls;
import cleave.route.CallFailed;
import cleave.wire.ErrorCode;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MembersReply;
import cleave.wire.Status;
import cleave.wire.SupportedLevelsReply;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Other masters, by address: they join when they are told to, or say why not; no other address answers. Confined to one test. */
public final class FakeMasterCalls implements MasterCalls {
    public final List<JoinRequest> requests = new ArrayList<>();
    public final TreeMap<String, Status> answers = new TreeMap<>();
    final TreeMap<String, Supplier<SupportedLevelsReply>> levels = new TreeMap<>();
    /** Hears of each event, in words. */
    Consumer<String> listener = text -> {};

    MembersReply members = MembersReply.newBuilder()
            .setStatus(Status.newBuilder().setCode(ErrorCode.NOT_LEADER))
            .build();

    /** There is a blank master. */
    public void blank(String address) {
        answers.put(address, Status.getDefaultInstance());
    }

    @Override
    public CompletableFuture<JoinReply> join(String address, JoinRequest request) {
        Status status = answers.get(address);
        if (status == null) {
            return CompletableFuture.failedFuture(new IllegalStateException("nobody there"));
        }
        requests.add(request);
        listener.accept(
                "call: join " + address + " beside " + request.getBesideList() + " in term " + request.getTerm());
        return CompletableFuture.completedFuture(JoinReply.newBuilder()
                .setStatus(status)
                .setMember(request.getId() + "#" + requests.size())
                .build());
    }

    @Override
    public CompletableFuture<MembersReply> members(String address, String cluster) {
        return CompletableFuture.completedFuture(members);
    }

    @Override
    public CompletableFuture<SupportedLevelsReply> supportedLevels(String address, long timeoutNanos) {
        Supplier<SupportedLevelsReply> asked = levels.get(address);
        return asked == null
                ? CompletableFuture.failedFuture(new CallFailed(CallFailed.Fate.UNKNOWN, "no answer"))
                : CompletableFuture.completedFuture(asked.get());
    }
}
