package cleave.master;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.route.rpc.StatusCall;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Channels;
import cleave.wire.AdminGrpc;
import cleave.wire.AllocateReply;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.ErrorCode;
import cleave.wire.GroupMember;
import cleave.wire.MasterPeer;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members of the masters' group are added, removed and replaced, while a client has commands executed. */
class ChangeMastersIT {
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    Path dir;

    /** A client that asks for table ids all the time. Every answer must be OK, and no id may come twice. */
    private static final class Load implements AutoCloseable {
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final List<String> failures = new ArrayList<>();
        private final TreeSet<Long> ids = new TreeSet<>();
        private final Thread thread;

        Load(Masters masters) {
            masters.client.follow(masters.watcher);
            masters.watcher.start();
            thread = new Thread(() -> {
                while (!stopped.get()) {
                    AllocateReply reply =
                            masters.client.allocateTableIds(1, CALL_NANOS).join();
                    if (reply.getStatus().getCode() != ErrorCode.OK) {
                        failures.add(reply.getStatus().toString());
                    } else if (!ids.add(reply.getFirst())) {
                        failures.add("id " + reply.getFirst() + " came twice");
                    }
                }
            });
            thread.start();
        }

        @Override
        public void close() {
            stopped.set(true);
            try {
                thread.join(Duration.ofSeconds(40).toMillis());
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
            assertThat(failures).isEmpty();
            assertThat(ids.size()).isGreaterThan(1);
        }
    }

    private Masters alone(int count) {
        Masters masters = new Masters(dir, count);
        masters.startAlone("m1");
        masters.awaitFounding();
        masters.awaitReady("m1");
        return masters;
    }

    /** Three members of whom one was founder, and load. */
    private Masters three(int count) {
        Masters masters = alone(count);
        masters.startAlone("m2");
        masters.startAlone("m3");
        assertDone(add(masters, "m2"));
        assertDone(add(masters, "m3"));
        return masters;
    }

    private static Status add(Masters masters, String id) {
        return change(masters, "", id);
    }

    private static Status remove(Masters masters, String id) {
        return change(masters, member(masters, id), null);
    }

    private static Status replace(Masters masters, String out, String in) {
        return change(masters, member(masters, out), in);
    }

    private static String member(Masters masters, String id) {
        return status(masters).getPeersList().stream()
                .filter(peer -> peer.getId().equals(id))
                .map(MasterPeer::getMember)
                .findFirst()
                .orElseThrow(() -> new AssertionError(id + " is no member"));
    }

    private static Status change(Masters masters, String out, @Nullable String in) {
        ChangeMastersRequest.Builder request = ChangeMastersRequest.newBuilder().setOut(out);
        if (in != null) {
            String[] parts = masters.peer(in).split("=", -1);
            request.setIn(
                    GroupMember.newBuilder().setId(parts[0]).setRaft(parts[1]).setRpc(parts[2]));
        }
        return change(masters, request.build());
    }

    private static Status change(Masters masters, ChangeMastersRequest request) {
        Status[] answer = {Status.getDefaultInstance()};
        Await.until("an answer of a leader", () -> {
            for (String address : List.copyOf(masters.addresses())) {
                try {
                    answer[0] = AdminGrpc.newBlockingStub(masters.channels.to(address))
                            .withDeadlineAfter(50, TimeUnit.SECONDS)
                            .changeMasters(request)
                            .getStatus();
                } catch (StatusRuntimeException silent) {
                    continue;
                }
                if (!isToBeAskedAgain(answer[0])) {
                    return true;
                }
            }
            return false;
        });
        return answer[0];
    }

    /** Where cores are few, a master that joins may need longer to answer than a leader waits. */
    private static boolean isToBeAskedAgain(Status answer) {
        return switch (answer.getCode()) {
            case NOT_LEADER, BUSY, UNAVAILABLE -> true;
            case CONDITION_FAILED -> answer.getMessage().contains("does not answer the leader at its Raft address");
            default -> false;
        };
    }

    private static void assertDone(Status answer) {
        assertThat(answer.getCode()).as(answer.getMessage()).isEqualTo(ErrorCode.OK);
    }

    private static StatusReply status(Masters masters) {
        StatusReply[] found = {StatusReply.getDefaultInstance()};
        Await.until("the status of a leader", () -> {
            for (String address : List.copyOf(masters.addresses())) {
                try {
                    found[0] = StatusCall.ask(
                            masters.channels.to(address),
                            StatusRequest.getDefaultInstance(),
                            TimeUnit.SECONDS.toNanos(5));
                } catch (StatusRuntimeException silent) {
                    continue;
                }
                if (found[0].getStatus().getCode() == ErrorCode.OK) {
                    return true;
                }
            }
            return false;
        });
        return found[0];
    }

    private static List<String> members(Masters masters) {
        return status(masters).getPeersList().stream()
                .map(MasterPeer::getId)
                .sorted()
                .toList();
    }

    private static String leading(Masters masters) {
        return status(masters).getSelf();
    }

    private static String other(Masters masters, String... not) {
        List<String> excluded = List.of(not);
        return members(masters).stream()
                .filter(id -> !excluded.contains(id))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitBlank(Masters masters, String id) {
        Await.until(
                id + " to be blank",
                () -> masters.master(id).readiness().missing().contains("blank"));
    }

    /** Its addresses may be those of a restored cluster next, which it is to join. */
    private static void assertAnswersCallersOfAnyCluster(Masters masters, String id) {
        try (Channels channels = new Channels()) {
            channels.ofCluster(() -> "another");
            StatusReply reply = StatusCall.ask(
                    channels.to(masters.address(id)), StatusRequest.getDefaultInstance(), 30_000_000_000L);
            assertThat(reply.getStatus().getMessage()).contains("blank");
        }
    }

    @Test
    @Tag("nightly")
    void fromOneToFiveAndBackWithoutAFailedCommand() {
        try (Masters masters = alone(5)) {
            try (Load load = new Load(masters)) {
                for (String id : List.of("m2", "m3", "m4", "m5")) {
                    masters.startAlone(id);
                    assertDone(add(masters, id));
                }
                assertThat(members(masters)).containsExactly("m1", "m2", "m3", "m4", "m5");
                masters.awaitAllReady();
                while (members(masters).size() > 1) {
                    // Now a follower, now the leader.
                    String leaves =
                            members(masters).size() % 2 == 0 ? leading(masters) : other(masters, leading(masters));
                    assertDone(remove(masters, leaves));
                    awaitBlank(masters, leaves);
                    assertAnswersCallersOfAnyCluster(masters, leaves);
                }
                assertThat(load.failures).isEmpty();
            }
        }
    }

    @Test
    void aMemberWhoseDiskIsLostIsReplacedByItself() {
        try (Masters masters = three(3)) {
            String lost = other(masters, leading(masters));
            String before = member(masters, lost);
            masters.stop(lost);
            masters.loseDisk(lost);
            masters.startAlone(lost);
            try (Load load = new Load(masters)) {
                awaitBlank(masters, lost);
                assertDone(replace(masters, lost, lost));
                assertThat(load.failures).isEmpty();
            }
            masters.awaitReady(lost);
            assertThat(member(masters, lost)).isNotEqualTo(before);
            assertThat(members(masters)).containsExactly("m1", "m2", "m3");
        }
    }

    @Test
    void aMemberThatIsGoneIsReplacedByAnother() {
        try (Masters masters = three(4)) {
            String gone = leading(masters);
            masters.stop(gone);
            masters.startAlone("m4");

            assertDone(replace(masters, gone, "m4"));

            assertThat(members(masters)).doesNotContain(gone).contains("m4").hasSize(3);
            masters.start(gone);
            awaitBlank(masters, gone);
            assertThat(Files.exists(masters.folder(gone).resolve("left"))).isTrue();
        }
    }

    /** Does what an operator's command does: asks the leader, until there is an answer. */
    private static CompletableFuture<Status> changeMeanwhile(Masters masters, String out, String in) {
        CompletableFuture<Status> answer = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        answer.complete(change(masters, out, in));
                    } catch (AssertionError | RuntimeException failure) {
                        answer.completeExceptionally(failure);
                    }
                })
                .start();
        return answer.orTimeout(60, TimeUnit.SECONDS);
    }

    @Test
    void theLeaderEndsWhenAMasterWasRemovedThatIsToJoinAnew() {
        try (Masters masters = three(5)) {
            for (String id : List.of("m4", "m5")) {
                masters.startAlone(id);
                assertDone(add(masters, id));
            }
            String leader = leading(masters);
            String lost = other(masters, leader);
            String out = member(masters, lost);
            masters.stop(lost);
            masters.loseDisk(lost);
            try (Load load = new Load(masters)) {
                CompletableFuture<Status> first = changeMeanwhile(masters, out, lost);
                Await.until("its removal", () -> !members(masters).contains(lost));
                masters.stop(leader);
                masters.startAlone(lost);
                first.join();
                assertDone(change(masters, out, lost));
                assertThat(leading(masters)).isNotEqualTo(leader);
                assertThat(load.failures).isEmpty();
            }
            assertThat(members(masters)).containsExactly("m1", "m2", "m3", "m4", "m5");
            assertThat(member(masters, lost)).isNotEqualTo(out);
            masters.awaitReady(lost);
        }
    }

    @Test
    void theLeaderEndsWhenItHasToldAMasterToJoin() {
        try (Masters masters = three(4)) {
            String leader = leading(masters);
            String gone = other(masters, leader);
            String stays = other(masters, leader, gone);
            String out = member(masters, gone);
            masters.startAlone("m4");
            try (Load load = new Load(masters)) {
                CompletableFuture<Status> first = changeMeanwhile(masters, out, "m4");
                Await.until(
                        "m4 to join",
                        () -> !masters.master("m4").readiness().missing().contains("blank"));
                masters.stop(leader);
                first.join();
                assertDone(change(masters, out, "m4"));
                assertThat(load.failures).isEmpty();
            }
            assertThat(members(masters)).containsExactlyInAnyOrder(leader, stays, "m4");
            awaitBlank(masters, gone);
        }
    }

    @Test
    void theSameMasterIsAddedAgainInTheSameLeadersLife() {
        try (Masters masters = three(3)) {
            String leader = leading(masters);
            String id = other(masters, leader);
            for (int i = 0; i < 3; i++) {
                assertDone(remove(masters, id));
                assertDone(add(masters, id));
            }
            masters.awaitReady(id);
            assertThat(leading(masters)).isEqualTo(leader);
        }
    }

    @Test
    void aMemberWhoseAddressHasChangedIsReplacedByItself() {
        try (Masters masters = three(3)) {
            String moved = other(masters, leading(masters));
            masters.stop(moved);
            masters.moveElsewhere(moved);
            masters.start(moved);

            assertDone(replace(masters, moved, moved));

            masters.awaitReady(moved);
            assertThat(status(masters).getPeersList().stream()
                            .map(MasterPeer::getAddress)
                            .toList())
                    .contains(masters.address(moved));
        }
    }

    @Test
    void whatWouldLeaveNoMajorityIsRefusedAndSaysWhy() {
        try (Masters masters = three(4)) {
            String leader = leading(masters);
            String silent = other(masters, leader);
            String up = other(masters, leader, silent);
            masters.stop(silent);
            Await.until(
                    "the leader to miss it",
                    () -> status(masters).getPeersList().stream()
                            .anyMatch(peer -> peer.getRole().equals("UNKNOWN")));

            Status refused = remove(masters, up);

            assertThat(refused.getCode()).isEqualTo(ErrorCode.CONDITION_FAILED);
            assertThat(refused.getMessage()).contains("no majority", silent);
            assertThat(members(masters)).hasSize(3);
            masters.startAlone("m4");
            assertDone(replace(masters, silent, "m4"));
            assertDone(remove(masters, up));
        }
    }

    /** Each member would look for it at itself. */
    @Test
    void aMasterIsNotAddedAtAllAddresses() {
        try (Masters masters = alone(2)) {
            String[] parts = masters.peer("m2").split("=", -1);
            GroupMember.Builder anywhere = GroupMember.newBuilder()
                    .setId(parts[0])
                    .setRaft(parts[1].replace("127.0.0.1", "0.0.0.0"))
                    .setRpc(parts[2]);
            masters.startAlone("m2");

            Status refused = change(
                    masters, ChangeMastersRequest.newBuilder().setIn(anywhere).build());

            assertThat(refused.getCode()).isEqualTo(ErrorCode.INVALID);
            assertThat(refused.getMessage()).contains("master m2", anywhere.getRaft(), "a wildcard is no address");
            assertThat(members(masters)).containsExactly("m1");
        }
    }

    @Test
    void aLoneMasterThatListensOnAllAddressesIsKnownByItsOwn() {
        try (Masters masters = new Masters(dir, 2)) {
            String[] own = masters.peer("m1").split("=", -1);
            masters.set("m1", "master.raft-listen", own[1].replace("127.0.0.1", "0.0.0.0"));
            masters.startAlone("m1");
            masters.awaitFounding();
            masters.startAlone("m2");

            assertDone(add(masters, "m2"));

            assertThat(status(masters).getPeersList())
                    .extracting(MasterPeer::getRaft)
                    .contains(own[1]);
        }
    }

    @Test
    void aLoneMasterThatListenedAnywhereIsGivenAPortAndThenAnother() {
        try (Masters masters = new Masters(dir, 2)) {
            masters.set("m1", "master.raft-listen", "127.0.0.1:0");
            masters.set("m1", "master.peers", "m1=127.0.0.1:0=" + masters.address("m1"));
            masters.start("m1");
            masters.awaitFounding();
            masters.startAlone("m2");
            assertThat(add(masters, "m2").getMessage()).contains("any free port", "master.raft-listen");
            assertThat(members(masters)).containsExactly("m1");
            masters.stop("m1");
            masters.set("m1", "master.raft-listen", masters.peer("m1").split("=", -1)[1]);
            masters.startAlone("m1");

            assertDone(add(masters, "m2"));

            masters.awaitReady("m2");
        }
    }
}
