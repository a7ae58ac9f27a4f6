package cleave.master.raft;

import cleave.master.metrics.MasterMetrics;
import cleave.master.state.AnswerCodec;
import cleave.master.state.CommandCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.SnapshotCodec;
import cleave.master.state.Step;
import cleave.model.Damaged;
import cleave.model.FeatureLevels;
import cleave.model.UnknownFormat;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The adapter between Ratis and the pure state machine. Ratis applies changes on one thread at a time; {@link #applied}
 * is one volatile write, so reads and snapshots take no lock. A fault while applying is a bug that occurs on every
 * replica, and ends the process.
 *
 * <p>A command or snapshot that this version cannot read also ends the process, because a replica that skipped it would
 * differ from the others forever. Nothing after it is applied and nothing is lost: the same version halts there again,
 * and a newer one continues.
 */
final class MasterStateMachine extends BaseStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(MasterStateMachine.class);

    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private final FeatureLevels levels;
    private final MasterMetrics metrics;
    private final LongConsumer started;
    private final Consumer<MasterState> onState;
    private final Consumer<Throwable> onFault;
    private volatile Applied applied = new Applied(MasterState.EMPTY, -1);
    private volatile Configuration configuration = new Configuration(0, Map.of());
    private volatile boolean serving;
    private volatile boolean halted;
    private volatile boolean ended;

    /**
     * @param levels that this version supports
     * @param started called with the call id of a proposal before it enters the log
     * @param onState called with each state whose map is newer, in order
     * @param onFault ends the process
     */
    MasterStateMachine(
            FeatureLevels levels,
            MasterMetrics metrics,
            LongConsumer started,
            Consumer<MasterState> onState,
            Consumer<Throwable> onFault) {
        this.levels = levels;
        this.metrics = metrics;
        this.started = started;
        this.onState = onState;
        this.onFault = onFault;
    }

    /** A state and the index of the last command in it. Immutable. */
    record Applied(MasterState state, long index) {}

    /**
     * The masters at an index of the log. Immutable.
     *
     * @param rpcAddresses by member
     */
    record Configuration(long index, Map<String, String> rpcAddresses) {}

    /** The newest committed configuration that this master knows. */
    Configuration configuration() {
        return configuration;
    }

    @Override
    public void notifyConfigurationChanged(long term, long index, RaftConfigurationProto changed) {
        TreeMap<String, String> addresses = new TreeMap<>();
        for (RaftPeerProto peer : changed.getPeersList()) {
            addresses.put(peer.getId().toStringUtf8(), peer.getClientAddress());
        }
        configuration = new Configuration(index, addresses);
    }

    Applied applied() {
        return applied;
    }

    boolean hasEnded() {
        return ended;
    }

    /** While true, the end of the Raft server is a fault. */
    void serving(boolean isServing) {
        serving = isServing;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage) throws IOException {
        super.initialize(server, group, raftStorage);
        getLifeCycle()
                .startAndTransition(
                        () -> {
                            storage.init(raftStorage);
                            restore(storage.loadLatestSnapshot());
                        },
                        IOException.class);
    }

    /** Prepares to install a snapshot from the leader. */
    @Override
    public void pause() {
        if (getLifeCycleState() == LifeCycle.State.RUNNING) {
            getLifeCycle().transition(LifeCycle.State.PAUSING);
            getLifeCycle().transition(LifeCycle.State.PAUSED);
        }
    }

    /** Restores a snapshot that the leader installed. */
    @Override
    public void reinitialize() throws IOException {
        restore(storage.loadLatestSnapshot());
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    private void restore(@Nullable SingleFileSnapshotInfo snapshot) throws IOException {
        if (snapshot == null) {
            return;
        }
        File file = snapshot.getFile().getPath().toFile();
        MD5Hash sum = snapshot.getFile().getFileDigest();
        if (sum != null) {
            MD5FileUtil.verifySavedMD5(file, sum);
        }
        MasterState state;
        try (InputStream bytes = Files.newInputStream(file.toPath())) {
            state = SnapshotCodec.read(bytes, levels);
        } catch (Damaged unreadable) {
            throw halt(UnknownFormat.at("snapshot " + file, unreadable));
        }
        TermIndex last = snapshot.getTermIndex();
        setLastAppliedTermIndex(last);
        LOG.info(
                "snapshot restored index={} ranges={}",
                last.getIndex(),
                state.rows().size());
        publish(new Applied(state, last.getIndex()));
    }

    /** Stops applying commands. */
    private <T extends Throwable> T halt(T fault) {
        halted = true;
        onFault.accept(fault);
        return fault;
    }

    private void publish(Applied next) {
        boolean changed = next.state().mapVersion() != applied.state().mapVersion();
        applied = next;
        if (changed) {
            onState.accept(next.state());
        }
    }

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
        started.accept(request.getCallId());
        return super.startTransaction(request);
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        if (halted) {
            return CompletableFuture.failedFuture(new IllegalStateException("this master has halted"));
        }
        try {
            MasterAnswer answer = apply(entry);
            return CompletableFuture.completedFuture(Message.valueOf(
                    ByteString.copyFrom(AnswerCodec.toWire(answer).toByteArray())));
        } catch (RuntimeException | Error bug) {
            return CompletableFuture.failedFuture(halt(bug));
        }
    }

    private MasterAnswer apply(LogEntryProto entry) {
        long index = entry.getIndex();
        MasterState state = applied.state();
        Step step = state.step(decode(entry), index);
        updateLastAppliedTermIndex(TermIndex.valueOf(entry.getTerm(), index));
        publish(new Applied(step.state(), index));
        return step.answer();
    }

    private MasterCommand decode(LogEntryProto entry) {
        ByteString bytes = entry.getStateMachineLogEntry().getLogData();
        try {
            return CommandCodec.decode(bytes.toByteArray(), levels);
        } catch (Damaged unreadable) {
            throw UnknownFormat.at(
                    "command at index " + entry.getIndex() + " of the masters' log, term " + entry.getTerm(),
                    unreadable);
        }
    }

    /** Called by the applying thread, so that state and index belong together. */
    @Override
    public long takeSnapshot() throws IOException {
        TermIndex last = getLastAppliedTermIndex();
        if (halted) {
            throw new IOException("this master has halted");
        }
        if (last == null || last.getIndex() < 0) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
        MasterState state = applied.state();
        DurableFile.write(file.toPath(), to -> SnapshotCodec.write(state, to));
        MD5Hash sum = MD5FileUtil.computeAndSaveMd5ForFile(file);
        storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file.toPath(), sum), last));
        metrics.snapshots.inc();
        LOG.info("snapshot taken index={}", last.getIndex());
        return last.getIndex();
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    @Override
    public void notifyLogFailed(@Nullable Throwable cause, @Nullable LogEntryProto failed) {
        onFault.accept(new IOException("the Raft log failed", cause));
    }

    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean allServers) {
        if (serving && allServers) {
            onFault.accept(new IllegalStateException("the Raft server ended by itself"));
        } else if (serving) {
            ended = true; // Ratis ends a member that learns from others or from its own log that it was removed.
        }
    }
}
