package cleave.server.settings;

import cleave.model.Throttle;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;

/**
 * The settings of a range. Immutable.
 *
 * @param checkpointLogBytes a checkpoint is made when this much was logged since the last one
 * @param checkpointAfterNanos or when this much time has passed since something was logged
 * @param reportLogBytes a log whose publish is put off is reported at this size
 * @param appendsInFlight appends that are sent before the first of them has ended
 * @param groupsInFlight groups that wait for their answer, those without an append included
 * @param groupBytes a group takes no further request at this size of its record
 * @param queueRequests requests that a range has at the same time; more are answered BUSY
 * @param queueBytes bytes of writes that wait, and of those in flight
 * @param expiryNanos how often waiting requests are looked through for those past their deadline
 * @param scanSliceNanos a scan stops after this time
 * @param deadlineNanos of requests that name none
 * @param switchNanos how long a committed handoff waits for the seals of its sources; then the targets' owners seal
 * @param serverBytes of requests and answers that all ranges of a server hold together; beyond that no request is admitted
 * @param partitionThrottle the rate limit of one partition
 */
public record RangeSettings(
        long checkpointLogBytes,
        long checkpointAfterNanos,
        long reportLogBytes,
        int appendsInFlight,
        int groupsInFlight,
        int groupBytes,
        int queueRequests,
        long queueBytes,
        long expiryNanos,
        long scanSliceNanos,
        long deadlineNanos,
        long switchNanos,
        long serverBytes,
        Throttle partitionThrottle) {
    public RangeSettings {
        check(checkpointLogBytes > 0, "server.checkpoint-log-bytes must be above 0");
        check(checkpointAfterNanos > 0, "server.checkpoint-after must be above 0");
        check(groupsInFlight >= appendsInFlight, "a group in flight may be an append");
        check(groupBytes <= 1 << 20, "a group's record must leave room for one more write in it");
        check(serverBytes > 0, "server.request-bytes must be above 0");
        check(queueBytes >= 16 << 20, "server.queue-bytes must hold the largest request, 16MiB");
    }

    private static void check(boolean claim, String message) {
        if (!claim) {
            throw new BadSetting(message);
        }
    }

    public static RangeSettings from(Settings settings) {
        return new RangeSettings(
                settings.bytes("server.checkpoint-log-bytes", "16MiB"),
                settings.nanos("server.checkpoint-after", "10m"),
                1L << 30,
                settings.count("server.appends-in-flight", 4, 1, 1000),
                1000,
                1 << 20,
                settings.count("server.queue-requests", 4096, 1, 1_000_000),
                settings.bytes("server.queue-bytes", "64MiB"),
                50_000_000L,
                settings.nanos("server.scan-slice", "500ms"),
                30_000_000_000L,
                500_000_000L,
                settings.bytes("server.request-bytes", "256MiB"),
                new Throttle(settings.count(
                        "throttle.partition-entities-per-second", 0, 0, Throttle.ENTITIES_PER_SECOND_MAX)));
    }
}
