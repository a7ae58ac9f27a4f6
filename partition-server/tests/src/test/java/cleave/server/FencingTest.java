package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.DfsIdentityFile;
import cleave.model.DfsIdentity;
import org.junit.jupiter.api.Test;

/** The log is the lock: appends of unknown fate, seals from outside, takeovers, and what an old owner can still do. */
class FencingTest {
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
}
