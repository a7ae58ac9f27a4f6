package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.DfsIdentityFile;
import cleave.model.DfsIdentity;
import cleave.model.Row;
import cleave.server.range.Range;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log is the lock: appends of unknown fate, seals from outside, takeovers, and what an old owner can still do. */
class FencingTest {
    private Cluster cluster;
    private Node first;
    private Range range;

    @BeforeEach
    void serve() {
        cluster = new Cluster();
        first = cluster.start("s1");
        range = first.range();
    }

    private void turn() {
        cluster.loop.runReady();
    }

    private static ErrorCode code(Answer<WriteReply> answer) {
        return answer.get().getStatus().getCode();
    }

    private Answer<WriteReply> insert(Range into, String row) {
        Answer<WriteReply> answer = Node.send(into, Node.op(WriteKind.INSERT, Node.key(row), "1"));
        turn();
        return answer;
    }

    private Node takeOver() {
        Node second = cluster.start("s2");
        cluster.takeOver("s1", "s2");
        return second;
    }

    @Test
    void anAppendOfUnknownFateThatLiesInsideTheSealedLengthIsDone() {
        cluster.dfs.holdAppends(path -> true);
        Answer<WriteReply> inside = insert(range, "inside");
        Answer<WriteReply> outside = insert(range, "outside");
        Answer<WriteReply> judged = insert(range, "outside");
        String log = first.logPath();
        cluster.dfs.holdAppends(path -> path.equals(log));
        cluster.dfs.breakAppends(log, 80);
        cluster.settle();

        assertThat(code(inside)).isEqualTo(ErrorCode.OK);
        assertThat(code(outside)).as("it never happened").isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(code(judged)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(first.value("inside")).isEqualTo("1");
        assertThat(first.value("outside")).isNull();
        assertThat(first.put("later", "2")).isEqualTo(ErrorCode.OK);
        assertThat(first.range()).isSameAs(range);
    }

    /** Its answer waits for that of a refusal ahead of it, over the roll of the log. */
    @Test
    void whatIsDurableInTheLogBeforeTheBrokenOneIsDone() {
        insert(range, "there");
        String before = first.logPath();
        cluster.dfs.holdBarrierAnswers();
        Answer<WriteReply> refusal = insert(range, "there");
        Answer<WriteReply> durable = insert(range, "durable");
        cluster.loop.advance(Cluster.SETTINGS.checkpointAfterNanos());
        String log = first.logPath();
        assertThat(log).isNotEqualTo(before);
        assertThat(refusal.isGiven()).isFalse();
        assertThat(durable.isGiven()).isFalse();
        cluster.dfs.holdAppends(path -> path.equals(log));
        Answer<WriteReply> lost = insert(range, "lost");
        cluster.dfs.breakAppends(log, 0);
        cluster.dfs.releaseAppends();
        cluster.settle();
        cluster.dfs.releaseBarrierAnswers();
        cluster.settle();

        assertThat(code(durable)).isEqualTo(ErrorCode.OK);
        assertThat(code(lost)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(code(refusal)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(first.value("durable")).isEqualTo("1");
        assertThat(first.value("lost")).isNull();
        assertThat(takeOver().value("durable")).isEqualTo("1");
    }

    @Test
    void nothingIsAppendedBehindARecordWhoseFateIsUnknown() {
        cluster.dfs.holdAppends(path -> true);
        insert(range, "a");
        String log = first.logPath();
        cluster.dfs.unavailableSeals = 3;
        cluster.dfs.breakAppends(log, 0);
        turn();
        int appends = cluster.dfs.appends;
        Answer<WriteReply> meanwhile = insert(range, "b");
        Answer<ReadReply> read = Node.read(range, Node.key("a"));
        turn();
        assertThat(code(meanwhile)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(read.get().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(cluster.dfs.appends).isLessThanOrEqualTo(appends + 1); // The next manifest, no record.
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(first.logPath()).isNotEqualTo(log);
        assertThat(cluster.dfs.isSealed(log)).isTrue();
        assertThat(first.put("b", "2")).isEqualTo(ErrorCode.OK);
    }

    @Test
    void anAppendThatFailsWhileTheMastersAreDownStopsTheRangeUntilTheyReturn() {
        cluster.dfs.holdAppends(path -> true);
        Answer<WriteReply> lost = insert(range, "a");
        cluster.masters.down = true;
        cluster.dfs.holdAppends(path -> false);
        cluster.dfs.breakAppends(first.logPath(), 0);
        cluster.settle();
        assertThat(code(lost)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(first.put("b", "1")).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(first.value("b")).isEqualTo("UNAVAILABLE");
        cluster.masters.down = false;
        cluster.loop.advanceMillis(5000);
        assertThat(first.put("b", "1")).isEqualTo(ErrorCode.OK);
        assertThat(first.range()).isSameAs(range);
    }

    @Test
    void whatWasAcknowledgedIsThereAfterATakeover() {
        for (int i = 0; i < 20; i++) {
            first.put("row" + i, "v" + i);
        }
        first.write(WriteKind.DELETE, Node.key("row3"), null);
        Node second = takeOver();
        assertThat(second.range().ownership().epoch())
                .isGreaterThan(range.ownership().epoch());
        for (int i = 0; i < 20; i++) {
            assertThat(second.value("row" + i)).isEqualTo(i == 3 ? null : "v" + i);
        }
    }

    @Test
    void anOldOwnerThatIsOnlyCutOffFromTheMastersTakesEffectInNothing() {
        first.put("a", "old");
        Node second = takeOver();
        second.put("a", "new");

        assertThat(first.ranges()).containsExactly(range);
        Answer<WriteReply> conflict = insert(range, "a");
        assertThat(code(conflict)).as("a zombie's 409 is confirmed by nothing").isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(first.value("a")).isEqualTo("UNAVAILABLE");
        assertThat(code(insert(range, "b"))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(second.value("b")).isNull();

        cluster.cutOff.clear();
        cluster.loop.advanceMillis(5000);
        assertThat(first.ranges()).isEmpty();
        assertThat(code(insert(range, "b"))).isEqualTo(ErrorCode.NOT_OWNER);
        assertThat(second.value("a")).isEqualTo("new");
    }

    @Test
    void aZombiesWriteFailsAndItsOutcomeIsReadFromTheSealedLength() {
        Node second = cluster.start("s2");
        cluster.dfs.holdAppends(path -> path.contains("-s1.") && path.contains("-log-"));
        Answer<WriteReply> inside = insert(range, "inside");
        Answer<WriteReply> outside = insert(range, "outside");
        cluster.dfs.keepAtSeal(80);
        cluster.takeOver("s1", "s2");
        assertThat(code(inside)).isEqualTo(ErrorCode.OK);
        assertThat(code(outside)).as("it never happened").isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(second.value("inside")).isEqualTo("1");
        assertThat(second.value("outside")).isNull();
    }

    @Test
    void aBarrierUnderWayBeforeATakeoverConfirmsNoLaterRead() {
        first.put("a", "old");
        cluster.dfs.holdBarrierAnswers();
        Answer<ReadReply> before = Node.read(range, Node.key("a"));
        turn();
        Node second = cluster.start("s2");
        cluster.takeOver("s1", "s2");
        second.put("a", "new");
        Answer<ReadReply> after = Node.read(range, Node.key("a"));
        turn();
        cluster.dfs.releaseBarrierAnswers();
        turn();
        assertThat(Node.valueOf(before.get())).isEqualTo("old"); // It was executed before the takeover.
        assertThat(Node.valueOf(after.get())).isEqualTo("UNAVAILABLE");
    }

    @Test
    void aFirstAppendPausedOverATakeoverFails() {
        cluster = Cluster.withCheckpointsAt(200);
        first = cluster.start("s1");
        range = first.range();
        String begun = first.logPath();
        cluster.dfs.holdAppends(path -> path.contains("-log-") && !path.equals(begun));
        for (int i = 0; i < 5; i++) {
            insert(range, "row" + i);
        }
        assertThat(first.logPath()).isNotEqualTo(begun);
        Answer<WriteReply> paused = insert(range, "paused");
        assertThat(paused.isGiven()).isFalse();
        Node second = takeOver();
        cluster.dfs.releaseAppends();
        turn();
        assertThat(code(paused)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(second.value("paused")).isNull();
        assertThat(second.value("row0")).isEqualTo("1");
    }

    @Test
    void aLatePublishDuringATakeoverMakesTheTakerBeginAgain() {
        cluster = Cluster.withCheckpointsAt(200);
        first = cluster.start("s1");
        range = first.range();
        Node second = cluster.start("s2");
        cluster.masters.holdCommands();
        for (int i = 0; i < 5; i++) {
            insert(range, "row" + i);
        }
        // The publish of s1 is on its way while s1 is declared dead; it arrives first, as if it had been in time.
        Row before = cluster.masters.onlyRow();
        cluster.cutOff.add("s1");
        cluster.masters.taker = "s2";
        cleave.model.Incarnation dead = cluster.incarnation("s1");
        cluster.masters.live.remove(dead);
        cluster.loop.advanceMillis(300);
        cluster.masters.live.add(dead);
        cluster.masters.releaseCommands();
        cluster.masters.live.remove(dead);
        cluster.settle();
        assertThat(cluster.masters.commands.get(1)).startsWith("publish");
        assertThat(cluster.masters.onlyRow().version()).isGreaterThan(before.version());
        assertThat(second.range().ownership().range()).isEqualTo(before.id());
        for (int i = 0; i < 5; i++) {
            assertThat(second.value("row" + i)).isEqualTo("1");
        }
    }

    @Test
    void aServerCutOffFromTheMastersGoesOnServing() {
        cluster.cutOff.add("s1");
        cluster.loop.advanceMillis(60_000);
        assertThat(first.put("a", "1")).isEqualTo(ErrorCode.OK);
        assertThat(first.value("a")).isEqualTo("1");
        assertThat(first.membership.readiness().ready()).isFalse();
    }

    @Test
    void itsDfsIsToldToTheMastersAndTheirRefusalToOperators() {
        cluster.settle();
        assertThat(cluster.masters.told).containsExactly(Cluster.DFS);
        cluster.masters.refusal = "server s1 uses another DFS";
        cluster.loop.advanceMillis(60_000);
        assertThat(first.membership.readiness().missing())
                .contains("the leader refuses them: server s1 uses another DFS");
        cluster.masters.refusal = "";
        cluster.loop.advanceMillis(60_000);
        assertThat(first.membership.readiness().ready()).isTrue();
    }

    /** Leaders of older versions give it none; one of a newer version then asks for it. */
    @Test
    void anIdThatTheDfsGetsLaterIsToldByTheSameIncarnation() {
        Cluster old = new Cluster();
        old.dfs.delete(old.dfs.paths("dfs/").get(0)).join();
        Node server = old.start("s1");
        assertThat(old.masters.told).containsExactly("");
        cleave.model.Incarnation incarnation = old.incarnation("s1");
        DfsIdentityFile.make(old.dfs, DfsIdentity.of(Cluster.DFS)).join();
        old.masters.dfsNeeded = true;

        old.loop.advanceMillis(1_000);

        assertThat(old.masters.told).containsExactly("", Cluster.DFS);
        assertThat(server.membership.readiness().ready()).isTrue();
        assertThat(old.incarnation("s1")).isEqualTo(incarnation);
    }

    @Test
    void timestampsGoOnAboveThoseOfTheOwnerBefore() {
        long before = first.write(WriteKind.INSERT, Node.key("a"), "1").getTimestamps(0);
        first.write(WriteKind.DELETE, Node.key("a"), null);
        cluster.loop.jumpTicks(-1_000_000_000);
        Node second = takeOver();
        assertThat(second.write(WriteKind.INSERT, Node.key("a"), "1").getTimestamps(0))
                .isGreaterThan(before);
    }

    @Test
    void aLogThatWasDeletedUnderItsWriterEndsTheRange() {
        Answer<WriteReply> answer;
        cluster.dfs.holdAppends(path -> true);
        answer = insert(range, "a");
        cluster.dfs.delete(first.logPath());
        turn();
        assertThat(code(answer)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(first.ranges()).isEmpty();
    }

    @Test
    void whatIsInFlightWhenTheRangeIsDroppedIsAnsweredByTheSealedLength() {
        cluster.dfs.holdAppends(path -> path.contains("-log-"));
        Answer<WriteReply> inside = insert(range, "inside");
        Answer<WriteReply> outside = insert(range, "outside");
        Answer<WriteReply> judged = insert(range, "outside");
        String log = first.logPath();
        first.membership.stop();
        turn();
        assertThat(first.stores.open).isZero();
        assertThat(inside.isGiven()).isFalse();
        cluster.dfs.unavailableSeals = 2;
        cluster.dfs.breakAppends(log, 80);
        cluster.settle();
        assertThat(cluster.dfs.isSealed(log)).isTrue();
        assertThat(code(inside)).isEqualTo(ErrorCode.OK);
        assertThat(code(outside)).as("it never happened").isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(code(judged)).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void aRangeDroppedWhileItsBrokenLogIsSealedStillTellsTheTruth() {
        cluster.dfs.holdAppends(path -> path.contains("-log-"));
        Answer<WriteReply> inside = insert(range, "inside");
        Answer<WriteReply> outside = insert(range, "outside");
        cluster.dfs.unavailableSeals = 2;
        cluster.dfs.breakAppends(first.logPath(), 80);
        turn();
        assertThat(inside.isGiven()).isFalse();
        first.membership.stop();
        cluster.settle();
        assertThat(code(inside)).isEqualTo(ErrorCode.OK);
        assertThat(code(outside)).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void aDroppedRangeThatCannotLearnTheTruthSaysSoAfterAWhile() {
        cluster.dfs.holdAppends(path -> path.contains("-log-"));
        Answer<WriteReply> write = insert(range, "a");
        Answer<WriteReply> judged = insert(range, "a");
        first.membership.stop();
        cluster.dfs.unavailableSeals = Integer.MAX_VALUE;
        cluster.dfs.breakAppends(first.logPath(), 80);
        cluster.loop.advanceMillis(60_000);
        assertThat(code(write)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(code(judged)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(Integer.MAX_VALUE - cluster.dfs.unavailableSeals).isLessThan(20);
    }

    @Test
    void aDeadIncarnationDropsItsRangesAndRegistersAnew() {
        first.put("a", "1");
        cluster.masters.declareDead(cluster.incarnation("s1"));
        cluster.settle();
        assertThat(first.range()).isNotSameAs(range);
        assertThat(code(insert(range, "b"))).isEqualTo(ErrorCode.NOT_OWNER);
        assertThat(first.value("a")).isEqualTo("1");
        assertThat(first.stores.open).isEqualTo(1);
    }
}
