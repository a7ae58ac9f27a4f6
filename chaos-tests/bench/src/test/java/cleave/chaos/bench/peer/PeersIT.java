package cleave.chaos.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import cleave.chaos.command.RunFolder;
import cleave.chaos.load.Workloads;
import cleave.chaos.load.run.Attempt;
import cleave.chaos.load.run.Target;
import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import cleave.chaos.load.workload.Planner;
import cleave.chaos.load.workload.Workload;
import cleave.chaos.process.Consumption;
import cleave.chaos.process.Patience;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real peers, where they are at hand. */
@Tag("nightly")
class PeersIT {
    private static final Patience START = Patience.ofSeconds(300);
    private static final Workload WORKLOAD = Workloads.of("ycsb-e");

    /** What a machine may lack. */
    private static final Pattern MISSING =
            Pattern.compile("were not fetched|there is no PostgreSQL server|needs Java|refuses to run as root");

    /** Starts one. */
    private interface Start {
        Peer in(RunFolder folder) throws IOException, InterruptedException;
    }

    private static void doesWhatATableServiceDoes(Start start) throws IOException, InterruptedException {
        try (RunFolder folder = RunFolder.temporary("cleave-peers-", line -> {});
                Peer peer = started(start, folder)) {
            Target target = peer.target();
            double before =
                    Consumption.isKnown() ? Consumption.ofTree(peer.id()).processor() : -1;
            target.fill("T", WORKLOAD);
            assertThat(target.count("T")).isEqualTo(WORKLOAD.shape().items());
            if (Consumption.isKnown()) {
                assertThat(Consumption.ofTree(peer.id()).processor()).isGreaterThan(before);
            }
            EntityKey there = Planner.loadedKey(WORKLOAD, 42);
            EntityKey fresh = new EntityKey(there.partition(), "x");
            try (Target.Session session = target.open("T", WORKLOAD, Duration.ofSeconds(60))) {
                assertThat(attempt(session, Action.GET, there)).isEqualTo(Attempt.done(1));
                assertThat(attempt(session, Action.GET, fresh)).isEqualTo(Attempt.notFound());
                assertThat(attempt(session, Action.MERGE, there).status()).isEqualTo(Attempt.Status.DONE);
                assertThat(attempt(session, Action.MERGE, fresh)).isEqualTo(Attempt.notFound());
                assertThat(attempt(session, Action.INSERT, there)).isEqualTo(Attempt.exists());
                assertThat(attempt(session, Action.INSERT, fresh).status()).isEqualTo(Attempt.Status.DONE);
                assertThat(attempt(session, Action.READ_MODIFY_WRITE, fresh).status())
                        .isEqualTo(Attempt.Status.DONE);
                // The partition has 100 rows, r000000 to r000099, of which this is the first.
                assertThat(attempt(session, Action.PAGE, there).reads()).isEqualTo(WORKLOAD.pageRows());
                assertThat(attempt(session, Action.PAGE, fresh).reads()).isEqualTo(1);
            }
            assertThat(target.count("T")).isEqualTo(WORKLOAD.shape().items() + 1);
            folder.succeeded();
        }
    }

    private static Peer started(Start start, RunFolder folder) throws IOException, InterruptedException {
        try {
            return start.in(folder);
        } catch (CommandFailure failed) {
            String why = String.valueOf(failed.getMessage());
            if (MISSING.matcher(why).find()) {
                return abort(why);
            }
            throw failed;
        }
    }

    private static Attempt attempt(Target.Session session, Action action, EntityKey key) {
        return session.attempt(new Operation(action, 42, List.of(key), 1_000_000));
    }

    @Test
    void cassandra() throws IOException, InterruptedException {
        doesWhatATableServiceDoes(folder -> Cassandra.started(folder.path().resolve("cassandra"), "512m", null, START));
    }

    @Test
    void postgres() throws IOException, InterruptedException {
        doesWhatATableServiceDoes(folder ->
                Postgres.started(folder.path(), folder.path().resolve("data").resolve("postgres"), START));
    }
}
