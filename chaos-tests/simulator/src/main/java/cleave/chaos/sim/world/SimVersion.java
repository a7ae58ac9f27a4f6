package cleave.chaos.sim.world;

import cleave.master.state.CommandCodec;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterState;
import cleave.master.state.SnapshotCodec;
import cleave.model.FeatureLevels;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;

/** The version of a process's program: the present one, or a newer one that knows one more feature level. Immutable. */
public enum SimVersion {
    PRESENT(FeatureLevels.SUPPORTED),
    /** From its new level on, it allocates table ids by a command that the present version does not know. */
    NEWER(new FeatureLevels(FeatureLevels.SUPPORTED.min(), FeatureLevels.SUPPORTED.max() + 1));

    private static final int NEW_FIELD = 1_000;

    @SuppressWarnings("ImmutableEnumChecker") // A record of two numbers.
    private final FeatureLevels levels;

    SimVersion(FeatureLevels levels) {
        this.levels = levels;
    }

    public FeatureLevels levels() {
        return levels;
    }

    /** Like {@link CommandCodec#encode}. */
    public byte[] encode(MasterCommand command, int clusterLevel) {
        byte[] bytes = CommandCodec.encode(command, clusterLevel);
        return this == NEWER && clusterLevel >= levels.max() && command instanceof AllocateTableIds allocate
                ? cleave.wire.MasterCommand.newBuilder()
                        .setLevel(levels.max())
                        .mergeUnknownFields(UnknownFieldSet.newBuilder()
                                .addField(
                                        NEW_FIELD,
                                        UnknownFieldSet.Field.newBuilder()
                                                .addVarint(allocate.count())
                                                .build())
                                .build())
                        .build()
                        .toByteArray()
                : bytes;
    }

    /** Like {@link CommandCodec#decode}. */
    public MasterCommand decode(byte[] bytes) {
        UnknownFieldSet unknown = wire(bytes).getUnknownFields();
        return this == NEWER && unknown.hasField(NEW_FIELD)
                ? new AllocateTableIds(
                        unknown.getField(NEW_FIELD).getVarintList().get(0).intValue())
                : CommandCodec.decode(bytes, levels);
    }

    /** The state that a process of this version restores from a snapshot of that state. */
    public MasterState restore(MasterState state) {
        return SnapshotCodec.decode(SnapshotCodec.encode(state), levels);
    }

    public static cleave.wire.MasterCommand wire(byte[] command) {
        try {
            return cleave.wire.MasterCommand.parseFrom(command);
        } catch (InvalidProtocolBufferException never) {
            throw new IllegalStateException(never);
        }
    }
}
