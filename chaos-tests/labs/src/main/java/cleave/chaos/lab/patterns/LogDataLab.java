package cleave.chaos.lab.patterns;

import cleave.chaos.lab.BlobStore;
import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;

/** Messages of a log in two tables and in files by hour: what is written, and what the errors from 15:04 to 15:06 cost. */
public final class LogDataLab implements Experiment {
    private static final int SOURCES = 20;
    private static final int BUFFER = 50;

    /** One message. */
    private record Message(int minute, int number, int source, String severity) {
        String time() {
            return String.format(Locale.ROOT, "20140731%02d%02d", minute / 60, minute % 60);
        }

        private String row() {
            return String.format(Locale.ROOT, "%s_%06d", time(), number);
        }

        LabEntity byHour() {
            return of(time().substring(0, 10));
        }

        LabEntity bySource() {
            return of(String.format(Locale.ROOT, "source_%02d", source));
        }

        private LabEntity of(String partition) {
            return LabEntity.of(partition, row()).with("Severity", severity).with("Text", "Message " + number);
        }

        String line() {
            return String.join(";", time(), severity, Integer.toString(source), "Message " + number);
        }
    }

    /** What the files cost: as a blob service would count it. */
    private record FileCost(int files, int writes, int found, int lines) {}

    @Override
    public void run(LabRun run) throws IOException {
        List<Message> messages = drawn(run.of(600, 6_000));
        String byHour = run.table("LogByHour");
        String bySource = run.table("LogBySource");
        BlobStore blobs = run.blobs();
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(byHour);
            client.createTable(bySource);
            client.load(byHour, messages.stream().map(Message::byHour).toList());
            client.load(
                    bySource,
                    messages.stream()
                            .map(Message::bySource)
                            .sorted(Comparator.comparing(LabEntity::partition).thenComparing(LabEntity::row))
                            .toList());
            int writes = write(blobs, messages);
            run.say("The files are blobs in " + blobs.kind() + ".");
            ask(run, client, byHour, bySource, read(blobs, writes), messages);
        }
    }

    /** From 14:00 to 16:59, evenly. */
    private static List<Message> drawn(int count) {
        Random random = new Random(13);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(new Message(
                    14 * 60 + 180 * i / count, i, random.nextInt(SOURCES), i % 3 == 0 ? "Error" : "Information"));
        }
        return messages;
    }

    /** Files such as {@code queue/2014/07/31/1500/000001.log}; the first and last time, which a blob has as metadata, are in the name. */
    private static int write(BlobStore blobs, List<Message> messages) throws IOException {
        int writes = 0;
        int start = 0;
        int number = 0;
        for (int i = 1; i <= messages.size(); i++) {
            boolean ends = i == messages.size()
                    || messages.get(i).minute() / 60 != messages.get(start).minute() / 60;
            if (ends || i - start == BUFFER) {
                List<Message> buffer = messages.subList(start, i);
                number++;
                String text =
                        String.join("\n", buffer.stream().map(Message::line).toList());
                String name = String.format(
                        Locale.ROOT,
                        "queue/2014/07/31/%s00/%06d_%s_%s.log",
                        buffer.get(0).time().substring(8, 10),
                        number,
                        buffer.get(0).time(),
                        buffer.get(buffer.size() - 1).time());
                blobs.put(name, text.getBytes(StandardCharsets.UTF_8));
                writes++;
                start = i;
            }
        }
        return writes;
    }

    private static FileCost read(BlobStore blobs, int writes) throws IOException {
        int files = 0;
        int lines = 0;
        int found = 0;
        for (String file : blobs.names("queue/2014/07/31/1500/")) {
            String[] name = file.substring(file.lastIndexOf('/') + 1).split("[_.]");
            if (name[1].compareTo("201407311506") < 0 && name[2].compareTo("201407311504") >= 0) {
                files++;
                for (String line : new String(blobs.get(file), StandardCharsets.UTF_8).split("\n")) {
                    String[] fields = line.split(";");
                    lines++;
                    boolean isIn = fields[0].compareTo("201407311504") >= 0 && fields[0].compareTo("201407311506") < 0;
                    found += isIn && fields[1].equals("Error") ? 1 : 0;
                }
            }
        }
        return new FileCost(files, writes, found, lines);
    }

    private static void ask(
            LabRun run, LabClient client, String byHour, String bySource, FileCost files, List<Message> messages)
            throws IOException {
        String times = "RowKey ge '201407311504' and RowKey lt '201407311506' and Severity eq 'Error'";
        CostTable costs = new CostTable(client);
        Cost hour =
                costs.measure("table by hour", () -> client.query(byHour, "PartitionKey eq '2014073115' and " + times));
        Cost source = costs.measure("table by source", () -> client.query(bySource, times));
        costs.report(run, "Errors from 15:04 to 15:06", "entities examined", Cost::examined);
        run.say("From files: " + files.files() + " opened of those under queue/2014/07/31/1500, " + files.lines()
                + " lines read, "
                + files.found() + " errors found. " + Figures.of(messages.size()) + " messages were written by "
                + files.writes()
                + " writes.");
        run.claim(
                "all three find the same errors",
                hour.returned() == source.returned() && hour.returned() == files.found() && files.found() > 0,
                hour.returned() + ", " + source.returned() + ", " + files.found());
        run.claim(
                "by hour, only the two minutes are examined; by source, the whole table",
                hour.examined() * 10 < messages.size() && source.examined() == messages.size(),
                Figures.of(hour.examined()) + " and " + Figures.of(source.examined()) + " examined");
        long hours = partitions(messages, Message::byHour);
        long sources = partitions(messages, Message::bySource);
        run.claim(
                "by hour, all writes of an hour go to one partition; by source, to " + SOURCES,
                hours == 1 && sources == SOURCES,
                hours + " and " + sources);
        run.claim(
                "the files take one write for many messages, and the question opens few of them",
                files.writes() * 10 < messages.size() && files.files() <= 5,
                files.writes() + " writes, " + files.files() + " files opened");
    }

    /** Those that the messages from 15:00 to 15:59 go to. */
    private static long partitions(List<Message> messages, Function<Message, LabEntity> design) {
        return messages.stream()
                .filter(each -> each.minute() / 60 == 15)
                .map(each -> design.apply(each).partition())
                .distinct()
                .count();
    }
}
