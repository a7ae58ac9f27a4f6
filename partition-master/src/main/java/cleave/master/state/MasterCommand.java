package cleave.master.state;

import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The commands that the masters replicate: decisions, never requests. Immutable. Each names the version of every row
 * that it was built on, so a decision that comes too late changes nothing.
 *
 * <p>A replica that skipped a command would differ from the others forever. So a new kind of command, or a new field of
 * one, belongs to a feature level ({@link #level}), and is proposed only once the cluster has reached it.
 */
public sealed interface MasterCommand {
    /**
     * The lowest feature level at which this may be proposed, because every master can apply it. A new kind of command,
     * or one with a new field, overrides this.
     */
    default int level() {
        return FeatureLevels.FIRST;
    }

    /**
     * The founding of a cluster: its id, and one row for the whole key space, without owner and manifest. It also sets
     * the feature level that cluster ids need, which all founding members support.
     */
    record Initialize(String cluster) implements MasterCommand {
        @Override
        public int level() {
            return cluster.isEmpty() ? FeatureLevels.FIRST : FeatureLevels.LEVELS;
        }
    }

    /**
     * The registration of a server process, which also declares earlier incarnations of its id dead.
     *
     * @param levels that the server supports; null below {@link FeatureLevels#LEVELS}, when they do not enter the log
     */
    record Register(String server, String address, @Nullable FeatureLevels levels) implements MasterCommand {
        /** A server of this version. */
        public Register(String server, String address) {
            this(server, address, FeatureLevels.SUPPORTED);
        }

        @Override
        public int level() {
            return levels == null ? FeatureLevels.FIRST : FeatureLevels.LEVELS;
        }
    }

    /**
     * From now on commands and formats of this level may be written. Every master that applies this command must
     * support the level.
     *
     * @param servers that are known to support it; if another one is registered, the command is refused
     */
    record RaiseLevel(int to, List<Incarnation> servers) implements MasterCommand {
        public RaiseLevel {
            servers = List.copyOf(servers);
        }

        @Override
        public int level() {
            return to;
        }
    }

    /** These incarnations are dead: their ranges may be taken over without their consent. */
    record DeclareDead(List<Incarnation> incarnations) implements MasterCommand {
        public DeclareDead {
            incarnations = List.copyOf(incarnations);
        }
    }

    /** The owner names a new manifest for its range. */
    record Publish(Incarnation incarnation, long range, long version, String manifest) implements MasterCommand {}

    /**
     * Replaces the sources by the targets atomically: takeover, split, merge and move.
     *
     * @param by the incarnation that commits
     * @param sources adjacent, in key order
     * @param targets tile the union of the sources, in key order
     * @param sealed of a takeover: the fences of dead incarnations that {@code by} has sealed
     */
    record Handoff(Incarnation by, List<SourceRow> sources, List<TargetRow> targets, List<Fence> sealed)
            implements MasterCommand {
        public Handoff {
            sources = List.copyOf(sources);
            targets = List.copyOf(targets);
            sealed = List.copyOf(sealed);
        }

        /** A handoff of ranges whose owners have no fence, or consent. */
        public Handoff(Incarnation by, List<SourceRow> sources, List<TargetRow> targets) {
            this(by, sources, targets, List.of());
        }

        @Override
        public int level() {
            return sealed.isEmpty() ? FeatureLevels.FIRST : FeatureLevels.FENCES;
        }
    }

    /** The incarnation may confirm reads by this fence from now on, and by none before it. */
    record ArmFence(Fence fence) implements MasterCommand {
        @Override
        public int level() {
            return FeatureLevels.FENCES;
        }
    }

    /**
     * A row that is replaced, at the version that its proposer knew.
     *
     * @param ownerConsent the owner consents, because it commits this itself; without consent the owner must not be
     *     live
     */
    record SourceRow(long range, long version, boolean ownerConsent) {}

    /** A new range with its owner and its manifest. */
    record TargetRow(KeyRange range, Incarnation owner, String manifest) {}

    /** Allocates the next {@code count} table ids. */
    record AllocateTableIds(int count) implements MasterCommand {}

    /** A table is to be dropped; its drop is pending until {@link DropDone}. */
    record DropTable(Drop drop) implements MasterCommand {}

    /** The drop of this table id is complete. */
    record DropDone(long table) implements MasterCommand {}

    /**
     * A server starts to drain: it gets no more ranges and loses its own. If not {@code draining}, it stops draining.
     */
    record Drain(Incarnation incarnation, boolean draining) implements MasterCommand {}

    /** The balancer's first settings, by name; changes nothing once there are some. */
    record SeedSettings(Map<String, String> texts) implements MasterCommand {
        public SeedSettings {
            texts = Collections.unmodifiableSortedMap(new TreeMap<>(texts));
        }
    }

    /** New values for some of the balancer's settings: all of them are legal, or none counts. */
    record ChangeSettings(Map<String, String> texts) implements MasterCommand {
        public ChangeSettings {
            texts = Collections.unmodifiableSortedMap(new TreeMap<>(texts));
        }
    }

    /**
     * Replaces all ranges of an empty cluster by those of a backup, which have no owner yet.
     *
     * @param sources all rows; their logs are sealed, and nothing was ever written to them
     * @param ranges tile the key space, in key order
     * @param nextTable above all table ids of the backup
     * @param drops that were under way when the backup was made
     */
    record Restore(List<SourceRow> sources, List<Restored> ranges, long nextTable, List<Drop> drops)
            implements MasterCommand {
        public Restore {
            sources = List.copyOf(sources);
            ranges = List.copyOf(ranges);
            drops = List.copyOf(drops);
        }

        @Override
        public int level() {
            return FeatureLevels.LEVELS;
        }
    }

    /**
     * The cluster's files are in another DFS from now on, to which they were copied. Servers that were registered before are dead.
     *
     * @param before the id of the DFS until now; empty if none was known, and then no server dies
     * @param mapVersion of the map whose manifests were all found in the new DFS
     */
    record UseDfs(String before, String after, long mapVersion) implements MasterCommand {
        @Override
        public int level() {
            return FeatureLevels.DFS;
        }
    }

    /** An operator begins to have something done; the index of this command becomes the act's number. */
    record BeginAct(Act act) implements MasterCommand {
        @Override
        public int level() {
            return FeatureLevels.ACTS;
        }
    }

    /** The act has ended so. */
    record EndAct(long number, String outcome) implements MasterCommand {
        @Override
        public int level() {
            return FeatureLevels.ACTS;
        }
    }

    /** A restored range with its manifest. */
    record Restored(KeyRange range, String manifest) {}

    /** Changes nothing; its answer proves that its proposer can still replicate. */
    record NoOp() implements MasterCommand {}
}
