package cleave.chaos.lab;

import cleave.chaos.picture.Drawing;
import java.util.List;

/** All that a run of a lab reported, in order. Immutable. */
record Report(LabCard card, List<Part> parts, List<Claim> claims) {
    Report {
        parts = List.copyOf(parts);
        claims = List.copyOf(claims);
    }

    /** A part of a report. */
    sealed interface Part permits Paragraph, Figures, Picture {}

    /** A paragraph. Immutable. */
    record Paragraph(String text) implements Part {}

    /** A table. Immutable. */
    record Figures(String caption, List<String> heads, List<List<String>> rows) implements Part {
        Figures {
            heads = List.copyOf(heads);
            rows = rows.stream().map(List::copyOf).toList();
            for (List<String> row : rows) {
                if (row.size() != heads.size()) {
                    throw new IllegalArgumentException(caption + ": " + row + " under " + heads);
                }
            }
        }

        /** True if all cells of a column are numbers. */
        boolean isNumeric(int column) {
            return rows.stream().allMatch(row -> Text.isNumber(row.get(column)));
        }
    }

    /** A picture. Immutable. */
    record Picture(Drawing drawing) implements Part {}

    /** A claim about the run, and the figures behind it. Immutable. */
    record Claim(String claim, boolean holds, String seen) {}

    /** True if there are claims and all hold. */
    boolean isRight() {
        return !claims.isEmpty() && claims.stream().allMatch(Claim::holds);
    }

    List<Drawing> drawings() {
        return parts.stream()
                .filter(Picture.class::isInstance)
                .map(part -> ((Picture) part).drawing())
                .toList();
    }

    List<Figures> tables() {
        return parts.stream()
                .filter(Figures.class::isInstance)
                .map(Figures.class::cast)
                .toList();
    }
}
