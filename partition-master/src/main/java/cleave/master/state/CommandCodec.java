package cleave.master.state;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.ArmFence;
import cleave.master.state.MasterCommand.BeginAct;
import cleave.master.state.MasterCommand.ChangeSettings;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Drain;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.EndAct;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.Restore;
import cleave.master.state.MasterCommand.Restored;
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.master.state.MasterCommand.UseDfs;
import cleave.model.Damaged;
import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.KnownFields;
import cleave.model.UnknownFormat;
import cleave.wire.AllocateRequest;
import cleave.wire.DeclareDeadCommand;
import cleave.wire.DrainCommand;
import cleave.wire.DropDoneCommand;
import cleave.wire.DropTableRequest;
import cleave.wire.EndActCommand;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.InitializeCommand;
import cleave.wire.NoOpCommand;
import cleave.wire.PublishRequest;
import cleave.wire.RaiseLevelCommand;
import cleave.wire.RegisterCommand;
import cleave.wire.RestoreRequest;
import cleave.wire.RestoredRange;
import cleave.wire.SeedSettingsCommand;
import cleave.wire.SettingsChange;
import cleave.wire.UseDfsCommand;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Commands to and from the wire, and to and from the bytes of the log. Stateless. What is no command throws
 * {@link IllegalArgumentException} with a message for its sender; bytes of the log that this version cannot read are
 * {@link Damaged}, and mostly {@link UnknownFormat}: they were written by a newer one.
 */
public final class CommandCodec {
    private CommandCodec() {}

    /** The bytes with which a command enters the log of a cluster at this feature level. IllegalArgumentException: it must not enter it. */
    public static byte[] encode(MasterCommand command, int clusterLevel) {
        if (command.level() > clusterLevel && !bringsLevel(command)) {
            throw new IllegalArgumentException(tooNew(command, clusterLevel));
        }
        byte[] bytes = toWire(command).toByteArray();
        MasterCommand read;
        try {
            read = decode(bytes, new FeatureLevels(FeatureLevels.FIRST, command.level()));
        } catch (Damaged unreadable) {
            throw new IllegalArgumentException(unreadable.getMessage(), unreadable);
        }
        if (!read.equals(command)) {
            throw new IllegalArgumentException("it would be read from the log as another command: " + read);
        }
        return bytes;
    }

    /** Such a command may be above the cluster's level. */
    static boolean bringsLevel(MasterCommand command) {
        return command instanceof RaiseLevel || command instanceof Initialize;
    }

    static String tooNew(MasterCommand command, int clusterLevel) {
        return command.getClass().getSimpleName() + " needs feature level " + command.level() + "; the cluster is at "
                + clusterLevel;
    }

    /** A command of the log. {@link Damaged}, or {@link UnknownFormat}, if it cannot be applied by one who knows these levels. */
    public static MasterCommand decode(byte[] bytes, FeatureLevels known) {
        cleave.wire.MasterCommand wire;
        try {
            wire = cleave.wire.MasterCommand.parseFrom(bytes);
        } catch (InvalidProtocolBufferException malformed) {
            throw new Damaged("it is no command: " + malformed.getMessage(), malformed);
        }
        known.check("the command", Math.max(FeatureLevels.FIRST, wire.getLevel()));
        KnownFields.check("the command", wire);
        try {
            return fromWire(wire);
        } catch (IllegalArgumentException illegal) {
            throw new Damaged("the command is illegal: " + illegal.getMessage(), illegal);
        }
    }

    public static cleave.wire.MasterCommand toWire(MasterCommand command) {
        cleave.wire.MasterCommand.Builder wire = cleave.wire.MasterCommand.newBuilder();
        if (command.level() > FeatureLevels.FIRST) {
            wire.setLevel(command.level());
        }
        if (command instanceof Publish publish) {
            return wire.setPublish(toWire(publish)).build();
        }
        if (command instanceof Handoff handoff) {
            return wire.setHandoff(toWire(handoff)).build();
        }
        if (command instanceof NoOp) {
            return wire.setNoOp(NoOpCommand.getDefaultInstance()).build();
        }
        if (command instanceof Register register) {
            return wire.setRegister(toWire(register)).build();
        }
        if (command instanceof RaiseLevel raise) {
            RaiseLevelCommand.Builder raised = RaiseLevelCommand.newBuilder().setLevel(raise.to());
            raise.servers().forEach(server -> raised.addServers(server.toWire()));
            return wire.setRaiseLevel(raised).build();
        }
        if (command instanceof DeclareDead dead) {
            DeclareDeadCommand.Builder list = DeclareDeadCommand.newBuilder();
            dead.incarnations().forEach(incarnation -> list.addIncarnations(incarnation.toWire()));
            return wire.setDeclareDead(list).build();
        }
        if (command instanceof AllocateTableIds allocate) {
            return wire.setAllocate(AllocateRequest.newBuilder().setCount(allocate.count()))
                    .build();
        }
        if (command instanceof DropTable drop) {
            return wire.setDrop(DropTableRequest.newBuilder()
                            .setAccount(drop.drop().account())
                            .setName(drop.drop().name())
                            .setTable(drop.drop().table()))
                    .build();
        }
        if (command instanceof DropDone done) {
            return wire.setDropDone(DropDoneCommand.newBuilder().setTable(done.table()))
                    .build();
        }
        if (command instanceof Initialize initialize) {
            return wire.setInitialize(InitializeCommand.newBuilder().setCluster(initialize.cluster()))
                    .build();
        }
        if (command instanceof Drain drain) {
            return wire.setDrain(DrainCommand.newBuilder()
                            .setIncarnation(drain.incarnation().toWire())
                            .setUndo(!drain.draining()))
                    .build();
        }
        if (command instanceof SeedSettings seed) {
            return wire.setSeedSettings(
                            SeedSettingsCommand.newBuilder().addAllSettings(SettingsCodec.toWire(seed.texts())))
                    .build();
        }
        if (command instanceof ChangeSettings change) {
            return wire.setChangeSettings(
                            SettingsChange.newBuilder().addAllSettings(SettingsCodec.toWire(change.texts())))
                    .build();
        }
        if (command instanceof Restore restore) {
            return wire.setRestore(toWire(restore)).build();
        }
        if (command instanceof UseDfs use) {
            return wire.setUseDfs(toWire(use)).build();
        }
        if (command instanceof BeginAct begin) {
            return wire.setBeginAct(begin.act().toWire()).build();
        }
        if (command instanceof EndAct end) {
            return wire.setEndAct(
                            EndActCommand.newBuilder().setNumber(end.number()).setOutcome(end.outcome()))
                    .build();
        }
        if (command instanceof ArmFence arm) {
            return wire.setArmFence(arm.fence().toWire()).build();
        }
        throw new AssertionError("unhandled command " + command);
    }

    public static MasterCommand fromWire(cleave.wire.MasterCommand wire) {
        return switch (wire.getCommandCase()) {
            case PUBLISH -> fromWire(wire.getPublish());
            case HANDOFF -> fromWire(wire.getHandoff());
            case NO_OP -> new NoOp();
            case REGISTER -> fromWire(wire.getRegister());
            case RAISE_LEVEL ->
                new RaiseLevel(
                        wire.getRaiseLevel().getLevel(),
                        wire.getRaiseLevel().getServersList().stream()
                                .map(Incarnation::fromWire)
                                .toList());
            case DECLARE_DEAD ->
                new DeclareDead(wire.getDeclareDead().getIncarnationsList().stream()
                        .map(Incarnation::fromWire)
                        .toList());
            case ALLOCATE -> fromWire(wire.getAllocate());
            case DROP -> fromWire(wire.getDrop());
            case DROP_DONE -> new DropDone(wire.getDropDone().getTable());
            case DRAIN ->
                new Drain(
                        Incarnation.fromWire(wire.getDrain().getIncarnation()),
                        !wire.getDrain().getUndo());
            case SEED_SETTINGS ->
                seeded(SettingsCodec.fromWire(wire.getSeedSettings().getSettingsList()));
            case CHANGE_SETTINGS ->
                new ChangeSettings(
                        SettingsCodec.fromWire(wire.getChangeSettings().getSettingsList()));
            case RESTORE -> fromWire(wire.getRestore());
            case USE_DFS -> fromWire(wire.getUseDfs());
            case BEGIN_ACT -> new BeginAct(Act.fromWire(wire.getBeginAct()));
            case END_ACT ->
                new EndAct(wire.getEndAct().getNumber(), wire.getEndAct().getOutcome());
            case ARM_FENCE -> fromWire(wire.getArmFence());
            case INITIALIZE -> new Initialize(wire.getInitialize().getCluster());
            case COMMAND_NOT_SET -> throw new IllegalArgumentException("it says nothing");
        };
    }

    private static UseDfsCommand toWire(UseDfs use) {
        return UseDfsCommand.newBuilder()
                .setBefore(use.before())
                .setAfter(use.after())
                .setMapVersion(use.mapVersion())
                .build();
    }

    private static UseDfs fromWire(UseDfsCommand wire) {
        if (wire.getAfter().isEmpty()) {
            throw new IllegalArgumentException("it names no DFS");
        }
        return new UseDfs(wire.getBefore(), wire.getAfter(), wire.getMapVersion());
    }

    private static SeedSettings seeded(Map<String, String> texts) {
        BalancerSettings.replicated(texts);
        return new SeedSettings(texts);
    }

    private static RegisterCommand toWire(Register register) {
        RegisterCommand.Builder wire =
                RegisterCommand.newBuilder().setServer(register.server()).setAddress(register.address());
        FeatureLevels levels = register.levels();
        if (levels != null) {
            wire.setLevels(levels.toWire());
        }
        return wire.build();
    }

    private static Register fromWire(RegisterCommand wire) {
        return new Register(
                wire.getServer(),
                wire.getAddress(),
                wire.hasLevels() ? FeatureLevels.fromWire(wire.getLevels()) : null);
    }

    public static Publish fromWire(PublishRequest wire) {
        return new Publish(
                Incarnation.fromWire(wire.getIncarnation()), wire.getRange(), wire.getVersion(), wire.getManifest());
    }

    private static PublishRequest toWire(Publish publish) {
        return PublishRequest.newBuilder()
                .setIncarnation(publish.incarnation().toWire())
                .setRange(publish.range())
                .setVersion(publish.version())
                .setManifest(publish.manifest())
                .build();
    }

    public static Handoff fromWire(HandoffRequest wire) {
        return new Handoff(
                Incarnation.fromWire(wire.getBy()),
                wire.getSourcesList().stream().map(CommandCodec::fromWire).toList(),
                wire.getTargetsList().stream().map(CommandCodec::fromWire).toList(),
                wire.getSealedList().stream().map(Fence::fromWire).toList());
    }

    public static ArmFence fromWire(cleave.wire.Fence wire) {
        return new ArmFence(Fence.fromWire(wire));
    }

    private static SourceRow fromWire(HandoffSource wire) {
        return new SourceRow(wire.getRange(), wire.getVersion(), wire.getWord());
    }

    private static HandoffSource toWire(SourceRow source) {
        return HandoffSource.newBuilder()
                .setRange(source.range())
                .setVersion(source.version())
                .setWord(source.ownerConsent())
                .build();
    }

    private static TargetRow fromWire(HandoffTarget wire) {
        @Nullable KeyRange range = KeyRange.fromWire(wire.getStart(), wire.getEnd());
        if (range == null) {
            throw new IllegalArgumentException("a target's start is not below its end");
        }
        return new TargetRow(range, Incarnation.fromWire(wire.getOwner()), wire.getManifest());
    }

    private static HandoffRequest toWire(Handoff handoff) {
        HandoffRequest.Builder wire =
                HandoffRequest.newBuilder().setBy(handoff.by().toWire());
        handoff.sources().forEach(source -> wire.addSources(toWire(source)));
        for (TargetRow target : handoff.targets()) {
            wire.addTargets(HandoffTarget.newBuilder()
                    .setStart(target.range().startToWire())
                    .setEnd(target.range().endToWire())
                    .setOwner(target.owner().toWire())
                    .setManifest(target.manifest()));
        }
        handoff.sealed().forEach(fence -> wire.addSealed(fence.toWire()));
        return wire.build();
    }

    public static Restore fromWire(RestoreRequest wire) {
        return new Restore(
                wire.getSourcesList().stream().map(CommandCodec::fromWire).toList(),
                wire.getRangesList().stream().map(CommandCodec::fromWire).toList(),
                wire.getNextTable(),
                wire.getDropsList().stream().map(Drop::fromWire).toList());
    }

    private static Restored fromWire(RestoredRange wire) {
        KeyRange range = KeyRange.fromWire(wire.getStart(), wire.getEnd());
        if (range == null) {
            throw new IllegalArgumentException("a range's start is not below its end");
        }
        return new Restored(range, wire.getManifest());
    }

    private static RestoreRequest toWire(Restore restore) {
        RestoreRequest.Builder wire = RestoreRequest.newBuilder().setNextTable(restore.nextTable());
        restore.sources().forEach(source -> wire.addSources(toWire(source)));
        for (Restored each : restore.ranges()) {
            wire.addRanges(RestoredRange.newBuilder()
                    .setStart(each.range().startToWire())
                    .setEnd(each.range().endToWire())
                    .setManifest(each.manifest()));
        }
        restore.drops().forEach(drop -> wire.addDrops(drop.toWire()));
        return wire.build();
    }

    public static AllocateTableIds fromWire(AllocateRequest wire) {
        return new AllocateTableIds(wire.getCount());
    }

    public static DropTable fromWire(DropTableRequest wire) {
        if (wire.getAccount().isEmpty() || wire.getName().isEmpty()) {
            throw new IllegalArgumentException("a drop names the account and the table");
        }
        return new DropTable(new Drop(wire.getAccount(), wire.getName(), wire.getTable()));
    }
}
