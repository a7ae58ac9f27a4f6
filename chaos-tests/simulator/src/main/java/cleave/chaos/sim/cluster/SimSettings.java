package cleave.chaos.sim.cluster;

import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.master.settings.MasterTiming;
import cleave.master.state.BalancerSettings;
import cleave.model.Throttle;
import cleave.server.settings.RangeSettings;
import java.util.Map;
import java.util.Random;

/**
 * The settings of one seed's cluster. They are small, so that rare events happen every few seconds, and differ between
 * seeds. Immutable.
 *
 * @param probing servers ask the DFS once a second whether it answers, as processes do
 * @param levelHeldNanos masters that start until then have a setting by which they do not let the cluster reach the level of inline files
 */
public record SimSettings(
        RangeSettings ranges,
        MasterTiming masters,
        BalancerSettings balancer,
        RequestLimits requests,
        int loops,
        long heartbeatNanos,
        boolean probing,
        long levelHeldNanos) {
    private static final long MILLI = 1_000_000;

    /** For a script, in which nothing happens by itself. */
    public static SimSettings calm() {
        return named("calm");
    }

    /**
     * For a script about rolling logs, checkpoint and publish follow a second after a write; for one about the sweep, it runs often; for one
     * about servers that the DFS does not answer, they probe it.
     */
    public static SimSettings named(String name) {
        return scripted(
                name.equals("rolling") ? 1_000 * MILLI : 600_000 * MILLI,
                name.equals("sweeping") ? 500 * MILLI : MasterTiming.DEFAULT.sweepNanos(),
                name.equals("probing"));
    }

    private static SimSettings scripted(long checkpointAfterNanos, long sweepNanos, boolean probing) {
        RangeSettings ranges = ranges(16 << 20, checkpointAfterNanos, 4, 64, 1 << 20);
        MasterTiming masters = masters(
                MasterTiming.DEFAULT.suspectNanos(),
                MasterTiming.DEFAULT.graceNanos(),
                2_000 * MILLI,
                MasterTiming.DEFAULT.callNanos(),
                3_000 * MILLI,
                3_000 * MILLI,
                MasterTiming.DEFAULT.opensPerServer(),
                sweepNanos);
        RequestLimits requests =
                new RequestLimits(10_000 * MILLI, 1_000 * MILLI, 1L << 20, 30_000 * MILLI, 10_000, 4_096, 256L << 20);
        return new SimSettings(ranges, masters, BalancerSettings.DEFAULT, requests, 1, 200 * MILLI, probing, 0);
    }

    private static RangeSettings ranges(
            long checkpointLogBytes, long checkpointAfterNanos, int appends, int groups, int groupBytes) {
        return new RangeSettings(
                checkpointLogBytes,
                checkpointAfterNanos,
                1L << 30,
                appends,
                groups,
                groupBytes,
                4_096,
                64 << 20,
                50 * MILLI,
                500 * MILLI,
                30_000 * MILLI,
                500 * MILLI,
                256L << 20,
                Throttle.OFF);
    }

    private static MasterTiming masters(
            long suspect, long grace, long patience, long call, long operator, long handoff, int opens, long sweep) {
        MasterTiming byDefault = MasterTiming.DEFAULT;
        return new MasterTiming(
                byDefault.tickNanos(),
                byDefault.heartbeatNanos(),
                suspect,
                grace,
                byDefault.settleNanos(),
                patience,
                byDefault.proofNanos(),
                byDefault.readyNanos(),
                call,
                operator,
                handoff,
                opens,
                byDefault.balanceNanos(),
                sweep);
    }

    public static SimSettings random(Random random) {
        RangeSettings ranges = ranges(
                512L << random.nextInt(6),
                (1_000L + random.nextInt(9_000)) * MILLI,
                1 + random.nextInt(4),
                4 + random.nextInt(60),
                1 << (8 + random.nextInt(12)));
        MasterTiming masters = masters(
                (600L + random.nextInt(900)) * MILLI,
                (100L + random.nextInt(400)) * MILLI,
                (500L + random.nextInt(5_000)) * MILLI,
                (500L + random.nextInt(1_500)) * MILLI,
                20_000 * MILLI,
                5_000 * MILLI,
                1 + random.nextInt(8),
                (2_000L + random.nextInt(8_000)) * MILLI);
        RequestLimits requests = new RequestLimits(
                (2_000L + random.nextInt(8_000)) * MILLI,
                1_000 * MILLI,
                1L << (9 + random.nextInt(12)),
                (1_000L + random.nextInt(30_000)) * MILLI,
                10_000,
                4_096,
                256L << 20);
        BalancerSettings balancer = random.nextBoolean() ? BalancerSettings.DEFAULT : restless(random);
        int loops = 1 + random.nextInt(2);
        long levelHeldNanos = random.nextInt(4) == 0 ? (1 + random.nextInt(60_000)) * MILLI : 0;
        return new SimSettings(ranges, masters, balancer, requests, loops, 200 * MILLI, false, levelHeldNanos);
    }

    /** Thresholds at which the balancer acts on the load of a handful of clients. */
    private static BalancerSettings restless(Random random) {
        return BalancerSettings.of(Map.of(
                "balancer.split-load", String.valueOf(5 + random.nextInt(40)),
                "balancer.split-hits", "5",
                "balancer.merge-window", "2s",
                "balancer.merge-after-split", "2s",
                "balancer.merge-after-start", "1s",
                "balancer.move-rest", "1s"));
    }
}
