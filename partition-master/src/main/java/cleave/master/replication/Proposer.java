package cleave.master.replication;

import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.runtime.loop.EventLoop;
import java.util.function.Consumer;

/**
 * Proposes commands of one kind, one at a time: while one is unanswered, others are passed over, since their proposers look at
 * the state again later. Confined to the master loop.
 */
public final class Proposer {
    private final EventLoop loop;
    private final Replication replication;
    private boolean busy;
    private long generation;

    public Proposer(EventLoop loop, Replication replication) {
        this.loop = loop;
        this.replication = replication;
    }

    /** Another term: answers to what was proposed before are of no interest. */
    public void reset() {
        loop.assertInside();
        generation++;
        busy = false;
    }

    public boolean isBusy() {
        loop.assertInside();
        return busy;
    }

    public void propose(MasterCommand command, Consumer<MasterAnswer> answered) {
        loop.assertInside();
        if (busy) {
            return;
        }
        busy = true;
        long proposedIn = generation;
        replication
                .propose(command)
                .thenAccept(answer -> loop.submit(() -> {
                    if (generation == proposedIn) {
                        busy = false;
                        answered.accept(answer);
                    }
                }));
    }
}
