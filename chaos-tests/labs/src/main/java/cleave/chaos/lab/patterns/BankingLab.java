package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.picture.Chart;
import cleave.client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Transfers of money: keyed by transaction id they are atomic, keyed by account they are not. */
public final class BankingLab implements Experiment {
    private static final int ACCOUNTS = 8;

    /** A transfer of cents. */
    private record Transfer(String id, int from, int to, int cents) {
        LabEntity debit(String partition, String row) {
            return LabEntity.of(partition, row).with("Account", account(from)).with("Cents", -cents);
        }

        LabEntity credit(String partition, String row) {
            return LabEntity.of(partition, row).with("Account", account(to)).with("Cents", cents);
        }
    }

    @Override
    public void run(LabRun run) throws IOException {
        List<Transfer> transfers = drawn(run.of(60, 500));
        String byAccount = run.table("ByAccount");
        String byId = run.table("ById");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(byAccount);
            client.createTable(byId);
            Answer refused = client.tryTransaction(
                    byAccount,
                    List.of(
                            LabWrite.insert(transfers.get(0).debit(account(1), "x")),
                            LabWrite.insert(transfers.get(0).credit(account(2), "x"))));
            run.claim(
                    "by account, a transaction of both sides is refused",
                    refused.status() == 400,
                    refused.status() + " " + refused.errorCode());
            pay(run, client, byAccount, byId, transfers);
            balances(run, client, byAccount, byId, transfers);
        }
    }

    private static List<Transfer> drawn(int count) {
        Random random = new Random(12);
        List<Transfer> transfers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int from = random.nextInt(ACCOUNTS);
            int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            transfers.add(new Transfer(String.format(Locale.ROOT, "T%06d", i), from, to, 100 + random.nextInt(10_000)));
        }
        return transfers;
    }

    private static String account(int number) {
        return String.format(Locale.ROOT, "account_%04d", number);
    }

    /** Every tenth client dies after its first request. */
    private static void pay(LabRun run, LabClient client, String byAccount, String byId, List<Transfer> transfers)
            throws IOException {
        List<Double> x = new ArrayList<>();
        List<Double> missing = new ArrayList<>();
        List<Double> zero = new ArrayList<>();
        long lost = 0;
        for (int i = 0; i < transfers.size(); i++) {
            Transfer each = transfers.get(i);
            boolean dies = dies(i);
            client.write(byAccount, LabWrite.insert(each.debit(account(each.from()), each.id())));
            if (!dies) {
                client.write(byAccount, LabWrite.insert(each.credit(account(each.to()), each.id())));
            }
            client.transaction(
                    byId,
                    List.of(
                            LabWrite.insert(each.debit(each.id(), "debit")),
                            LabWrite.insert(each.credit(each.id(), "credit"))));
            lost += dies ? each.cents() : 0;
            x.add(i + 1.0);
            missing.add((double) lost);
            zero.add(0.0);
        }
        long ofAccounts = sum(client.query(byAccount, "").entities());
        long ofIds = sum(client.query(byId, "").entities());
        run.draw(Chart.lines(
                "Money that is gone, when each tenth client dies",
                "cents",
                "transfers",
                List.of(new Chart.Series("by account", x, missing), new Chart.Series("by transaction id", x, zero))));
        run.claim("by transaction id all entries sum to zero", ofIds == 0, ofIds + " cents");
        run.claim(
                "by account what the dead clients debited is gone",
                ofAccounts == -lost && lost > 0,
                Figures.of(ofAccounts) + " cents");
    }

    /** Its client dies between debit and credit. */
    private static boolean dies(int transfer) {
        return transfer % 10 == 9;
    }

    private static long sum(List<LabEntity> entries) {
        return entries.stream().mapToLong(each -> each.number("Cents")).sum();
    }

    private static void balances(LabRun run, LabClient client, String byAccount, String byId, List<Transfer> transfers)
            throws IOException {
        CostTable costs = new CostTable(client);
        TreeMap<String, Long> balance = new TreeMap<>();
        Cost partition = costs.measure(
                "by account",
                () -> balance.put(
                        "by account",
                        sum(client.query(byAccount, "PartitionKey eq '" + account(3) + "'")
                                .entities())));
        Cost scan = costs.measure(
                "by transaction id",
                () -> balance.put(
                        "by id",
                        sum(client.query(byId, "Account eq '" + account(3) + "'")
                                .entities())));
        costs.report(run, "The balance of one account", "entities examined", Cost::examined);
        long lost = IntStream.range(0, transfers.size())
                .filter(i -> dies(i) && transfers.get(i).to() == 3)
                .count();
        run.claim(
                "by account the account has fewer entries: the credits that the dead clients did not write",
                lost > 0 && scan.returned() - partition.returned() == lost,
                partition.returned() + " instead of " + scan.returned() + " entries, " + lost + " lost credits");
        run.claim(
                "the balance of an account is a partition in one design and a scan of the table in the other",
                scan.examined() > 3 * partition.examined() && partition.examined() <= partition.returned() + 1,
                partition.examined() + " and " + scan.examined() + " examined");
    }
}
