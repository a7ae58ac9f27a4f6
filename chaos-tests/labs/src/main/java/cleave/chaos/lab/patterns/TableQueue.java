package cleave.chaos.lab.patterns;

import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabWrite;
import cleave.client.Answer;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A queue of messages, played by one partition of a table: a message that a worker takes is hidden until a time, and comes back unless the
 * worker deletes it before. Two workers cannot take the same message, because taking it changes its ETag. Confined to its client's thread.
 *
 * <p>The time is a number that callers pass: a lab plays hours at once. A real worker would pass its clock, whose errors could only
 * deliver a message twice, never lose one.
 */
final class TableQueue {
    private final LabClient client;
    private final String table;
    private final String name;

    TableQueue(LabClient client, String table, String name) {
        this.client = client;
        this.table = table;
        this.name = name;
    }

    void put(int number, String text) throws IOException {
        client.write(
                table,
                LabWrite.insert(LabEntity.of(name, String.format(Locale.ROOT, "%06d", number))
                        .with("Text", text)
                        .with("HiddenUntil", 0L)
                        .with("DequeueCount", 0)));
    }

    /** The first message that is not hidden, now hidden for a while; empty if there is none. */
    Optional<LabEntity> take(long now, long hiddenFor) throws IOException {
        for (LabEntity message : client.query(table, "PartitionKey eq '" + name + "' and HiddenUntil le " + now + "L")
                .entities()) {
            LabEntity hidden = message.with("HiddenUntil", now + hiddenFor)
                    .with("DequeueCount", (int) message.number("DequeueCount") + 1);
            Answer answer = client.tryWrite(table, LabWrite.replace(hidden));
            if (answer.isSuccess()) {
                return Optional.of(new LabEntity(hidden.partition(), hidden.row(), hidden.properties(), answer.etag()));
            }
            if (answer.status() != 412 && answer.status() != 404) { // Neither taken nor deleted by another worker.
                throw new IOException("take was answered with " + answer);
            }
        }
        return Optional.empty();
    }

    /** Deletes a message that was taken; false if its time ran out and another worker has it. */
    boolean delete(LabEntity taken) throws IOException {
        return client.tryWrite(table, LabWrite.delete(taken)).isSuccess();
    }

    /** Moves a message that fails again and again to another queue, for a person to look at. It may be in both, never in neither. */
    void moveTo(TableQueue poison, LabEntity taken) throws IOException {
        client.write(table, LabWrite.upsert(taken.at(poison.name, taken.row())));
        client.write(table, LabWrite.delete(taken));
    }

    List<LabEntity> messages() throws IOException {
        return client.query(table, "PartitionKey eq '" + name + "'").entities();
    }
}
