package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.SimWorld.Bug;
import cleave.dfs.bookkeeper.state.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Some days of processes that use files while everything fails; then calm, in which all is found and given back. */
final class SimRun {
    private static final int PROCESSES = 3;
    private static final int EPISODES = 14;
    private static final int STEPS = 60;
    private static final long MILLI = 1_000_000;
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long CALM = TimeUnit.DAYS.toNanos(9);

    private final SimWorld world;
    private final Random random;
    private final List<SimProcess> processes = new ArrayList<>();
    private final List<SimFile> files = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    private final boolean hasFences;

    private SimRun(long seed, Bug bug, boolean hasFences) {
        this.hasFences = hasFences;
        world = new SimWorld(seed, bug);
        random = world.random();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(world.start("p" + i));
        }
    }

    /** The answers that break the contract, and what was not given back; none if all is right. */
    static List<String> violations(long seed, Bug bug) {
        return violations(new SimRun(seed, bug, false));
    }

    /** The same, of a run in which every third file is a fence. */
    static List<String> violationsWithFences(long seed, Bug bug) {
        return violations(new SimRun(seed, bug, true));
    }

    private static List<String> violations(SimRun run) {
        for (int i = 0; i < EPISODES && run.violations.isEmpty(); i++) {
            run.episode();
        }
        if (run.violations.isEmpty()) {
            run.calm();
        }
        return run.violations;
    }

    private void episode() {
        world.faults(world.happens(0.5) ? 0 : 0.1 * random.nextDouble());
        for (int i = 0; i < STEPS; i++) {
            step(random.nextInt(100));
            world.time().advance((long) (40 * MILLI * random.nextDouble()));
        }
        world.faults(0);
        long[] gaps = {1_000 * MILLI, 1_000 * MILLI, HOUR / 2, 2 * HOUR, 7 * HOUR, 26 * HOUR};
        world.time().advance(gaps[random.nextInt(gaps.length)]);
    }

    private void step(int choice) {
        if (choice < 3) {
            fault();
        } else if (choice < 15) {
            any(processes, SimProcess::isAwake, this::create);
        } else if (choice < 50) {
            anyFile(SimFile::hasHandle, SimFile::append);
        } else if (choice < 60) {
            anyFile(SimFile::hasHandle, SimFile::barrier);
        } else if (choice < 62) {
            anyFile(SimFile::hasHandle, SimFile::close);
        } else {
            any(processes, SimProcess::isAwake, by -> step(choice, by));
        }
    }

    private void step(int choice, SimProcess by) {
        if (choice < 72) {
            anyFile(file -> file.mayBeEndedBy(by), file -> file.seal(by));
        } else if (choice < 80) {
            anyFile(file -> file.mayBeEndedBy(by), file -> file.delete(by));
        } else if (choice < 84) {
            anyFile(SimFile::wasDeletedLately, file -> file.createAgain(by));
        } else if (choice < 92) {
            anyFile(file -> file.mayBeEndedBy(by), file -> file.read(by));
        } else {
            anyFile(file -> file.mayBeEndedBy(by), file -> file.stat(by));
        }
    }

    private <T> void any(List<T> among, Predicate<T> which, Consumer<T> step) {
        List<T> fit = among.stream().filter(which).toList();
        if (!fit.isEmpty()) {
            step.accept(fit.get(random.nextInt(fit.size())));
        }
    }

    /** One of the last, most of the time. */
    private void anyFile(Predicate<SimFile> which, Consumer<SimFile> step) {
        int count = world.happens(0.8) ? 6 : files.size();
        List<SimFile> among = files.subList(Math.max(0, files.size() - count), files.size());
        any(among, file -> !file.isOver() && which.test(file), step);
    }

    private void create(SimProcess by) {
        SimFile file = new SimFile(world, violations, "f/" + files.size(), kind(), by);
        files.add(file);
        file.create();
    }

    private SimFile.Kind kind() {
        if (hasFences && files.size() % 3 == 0) {
            return SimFile.Kind.FENCE;
        }
        return world.happens(0.3) ? SimFile.Kind.STAGED : SimFile.Kind.PLAIN;
    }

    private void fault() {
        int which = random.nextInt(processes.size());
        switch (random.nextInt(6)) {
            case 0 -> {
                processes.get(which).die();
                processes.set(which, world.start("p" + which));
            }
            case 1 -> processes.get(which).sleep((long) (30_000 * MILLI * random.nextDouble()));
            case 2 -> processes.get(which).sleep((long) (40 * HOUR * random.nextDouble()));
            case 3 -> world.zooKeeperIsAway((long) (15_000 * MILLI * random.nextDouble()));
            case 4 -> world.bookies().stopOrStart();
            default -> world.bookies().restart();
        }
    }

    /** Everybody is there, and nothing fails. */
    private void calm() {
        world.bookies().restart();
        world.time().advance(41 * HOUR);
        SimProcess last = world.start("last");
        files.stream().filter(SimFile::hasHandle).forEach(SimFile::close);
        for (SimFile file : files) {
            if (file.isLiving()) {
                all(() -> file.seal(last), () -> file.stat(last), () -> file.read(last));
                check(file.isKnownTo(last), file + " cannot be sealed");
            } else if (file.isInDoubt()) {
                all(() -> file.delete(last));
            }
        }
        world.time().advance(CALM);
        checkIsGivenBack();
    }

    private void all(Runnable... steps) {
        for (Runnable step : steps) {
            step.run();
            world.time().advance(1_000 * MILLI);
        }
    }

    private void check(boolean isRight, String what) {
        if (!isRight) {
            violations.add(what);
        }
    }

    private void checkIsGivenBack() {
        Set<Long> named =
                names("/cleave/names").stream().map(Name::ledger).collect(Collectors.toCollection(TreeSet::new));
        named.remove(Name.NO_LEDGER);
        check(
                new TreeSet<>(world.bookies().ledgers()).equals(named),
                "the ledgers " + world.bookies().ledgers() + " are not those with names, " + named);
        check(names("/cleave/deleted").isEmpty(), "names of deleted files are left");
    }

    private List<Name> names(String tree) {
        return world.zooKeeper().below(tree).stream()
                .map(node -> world.zooKeeper().now(node).orElseThrow().data())
                .filter(data -> data.length > 0)
                .map(data -> Name.parse(data, 0))
                .toList();
    }
}
