package cleave.chaos.lab;

import cleave.chaos.lab.Report.Claim;
import cleave.chaos.lab.Report.Figures;
import cleave.chaos.lab.Report.Paragraph;
import cleave.chaos.lab.Report.Part;
import cleave.chaos.lab.Report.Picture;
import cleave.deploy.terminal.TextTable;
import java.util.List;

/** The text of a run on a terminal. Pure. */
final class TextReport {
    private TextReport() {}

    /** Before the run. */
    static String question(LabCard card) {
        StringBuilder text = new StringBuilder(card.name() + ": " + card.title() + "\n\n");
        text.append(Text.wrapped("", card.question()));
        for (int i = 0; i < card.choices().size(); i++) {
            text.append(Text.wrapped("  " + (i + 1) + ". ", card.choices().get(i)));
        }
        return text.toString();
    }

    /** The paragraphs, tables and claims of the run. Pictures are on its page. */
    static String seen(Report report) {
        StringBuilder text = new StringBuilder();
        report.parts().forEach(part -> append(text, part));
        for (Claim claim : report.claims()) {
            text.append(Text.wrapped(
                    claim.holds() ? "  holds  " : "  FAILS  ", claim.claim() + " (seen: " + claim.seen() + ")"));
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Part part) {
        if (part instanceof Paragraph paragraph) {
            text.append(Text.wrapped("", paragraph.text())).append('\n');
        } else if (part instanceof Figures figures) {
            text.append(table(figures)).append('\n');
        } else if (!(part instanceof Picture)) {
            throw new AssertionError("unhandled part " + part);
        }
    }

    /** A table under its caption. */
    static String table(Figures figures) {
        TextTable table = new TextTable(figures.heads().toArray(String[]::new));
        figures.rows().forEach(row -> table.row(row.toArray()));
        return figures.caption() + "\n" + table.text();
    }

    /**
     * After the run.
     *
     * @param predicted the index of the choice that the reader made; -1 for none
     */
    static String explanation(LabCard card, int predicted) {
        StringBuilder text = new StringBuilder("The answer: " + card.right() + "\n");
        if (predicted >= 0) {
            text.append(predicted == card.answer() ? "Your prediction was right.\n" : "Your prediction was another.\n");
        }
        text.append("\nWhy\n");
        card.why().forEach(paragraph -> text.append(Text.wrapped("  ", paragraph)));
        text.append("\nRead the code\n");
        card.code().forEach(type -> text.append("  ").append(type).append('\n'));
        text.append("\nNow break it\n").append(Text.wrapped("  ", card.breakIt()));
        return text.append(Text.wrapped("\nSource: ", card.source())).toString();
    }

    /** How the claims of several labs went. */
    static String summary(List<Report> reports) {
        TextTable table = new TextTable("LAB", "CLAIMS", "HOLD");
        for (Report report : reports) {
            long held = report.claims().stream().filter(Claim::holds).count();
            table.row(report.card().name(), report.claims().size(), held);
        }
        return table.text();
    }
}
