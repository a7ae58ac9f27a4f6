package cleave.chaos.lab.script;

import cleave.client.Requests;
import cleave.client.SharedKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Makes shared access signatures of one table, where the account's key is safe. */
final class TableSignature {
    private static final String VERSION = "2019-02-02";

    private TableSignature() {}

    /**
     * One that reaches the partitions from one key to another, both included.
     *
     * @param rights letters of {@code raud}, in this order
     * @return {@code name=value} joined by {@code &}, encoded
     */
    static String of(
            SharedKey key, String table, String rights, Instant expiry, String fromPartition, String toPartition) {
        String end = expiry.truncatedTo(ChronoUnit.SECONDS).toString();
        String resource = "/table/" + key.account() + "/" + table.toLowerCase(Locale.ROOT);
        String signed =
                String.join("\n", rights, "", end, resource, "", "", "", VERSION, fromPartition, "", toPartition, "");
        return String.join(
                "&",
                List.of(
                        "sv=" + VERSION,
                        Requests.option("tn", table),
                        "sp=" + rights,
                        Requests.option("se", end),
                        Requests.option("spk", fromPartition),
                        Requests.option("epk", toPartition),
                        Requests.option("sig", key.signature(signed))));
    }
}
