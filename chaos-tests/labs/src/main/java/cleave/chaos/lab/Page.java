package cleave.chaos.lab;

import cleave.chaos.lab.Report.Claim;
import cleave.chaos.lab.Report.Figures;
import cleave.chaos.lab.Report.Paragraph;
import cleave.chaos.lab.Report.Part;
import cleave.chaos.lab.Report.Picture;
import java.util.List;

/** HTML pages that need nothing but themselves: of one run, and of all. Pure. Legible in light and in dark. */
final class Page {
    private static final String STYLE = """
            :root { color-scheme: light dark; }
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem;
              background: Canvas; color: CanvasText; }
            h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
            svg { max-width: 100%; height: auto; } code { font-size: 0.9em; overflow-wrap: anywhere; }
            table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; display: block; overflow-x: auto; }
            caption { text-align: left; font-weight: 600; padding-bottom: 0.3rem; }
            th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid #79828d66; text-align: left; vertical-align: top; }
            .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
            .claims { list-style: none; padding: 0; } .claims li { padding-left: 1.6rem; text-indent: -1.6rem; margin: 0.3rem 0; }
            .holds::before { content: "✓ "; color: #2c9a45; font-weight: 700; }
            .fails::before { content: "✗ "; color: #d1242f; font-weight: 700; }
            .seen { opacity: 0.75; } summary { cursor: pointer; font-weight: 600; }
            """;

    private Page() {}

    /** One run. */
    static String of(Report report) {
        LabCard card = report.card();
        StringBuilder html = begun(card.title());
        paragraph(html, card.question());
        html.append("<ol>\n");
        card.choices()
                .forEach(choice ->
                        html.append("<li>").append(Text.escaped(choice)).append("</li>\n"));
        html.append("</ol>\n<details><summary>The answer</summary><p>")
                .append(Text.escaped(card.right()))
                .append("</p></details>\n<h2>What the run showed</h2>\n");
        report.parts().forEach(part -> append(html, part));
        html.append("<h2>Claims</h2>\n<ul class=\"claims\">\n");
        report.claims().forEach(claim -> append(html, claim));
        html.append("</ul>\n<h2>Why</h2>\n");
        card.why().forEach(each -> paragraph(html, each));
        html.append("<h2>Read the code</h2>\n<ul>\n");
        card.code()
                .forEach(type ->
                        html.append("<li><code>").append(Text.escaped(type)).append("</code></li>\n"));
        html.append("</ul>\n<h2>Now break it</h2>\n");
        paragraph(html, card.breakIt());
        paragraph(html, "Source: " + card.source());
        return html.append("</body></html>\n").toString();
    }

    /** All runs: every picture, or else the tables, with a link to its page. */
    static String index(List<Report> reports) {
        StringBuilder html = begun("The labs of Cleave");
        for (Report report : reports) {
            String name = report.card().name();
            html.append("<h2 class=\"")
                    .append(report.isRight() ? "holds" : "fails")
                    .append("\"><a href=\"")
                    .append(name)
                    .append(".html\">")
                    .append(Text.escaped(report.card().title()))
                    .append("</a></h2>\n");
            report.drawings().forEach(drawing -> html.append(drawing.svg()));
            if (report.drawings().isEmpty()) {
                report.tables().forEach(figures -> append(html, figures));
            }
        }
        return html.append("</body></html>\n").toString();
    }

    private static StringBuilder begun(String title) {
        return new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width\">\n<title>")
                .append(Text.escaped(title))
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style></head><body>\n<h1>")
                .append(Text.escaped(title))
                .append("</h1>\n");
    }

    private static void append(StringBuilder html, Part part) {
        if (part instanceof Paragraph paragraph) {
            paragraph(html, paragraph.text());
        } else if (part instanceof Picture picture) {
            html.append(picture.drawing().svg());
        } else if (part instanceof Figures figures) {
            append(html, figures);
        } else {
            throw new AssertionError("unhandled part " + part);
        }
    }

    private static void append(StringBuilder html, Figures figures) {
        html.append("<table><caption>").append(Text.escaped(figures.caption())).append("</caption>\n");
        row(html, "th", figures.heads(), figures);
        figures.rows().forEach(cells -> row(html, "td", cells, figures));
        html.append("</table>\n");
    }

    private static void row(StringBuilder html, String tag, List<String> cells, Figures figures) {
        html.append("<tr>");
        for (int i = 0; i < cells.size(); i++) {
            html.append('<')
                    .append(tag)
                    .append(figures.isNumeric(i) ? " class=\"number\">" : ">")
                    .append(Text.escaped(cells.get(i)))
                    .append("</")
                    .append(tag)
                    .append('>');
        }
        html.append("</tr>\n");
    }

    private static void append(StringBuilder html, Claim claim) {
        html.append("<li class=\"")
                .append(claim.holds() ? "holds" : "fails")
                .append("\">")
                .append(Text.escaped(claim.claim()))
                .append(" <span class=\"seen\">(seen: ")
                .append(Text.escaped(claim.seen()))
                .append(")</span></li>\n");
    }

    private static void paragraph(StringBuilder html, String text) {
        html.append("<p>").append(Text.escaped(text)).append("</p>\n");
    }
}
