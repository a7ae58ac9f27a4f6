package cleave.master.state;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.ChangeSettings;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Drain;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.master.state.MasterCommand.Source;
import cleave.master.state.MasterCommand.Target;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.wire.AllocateRequest;
import cleave.wire.DeclareDeadCommand;
import cleave.wire.DrainCommand;
import cleave.wire.DropDoneCommand;
import cleave.wire.DropTableRequest;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.InitializeCommand;
import cleave.wire.NoOpCommand;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterCommand;
import cleave.wire.SeedSettingsCommand;
import cleave.wire.SettingsChange;
import com.google.protobuf.UnknownFieldSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Commands to and from the wire. Stateless. What is no command throws {@link IllegalArgumentException} with a message for its
 * sender.
 */
public final class CommandCodec {
    private CommandCodec() {}

    public static cleave.wire.MasterCommand toWire(MasterCommand command) {
        cleave.wire.MasterCommand.Builder wire = cleave.wire.MasterCommand.newBuilder();
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
            return wire.setRegister(RegisterCommand.newBuilder()
                            .setServer(register.server())
                            .setAddress(register.address()))
                    .build();
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
        if (command instanceof Initialize) {
            return wire.setInitialize(InitializeCommand.getDefaultInstance()).build();
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
        throw new AssertionError("unhandled command " + command);
    }

    public static MasterCommand fromWire(cleave.wire.MasterCommand wire) {
        return switch (wire.getCommandCase()) {
            case PUBLISH -> fromWire(wire.getPublish());
            case HANDOFF -> fromWire(wire.getHandoff());
            case NO_OP -> new NoOp();
            case REGISTER ->
                new Register(wire.getRegister().getServer(), wire.getRegister().getAddress());
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
                new SeedSettings(SettingsCodec.fromWire(wire.getSeedSettings().getSettingsList()));
            case CHANGE_SETTINGS ->
                new ChangeSettings(
                        SettingsCodec.fromWire(wire.getChangeSettings().getSettingsList()));
            case INITIALIZE -> new Initialize();
            case COMMAND_NOT_SET ->
                throw new IllegalArgumentException(
                        "no command that this version knows: fields " + fields(wire.getUnknownFields()));
        };
    }

    private static String fields(UnknownFieldSet unknown) {
        return unknown.asMap().keySet().stream().sorted().toList().toString();
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
        List<Source> sources = wire.getSourcesList().stream()
                .map(source -> new Source(source.getRange(), source.getVersion(), source.getWord()))
                .toList();
        List<Target> targets =
                wire.getTargetsList().stream().map(CommandCodec::fromWire).toList();
        return new Handoff(Incarnation.fromWire(wire.getBy()), sources, targets);
    }

    private static Target fromWire(HandoffTarget wire) {
        @Nullable KeyRange range = KeyRange.fromWire(wire.getStart(), wire.getEnd());
        if (range == null) {
            throw new IllegalArgumentException("a target's start is not below its end");
        }
        return new Target(range, Incarnation.fromWire(wire.getOwner()), wire.getManifest());
    }

    private static HandoffRequest toWire(Handoff handoff) {
        HandoffRequest.Builder wire =
                HandoffRequest.newBuilder().setBy(handoff.by().toWire());
        for (Source source : handoff.sources()) {
            wire.addSources(HandoffSource.newBuilder()
                    .setRange(source.range())
                    .setVersion(source.version())
                    .setWord(source.word()));
        }
        for (Target target : handoff.targets()) {
            wire.addTargets(HandoffTarget.newBuilder()
                    .setStart(target.range().startToWire())
                    .setEnd(target.range().endToWire())
                    .setOwner(target.owner().toWire())
                    .setManifest(target.manifest()));
        }
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
