package cleave.chaos.lab;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.lab.Report.Claim;
import cleave.chaos.lab.Report.Figures;
import cleave.chaos.lab.Report.Paragraph;
import cleave.chaos.lab.Report.Part;
import cleave.chaos.lab.Report.Picture;
import cleave.chaos.load.TargetOption;
import cleave.chaos.picture.Chart;
import cleave.chaos.process.Cluster;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.wire.Setting;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One run of a lab: records what it reports, gives settings back, and deletes its tables. Confined to its thread. */
final class Session implements LabRun, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int NO_CONTENT = 204;
    private static final int NOT_FOUND = 404;
    private static final AtomicLong LAST = new AtomicLong(System.currentTimeMillis());

    private final LabCard card;
    private final LabSystem system;
    private final BlobStores stores;
    private final boolean small;
    private final Consumer<String> progress;
    private final BorrowedSettings settings;
    private final List<String> tables = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();

    private @Nullable BlobStore blobs;

    private Session(LabCard card, LabSystem system, BlobStores stores, boolean small, Consumer<String> progress) {
        this.card = card;
        this.system = system;
        this.stores = stores;
        this.small = small;
        this.progress = progress;
        this.settings = new BorrowedSettings(
                () -> admin().settings().stream().collect(Collectors.toMap(Setting::getName, Setting::getValue)),
                changes -> admin().change(changes),
                progress);
        if (system.admin() != null && !system.isOwn()) {
            settings.restoreAtExit();
        }
    }

    /** Runs a lab. */
    static Report run(Lab lab, LabSystem system, BlobStores stores, boolean small, Consumer<String> progress) {
        try (Session session = new Session(lab.card(), system, stores, small, progress)) {
            session.run(lab);
            return new Report(lab.card(), session.parts, session.claims);
        }
    }

    /**
     * What keeps a lab from its end is a claim that fails, and no bug of the command: a student changed the lab, or the machine is too slow for
     * it. What was reported until then stays.
     */
    private void run(Lab lab) {
        try {
            lab.experiment().run(this);
        } catch (IOException | RuntimeException failed) {
            if (!system.isOwn() && failed instanceof CommandFailure told) {
                throw told;
            }
            if (!system.isOwn() && TargetOption.isSilence(failed)) {
                throw CommandFailure.unreachable("the lab " + card.name() + " cannot go on: " + endpoint()
                        + " does not answer: " + Text.message(failed));
            }
            claim(
                    "the lab gets to its end, and checks all that it claims",
                    false,
                    Text.message(failed) + line(lab, failed));
        }
    }

    /** The line of the lab that could not go on, for its reader. */
    private static String line(Lab lab, Exception failed) {
        String type = lab.experiment().getClass().getName().replaceFirst("\\$\\$Lambda.*", "");
        return Arrays.stream(failed.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith(type))
                .findFirst()
                .map(frame -> "; " + frame.getFileName() + ", line " + frame.getLineNumber())
                .orElse("");
    }

    @Override
    public void close() {
        try {
            settings.close();
        } finally {
            deleteTables();
            dropBlobs();
        }
    }

    private void dropBlobs() {
        try {
            if (blobs != null) {
                blobs.drop();
            }
        } catch (IOException failed) {
            progress("blobs stay: " + failed.getMessage());
        }
    }

    private void deleteTables() {
        for (String table : tables) {
            try (Connection connection = Connection.open(system.endpoint(), PATIENCE)) {
                Answer answer = connection.exchange(new Requests(system.endpoint()).deleteTable(table));
                if (answer.status() != NO_CONTENT && answer.status() != NOT_FOUND) {
                    progress("the table " + table + " stays: " + answer);
                }
            } catch (IOException failed) {
                progress("the table " + table + " stays: " + failed.getMessage());
            }
        }
    }

    @Override
    public Endpoint endpoint() {
        return system.endpoint();
    }

    @Override
    public AdminClient admin() {
        AdminClient admin = system.admin();
        if (card.needs() == Needs.ENDPOINT || admin == null) {
            throw new IllegalStateException("the card of " + card.name() + " does not ask for a cluster");
        }
        return admin;
    }

    @Override
    public void changeSettings(Map<String, String> changes) {
        settings.change(changes);
    }

    @Override
    public Cluster cluster() {
        Cluster cluster = system.cluster();
        boolean isOwn = card.needs() == Needs.OWN_CLUSTER || card.needs() == Needs.FULL_CLUSTER;
        if (!isOwn || cluster == null) {
            throw new IllegalStateException("the card of " + card.name() + " does not ask for a cluster of its own");
        }
        return cluster;
    }

    @Override
    public boolean isSmall() {
        return small;
    }

    @Override
    public String table(String prefix) {
        String table = named(prefix);
        tables.add(table);
        return table;
    }

    /** A name that no other run has. */
    private static String named(String prefix) {
        return prefix + Long.toString(LAST.incrementAndGet(), Character.MAX_RADIX);
    }

    @Override
    public BlobStore blobs() throws IOException {
        if (blobs == null) {
            blobs = stores.store(named("lab-"));
        }
        return blobs;
    }

    @Override
    public void progress(String line) {
        progress.accept(line);
    }

    @Override
    public void say(String paragraph) {
        parts.add(new Paragraph(paragraph));
    }

    @Override
    public void table(String caption, List<String> heads, List<List<String>> rows) {
        parts.add(new Figures(caption, heads, rows));
    }

    @Override
    public void draw(Chart chart) {
        parts.add(new Picture(chart));
    }

    @Override
    public void claim(String claim, boolean holds, String seen) {
        claims.add(new Claim(claim, holds, seen));
    }
}
