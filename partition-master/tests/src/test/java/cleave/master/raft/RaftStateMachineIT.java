package cleave.master.raft;

import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.StateMachineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class RaftStateMachineIT extends StateMachineContract {
    @TempDir
    Path dir;

    private RaftPeers peers;

    @BeforeEach
    void start() {
        peers = new RaftPeers(dir, 1, 3);
        peers.startAll();
    }

    @AfterEach
    void close() {
        peers.close();
    }

    @Override
    protected MasterAnswer apply(MasterCommand command) {
        return peers.execute(command);
    }

    @Override
    protected MasterState state() {
        return peers.node("m1").state();
    }
}
