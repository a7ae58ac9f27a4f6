package cleave.chaos.lab;

import cleave.chaos.picture.Chart;
import java.util.List;
import java.util.Locale;

/** The page of a lab in docs/labs. Pure. */
final class Markdown {
    private Markdown() {}

    /** Such as {@code 01-order-and-padding.md}. */
    static String fileName(LabCard card) {
        return String.format(Locale.ROOT, "%02d-%s.md", Labs.number(card), card.name());
    }

    /** What does not depend on a run, in the order of the page. */
    static List<String> lasting(LabCard card) {
        StringBuilder before = new StringBuilder("# " + card.title() + "\n\n" + card.question() + "\n\n");
        for (int i = 0; i < card.choices().size(); i++) {
            before.append(i + 1).append(". ").append(card.choices().get(i)).append('\n');
        }
        before.append("\n```\n./cleave lab run ").append(card.name()).append("\n```\n");
        StringBuilder after = new StringBuilder("## Why\n\n**" + card.right() + "**\n\n");
        card.why().forEach(paragraph -> after.append(paragraph).append("\n\n"));
        after.append("## Read the code\n\n");
        card.code().forEach(type -> after.append("- `").append(type.getName()).append("`\n"));
        after.append("\n## Now break it\n\n").append(card.breakIt()).append("\n\nSource: ");
        return List.of(
                before.toString(), after.append(card.source()).append('\n').toString());
    }

    static String of(Report report) {
        List<String> lasting = lasting(report.card());
        StringBuilder page = new StringBuilder(lasting.get(0)).append("\n## What you should see\n\n");
        List<Chart> charts = report.charts();
        for (int i = 0; i < charts.size(); i++) {
            page.append("![")
                    .append(charts.get(i).title())
                    .append("](")
                    .append(Folder.picture(report.card(), i))
                    .append(")\n\n");
        }
        return page.append("```\n")
                .append(TextReport.seen(report))
                .append("```\n\n")
                .append(lasting.get(1))
                .toString();
    }
}
