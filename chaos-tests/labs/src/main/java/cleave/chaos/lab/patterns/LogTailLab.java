package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.client.Answer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Expense claims under inverted ticks: the newest come first. */
public final class LogTailLab implements Experiment {
    /** DateTime.MaxValue.Ticks of .NET: the last tenth of a microsecond of the year 9999. */
    static final long MAX_TICKS = 3_155_378_975_999_999_999L;

    private static final Instant YEAR_1 = Instant.parse("0001-01-01T00:00:00Z");

    /** The guide's {@code string.Format("{0:D19}", DateTime.MaxValue.Ticks - DateTime.UtcNow.Ticks)}. */
    static String inverted(Instant time) {
        return String.format(Locale.ROOT, "%019d", MAX_TICKS - ticks(time));
    }

    /** The guide's way back. */
    static Instant time(String inverted) {
        long ticks = MAX_TICKS - Long.parseLong(inverted);
        return YEAR_1.plusSeconds(ticks / 10_000_000).plusNanos(ticks % 10_000_000 * 100);
    }

    private static long ticks(Instant time) {
        Duration since = Duration.between(YEAR_1, time);
        return since.getSeconds() * 10_000_000 + since.getNano() / 100;
    }

    @Override
    public void run(LabRun run) throws IOException {
        int count = run.of(200, 1_000);
        String byTime = run.table("ByTime");
        String tail = run.table("EmployeeExpense");
        Instant start = Instant.parse("2014-07-31T18:00:00Z");
        List<LabEntity> forward = new ArrayList<>();
        List<LabEntity> backward = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Instant time = start.plusSeconds(3_600L * i);
            LabEntity claim =
                    LabEntity.of("empid", "").with("Amount", 10 + i % 90).with("Number", i);
            forward.add(claim.at("empid", String.format(Locale.ROOT, "%019d", ticks(time))));
            backward.add(claim.at("empid", inverted(time)));
        }
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(byTime);
            client.load(byTime, forward);
            client.createTable(tail);
            client.load(tail, backward);
            newest(run, client, byTime, tail, count);
            clock(run, backward, start);
            literal(run, client, tail);
        }
    }

    private static void newest(LabRun run, LabClient client, String byTime, String tail, int count) throws IOException {
        CostTable costs = new CostTable(client);
        List<Long> old = new ArrayList<>();
        List<Long> fresh = new ArrayList<>();
        Cost all = costs.measure("by time", () -> {
            List<LabEntity> claims =
                    client.query(byTime, "PartitionKey eq 'empid'").entities();
            for (int i = claims.size() - 1; i >= claims.size() - 10; i--) {
                old.add(claims.get(i).number("Number"));
            }
        });
        Cost ten = costs.measure(
                "inverted, $top=10",
                () -> client.page(tail, "PartitionKey eq 'empid'", null, "$top=10")
                        .entities()
                        .forEach(each -> fresh.add(each.number("Number"))));
        costs.report(run, "The ten newest of " + Figures.of(count) + " claims", "entities examined", Cost::examined);
        run.claim("both find the same ten, newest first", old.equals(fresh) && fresh.size() == 10, fresh.toString());
        run.claim(
                "by time all are examined; inverted, ten, or one more to know whether there is a next page",
                all.examined() >= count && ten.examined() <= 11,
                all.examined() + " and " + ten.examined());
    }

    private static void clock(LabRun run, List<LabEntity> backward, Instant start) {
        String row = backward.get(0).row();
        run.claim(
                "a key of 19 digits leads back to its time",
                row.length() == 19 && time(row).equals(start),
                row + " is " + time(row));
    }

    private static void literal(LabRun run, LabClient client, String tail) throws IOException {
        Answer printed = client.ask(tail + "(PartitionKey='empid')?$top=10");
        Answer legal = client.ask(tail + "()?$filter=PartitionKey%20eq%20'empid'&$top=10");
        run.claim(
                "the address as the guide prints it, with one key in brackets and $top, is refused: the key belongs in"
                        + " $filter",
                printed.status() == 400 && legal.isSuccess(),
                printed.status() + " " + printed.errorCode() + ", and " + legal.status());
    }
}
