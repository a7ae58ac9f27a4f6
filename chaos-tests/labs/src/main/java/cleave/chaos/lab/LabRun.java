package cleave.chaos.lab;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.lab.Report.Claim;
import cleave.chaos.lab.Report.Figures;
import cleave.chaos.lab.Report.Paragraph;
import cleave.chaos.lab.Report.Part;
import cleave.chaos.lab.Report.Picture;
import cleave.chaos.load.TargetOption;
import cleave.chaos.picture.Drawing;
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

/** One run of a lab: the system that the lab works with, and the record of its report. Confined to the lab's thread. */
public final class LabRun {
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

    LabRun(LabCard card, LabSystem system, BlobStores stores, boolean small, Consumer<String> progress) {
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

    /** Runs a lab, restores the settings that it changed, and deletes its tables and blobs. */
    static Report run(Lab lab, LabSystem system, BlobStores stores, boolean small, Consumer<String> progress) {
        LabRun run = new LabRun(lab.card(), system, stores, small, progress);
        try {
            run.run(lab);
            return run.report();
        } finally {
            run.end();
        }
    }

    Report report() {
        return new Report(card, parts, claims);
    }

    /**
     * A lab that does not get to its end has a claim that fails. That is no bug of the command: a student changed the lab, or the machine is too
     * slow for it. The report until then stays.
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
                .filter(frame -> frame.getClassName().startsWith(type)
                        || frame.getClassName().matches("cleave\\.chaos\\.lab\\.(faults|partitioning)\\..*"))
                .findFirst()
                .map(frame -> "; " + frame.getFileName() + ", line " + frame.getLineNumber())
                .orElse("");
    }

    private void end() {
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

    /** The endpoint and account to work with. */
    public Endpoint endpoint() {
        return system.endpoint();
    }

    /** Asks the masters; IllegalStateException if the lab's card does not say that it needs a cluster. */
    public AdminClient admin() {
        AdminClient admin = system.admin();
        if (card.needs() == Needs.ENDPOINT || admin == null) {
            throw new IllegalStateException("the card of " + card.name() + " does not ask for a cluster");
        }
        return admin;
    }

    /**
     * Changes settings of the balancer until the run ends; then they are as they were before, also if the run is interrupted.
     * IllegalStateException if the lab's card does not say that it needs a cluster.
     */
    public void changeSettings(Map<String, String> changes) {
        settings.change(changes);
    }

    /**
     * The processes of an {@link Needs#OWN_CLUSTER}; IllegalStateException if the card names another need: the cluster that labs share may be
     * one that a student started.
     */
    public Cluster cluster() {
        Cluster cluster = system.cluster();
        boolean isOwn = card.needs() == Needs.OWN_CLUSTER || card.needs() == Needs.FULL_CLUSTER;
        if (!isOwn || cluster == null) {
            throw new IllegalStateException("the card of " + card.name() + " does not ask for a cluster of its own");
        }
        return cluster;
    }

    /** True in tests: the smallest form in which the claims still hold. */
    public boolean isSmall() {
        return small;
    }

    /** A number of entities, clients or seconds: the smaller one in tests. */
    public int of(int inTests, int full) {
        return small ? inTests : full;
    }

    /** The name of a table that this run alone uses; it does not exist yet, and is deleted after the run. */
    public String table(String prefix) {
        String table = named(prefix);
        tables.add(table);
        return table;
    }

    /** A name that no other run has. */
    private static String named(String prefix) {
        return prefix + Long.toString(LAST.incrementAndGet(), Character.MAX_RADIX);
    }

    /** A blob store of this run alone, which is empty at first, and is dropped after the run. */
    public BlobStore blobs() throws IOException {
        if (blobs == null) {
            blobs = stores.store(named("lab-"));
        }
        return blobs;
    }

    /** A line of progress, which is not part of the report. */
    public void progress(String line) {
        progress.accept(line);
    }

    /** A paragraph of the report. */
    public void say(String paragraph) {
        parts.add(new Paragraph(paragraph));
    }

    /** Figures of the report. Each row has as many cells as there are heads; columns of numbers are set flush right. */
    public void table(String caption, List<String> heads, List<List<String>> rows) {
        parts.add(new Figures(caption, heads, rows));
    }

    /** A picture of the report. */
    public void draw(Drawing drawing) {
        parts.add(new Picture(drawing));
    }

    /** A claim that does not hold makes the command fail, and the test. */
    public void claim(String claim, boolean holds, String seen) {
        claims.add(new Claim(claim, holds, seen));
    }
}
