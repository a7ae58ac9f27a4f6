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
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.master.state.MasterCommand.UseDfs;
import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.runtime.settings.Settings.BadSetting;
import cleave.wire.ErrorCode;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * The replicated state of the masters. Immutable. Equal logs give equal states on every replica: {@link #step} is pure,
 * and every decision (which server, which version it was built on) is in the command.
 *
 * <p>Invariant I1: the rows tile the key space at every version. Invariant I4: the epoch of a row grows with every change of its
 * owner or bounds, and a command that names an older version changes nothing.
 *
 * @param cluster id of the cluster whose map this is; empty before {@link MasterCommand.Initialize}
 * @param mapVersion index of the last command that changed rows, servers or fences; 0 before the first
 * @param servers the live servers, by server id; an incarnation that is not here is dead or was never registered
 * @param nextTable the lowest table id that was never allocated
 * @param drops the pending ones, by table id
 * @param settings null before the first settings were replicated
 * @param level the cluster's feature level: commands that need a higher one are refused
 * @param dfs id of the DFS that keeps the cluster's files; empty while it is not known
 * @param fences by which incarnations may confirm reads, until those who take their ranges over have sealed them
 * @param acts what operators had the masters do last
 */
public record MasterState(
        String cluster,
        long mapVersion,
        Rows rows,
        TreePMap<String, Server> servers,
        long nextTable,
        TreePMap<Long, Drop> drops,
        @Nullable BalancerSettings settings,
        int level,
        String dfs,
        Fences fences,
        Acts acts) {
    public static final MasterState EMPTY = new MasterState(
            "",
            0,
            Rows.NONE,
            TreePMap.empty(),
            1,
            TreePMap.empty(),
            null,
            FeatureLevels.FIRST,
            "",
            Fences.NONE,
            Acts.NONE);

    /** Maximum number of table ids that one command allocates. */
    public static final int ALLOCATION_MAX = 1 << 16;

    /** Applies a command at a Raft index. */
    public Step step(MasterCommand command, long index) {
        if (command.level() > level && !CommandCodec.bringsLevel(command)) {
            return Step.refused(this, index, ErrorCode.INVALID, CommandCodec.tooNew(command, level));
        }
        if (command instanceof Publish publish) {
            return publish(publish, index);
        }
        if (command instanceof Handoff handoff) {
            return HandoffRule.apply(this, handoff, index);
        }
        if (command instanceof NoOp) {
            return new Step(this, MasterAnswer.ok(index));
        }
        if (command instanceof Register register) {
            return register(register, index);
        }
        if (command instanceof RaiseLevel raise) {
            return raise(raise, index);
        }
        if (command instanceof DeclareDead dead) {
            return declareDead(dead, index);
        }
        if (command instanceof AllocateTableIds allocate) {
            return allocate(allocate, index);
        }
        if (command instanceof DropTable drop) {
            return drop(drop.drop(), index);
        }
        if (command instanceof DropDone done) {
            return dropDone(done, index);
        }
        if (command instanceof Initialize initialize) {
            return initialize(initialize, index);
        }
        if (command instanceof Drain drain) {
            return drain(drain, index);
        }
        if (command instanceof SeedSettings seed) {
            BalancerSettings seeded = settings == null ? BalancerSettings.replicated(seed.texts()) : settings;
            return new Step(withSettings(seeded), MasterAnswer.ok(index));
        }
        if (command instanceof ChangeSettings change) {
            return change(change, index);
        }
        if (command instanceof Restore restore) {
            return RestoreRule.apply(this, restore, index);
        }
        if (command instanceof UseDfs use) {
            return useDfs(use, index);
        }
        if (command instanceof ArmFence arm) {
            return arm(arm.fence(), index);
        }
        if (command instanceof BeginAct begin) {
            String problem = begin.act().problem();
            return problem != null
                    ? Step.refused(this, index, ErrorCode.INVALID, problem)
                    : new Step(withActs(acts.plus(begin.act().numbered(index))), MasterAnswer.ok(index));
        }
        if (command instanceof EndAct end) {
            return Act.isOutcome(end.outcome())
                    ? new Step(withActs(acts.ended(end.number(), end.outcome())), MasterAnswer.ok(index))
                    : Step.refused(this, index, ErrorCode.INVALID, "an outcome is a short line of printable ASCII");
        }
        throw new AssertionError("unhandled command " + command);
    }

    private Step initialize(Initialize command, long index) {
        if (!rows.isEmpty()) {
            return new Step(this, MasterAnswer.ok(index));
        }
        Row whole = new Row(Row.id(index, 0), KeyRange.ALL, null, null, index, index);
        MasterState next = new MasterState(
                command.cluster(),
                index,
                rows.replace(List.of(), List.of(whole)),
                servers,
                nextTable,
                drops,
                settings,
                command.level(),
                dfs,
                fences,
                acts);
        return new Step(next, MasterAnswer.ok(index, List.of(whole)));
    }

    private Step register(Register command, long index) {
        String problem = Legal.serverProblem(command.server(), command.address());
        if (problem == null) {
            problem = levelProblem(command.server(), command.levels());
        }
        if (problem != null) {
            return Step.refused(this, index, ErrorCode.INVALID, problem);
        }
        Incarnation incarnation = new Incarnation(command.server(), index);
        MasterState next =
                withServers(servers.plus(command.server(), new Server(incarnation, command.address(), false)), index);
        return new Step(next, MasterAnswer.registered(index, incarnation));
    }

    /** Why a server cannot run at this cluster's level; null if it can. */
    public @Nullable String levelProblem(String server, @Nullable FeatureLevels levels) {
        FeatureLevels supported = levels == null ? FeatureLevels.UNTOLD : levels;
        return supported.contains(level)
                ? null
                : "server " + server + " supports " + supported + ", and the cluster is at level " + level
                        + ": start a version of the server that supports it";
    }

    private Step raise(RaiseLevel command, long index) {
        if (command.to() <= level) {
            return new Step(this, MasterAnswer.ok(index));
        }
        for (Server server : servers.values()) {
            if (!command.servers().contains(server.incarnation())) {
                String problem = "server " + server.incarnation() + " is not known to support level " + command.to();
                return Step.refused(this, index, ErrorCode.STALE_VERSION, problem);
            }
        }
        // The map's version grows, so that all watchers of the map get it.
        return new Step(
                new MasterState(
                        cluster, index, rows, servers, nextTable, drops, settings, command.to(), dfs, fences, acts),
                MasterAnswer.ok(index));
    }

    private Step declareDead(DeclareDead command, long index) {
        List<Incarnation> dying =
                command.incarnations().stream().filter(this::isLive).toList();
        TreePMap<String, Server> left = servers;
        for (Incarnation incarnation : dying) {
            left = left.minus(incarnation.server());
        }
        return new Step(dying.isEmpty() ? this : withServers(left, index), MasterAnswer.ok(index));
    }

    private Step publish(Publish command, long index) {
        if (!isLive(command.incarnation())) {
            return dead(command.incarnation(), index);
        }
        if (!Legal.isText(command.manifest())) {
            return Step.refused(this, index, ErrorCode.INVALID, "no path of a manifest: '" + command.manifest() + "'");
        }
        Row row = rows.row(command.range());
        if (row == null) {
            return stale(List.of(), index, "range " + Row.idText(command.range()) + " is not in the map");
        }
        if (!command.incarnation().equals(row.owner())) {
            return stale(List.of(row), index, "the range is not " + command.incarnation() + "'s: " + row);
        }
        if (command.manifest().equals(row.manifest()) && row.epoch() <= command.version()) {
            return new Step(this, MasterAnswer.ok(index, List.of(row)));
        }
        if (row.version() != command.version()) {
            return stale(List.of(row), index, "built on version " + command.version() + " of " + row);
        }
        // The epoch stays: owner and bounds do not change.
        Row published = new Row(row.id(), row.range(), row.owner(), command.manifest(), index, row.epoch());
        return replaced(List.of(row), List.of(published), index);
    }

    /** The first DFS is taken on trust. Servers that were registered on the one before would go on writing there, so they are dead. */
    private Step useDfs(UseDfs command, long index) {
        if (command.after().equals(dfs)) {
            return new Step(this, MasterAnswer.ok(index));
        }
        if (!command.before().equals(dfs) || (!dfs.isEmpty() && command.mapVersion() != mapVersion)) {
            String problem = "built on map version " + command.mapVersion() + " in DFS '" + command.before()
                    + "', but it is " + mapVersion + " in DFS '" + dfs + "'";
            return Step.refused(this, index, ErrorCode.STALE_VERSION, problem);
        }
        TreePMap<String, Server> left = dfs.isEmpty() ? servers : TreePMap.empty();
        long version = dfs.isEmpty() ? mapVersion : index;
        Fences needed = fences.needed(left, rows);
        MasterState next = new MasterState(
                cluster, version, rows, left, nextTable, drops, settings, level, command.after(), needed, acts);
        return new Step(next, MasterAnswer.ok(index));
    }

    private Step allocate(AllocateTableIds command, long index) {
        if (command.count() < 1 || command.count() > ALLOCATION_MAX) {
            return Step.refused(
                    this,
                    index,
                    ErrorCode.INVALID,
                    "table ids are given out 1 to " + ALLOCATION_MAX + " at a time, not " + command.count());
        }
        long free = nextTable + command.count();
        MasterState next =
                new MasterState(cluster, mapVersion, rows, servers, free, drops, settings, level, dfs, fences, acts);
        return new Step(next, MasterAnswer.allocated(index, nextTable));
    }

    private Step drop(Drop drop, long index) {
        if (drop.table() < 1 || drop.table() >= nextTable) {
            String problem = "table id " + drop.table() + " was never given out; the next one is " + nextTable;
            return Step.refused(this, index, ErrorCode.INVALID, problem);
        }
        if (!Legal.isText(drop.account()) || !Legal.isText(drop.name())) {
            return Step.refused(this, index, ErrorCode.INVALID, "a drop names the account and the table");
        }
        Drop pending = drops.get(drop.table());
        if (pending == null) {
            MasterState next = withDrops(drops.plus(drop.table(), drop));
            return new Step(next, MasterAnswer.ok(index));
        }
        return pending.equals(drop)
                ? new Step(this, MasterAnswer.ok(index))
                : Step.refused(this, index, ErrorCode.INVALID, "table id is being dropped as " + pending);
    }

    private Step dropDone(DropDone command, long index) {
        MasterState next = drops.containsKey(command.table()) ? withDrops(drops.minus(command.table())) : this;
        return new Step(next, MasterAnswer.ok(index));
    }

    private Step arm(Fence fence, long index) {
        Incarnation incarnation = fence.incarnation();
        if (!isLive(incarnation)) {
            return dead(incarnation, index);
        }
        Fence armed = fences.of(incarnation);
        return armed != null && armed.number() > fence.number()
                ? stale(List.of(), index, "fence " + armed + " has replaced " + fence)
                : new Step(withFences(fences.plus(fence), index), MasterAnswer.ok(index));
    }

    private Step drain(Drain command, long index) {
        Incarnation incarnation = command.incarnation();
        Server server = servers.get(incarnation.server());
        if (server == null || !server.incarnation().equals(incarnation)) {
            return dead(incarnation, index);
        }
        if (server.draining() == command.draining()) {
            return new Step(this, MasterAnswer.ok(index));
        }
        Server changed = new Server(incarnation, server.address(), command.draining());
        return new Step(withServers(servers.plus(incarnation.server(), changed), index), MasterAnswer.ok(index));
    }

    private Step change(ChangeSettings command, long index) {
        BalancerSettings changed = effectiveSettings();
        try {
            changed = changed.with(command.texts());
        } catch (BadSetting refused) {
            return Step.refused(this, index, ErrorCode.INVALID, String.valueOf(refused.getMessage()));
        }
        return new Step(withSettings(changed), MasterAnswer.ok(index));
    }

    Step dead(Incarnation incarnation, long index) {
        return Step.refused(this, index, ErrorCode.DEAD_INCARNATION, incarnation + " is no live incarnation");
    }

    Step stale(List<Row> asTheyAre, long index, String message) {
        return new Step(this, MasterAnswer.refused(index, ErrorCode.STALE_VERSION, message, asTheyAre));
    }

    /** @param sealed by the taker; a dead incarnation cannot confirm reads by these any more */
    Step replaced(List<Row> gone, List<Row> come, List<Fence> sealed, long index) {
        Step step = replaced(gone, come, index);
        Fences left = fences;
        for (Fence fence : sealed) {
            left = isLive(fence.incarnation()) ? left : left.minus(fence);
        }
        return new Step(step.state().withFences(left, index), step.answer());
    }

    private Step replaced(List<Row> gone, List<Row> come, long index) {
        Rows left = rows.replace(gone, come);
        MasterState next =
                new MasterState(cluster, index, left, servers, nextTable, drops, settings, level, dfs, fences, acts);
        return new Step(next, MasterAnswer.ok(index, come));
    }

    /**
     * The owners of before know nothing of this. Those who may confirm reads by a fence are dead from now on, so that it is sealed before
     * a restored range is served.
     */
    Step restored(List<Row> come, long firstFreeTable, TreePMap<Long, Drop> pending, long index) {
        Rows restored = rows.replace(List.copyOf(rows.all()), come);
        TreePMap<String, Server> left = servers;
        for (Incarnation owner : rows.owners()) {
            left = isLive(owner) && fences.of(owner) != null ? left.minus(owner.server()) : left;
        }
        MasterState next = new MasterState(
                cluster, index, restored, left, firstFreeTable, pending, settings, level, dfs, fences, acts);
        return new Step(next, MasterAnswer.ok(index));
    }

    private MasterState withServers(TreePMap<String, Server> live, long index) {
        return new MasterState(
                cluster, index, rows, live, nextTable, drops, settings, level, dfs, fences.needed(live, rows), acts);
    }

    private MasterState withDrops(TreePMap<Long, Drop> pending) {
        return new MasterState(
                cluster, mapVersion, rows, servers, nextTable, pending, settings, level, dfs, fences, acts);
    }

    /** A new version of the map, so that masters that are put back to a state without the fence, and a copy of the DFS, are seen to be old. */
    private MasterState withFences(Fences armed, long index) {
        return armed.equals(fences)
                ? this
                : new MasterState(cluster, index, rows, servers, nextTable, drops, settings, level, dfs, armed, acts);
    }

    private MasterState withSettings(BalancerSettings changed) {
        return changed.equals(settings)
                ? this
                : new MasterState(
                        cluster, mapVersion, rows, servers, nextTable, drops, changed, level, dfs, fences, acts);
    }

    /** The map stays, and so does its version. */
    private MasterState withActs(Acts changed) {
        return changed.equals(acts)
                ? this
                : new MasterState(
                        cluster, mapVersion, rows, servers, nextTable, drops, settings, level, dfs, fences, changed);
    }

    /** The settings of the balancer. */
    public BalancerSettings effectiveSettings() {
        return settings == null ? BalancerSettings.DEFAULT : settings;
    }

    /** True if this incarnation is live and draining. */
    public boolean isDraining(@Nullable Incarnation incarnation) {
        Server server = isLive(incarnation) && incarnation != null ? servers.get(incarnation.server()) : null;
        return server != null && server.draining();
    }

    /** True if some range has no live owner. */
    public boolean hasOrphans() {
        return !rows.unowned().isEmpty() || rows.owners().stream().anyMatch(owner -> !isLive(owner));
    }

    /** The ids of the ranges without a live owner, found by owners, which are few. */
    public SortedSet<Long> orphans() {
        TreeSet<Long> orphans = new TreeSet<>(rows.unowned());
        for (Incarnation owner : rows.owners()) {
            if (!isLive(owner)) {
                orphans.addAll(rows.ownedBy(owner));
            }
        }
        return orphans;
    }

    /** True if this incarnation is registered and was not declared dead. */
    public boolean isLive(@Nullable Incarnation incarnation) {
        if (incarnation == null) {
            return false;
        }
        Server server = servers.get(incarnation.server());
        return server != null && server.incarnation().equals(incarnation);
    }

    /**
     * True if this incarnation is certainly dead. One with a number above the map's version is only unknown here: it
     * may have been registered by a command that this replica has not applied yet.
     */
    public boolean isKnownDead(Incarnation incarnation) {
        return !isLive(incarnation) && incarnation.number() <= mapVersion;
    }

    /** The address of a live incarnation; null if it is not live. */
    public @Nullable String address(@Nullable Incarnation incarnation) {
        Server server = incarnation == null ? null : servers.get(incarnation.server());
        return server != null && server.incarnation().equals(incarnation) ? server.address() : null;
    }
}
