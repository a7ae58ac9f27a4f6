package cleave.chaos.lab;

import cleave.chaos.lab.Report.Figures;
import cleave.chaos.lab.Report.Paragraph;
import cleave.chaos.picture.Drawing;
import cleave.client.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A run in its small form, and its report so far; there is nothing that the lab could work with. Confined to its thread. */
public final class RecordedRun {
    private final LabRun run = new LabRun(
            Labs.all().get(0).card(),
            LabSystem.of(Endpoint.development(1)),
            BlobStores.inFolder(Path.of("none")),
            true,
            line -> {});

    public LabRun run() {
        return run;
    }

    private <T> Stream<T> parts(Class<T> type) {
        return run.report().parts().stream().filter(type::isInstance).map(type::cast);
    }

    public List<String> said() {
        return parts(Paragraph.class).map(Paragraph::text).toList();
    }

    /** The rows of all tables. */
    public List<List<String>> rows() {
        return parts(Figures.class).flatMap(table -> table.rows().stream()).toList();
    }

    /** The titles of pictures. */
    public List<String> drawn() {
        return pictures().stream().map(Drawing::title).toList();
    }

    public List<Drawing> pictures() {
        return run.report().drawings();
    }

    /** Such as {@code holds all are served}. */
    public List<String> claims() {
        return run.report().claims().stream()
                .map(claim -> (claim.holds() ? "holds " : "FAILS ") + claim.claim())
                .toList();
    }
}
