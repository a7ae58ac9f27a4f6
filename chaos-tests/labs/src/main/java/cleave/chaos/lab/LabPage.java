package cleave.chaos.lab;

import cleave.chaos.lab.LabCard.Course;
import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.lab.Report.Figures;
import cleave.chaos.lab.Report.Paragraph;
import cleave.chaos.lab.Report.Part;
import cleave.chaos.lab.script.Script;
import cleave.deploy.CommandFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the page of a lab, whose form docs/labs/writing-a-lab.md describes, and writes what a run showed into it. A page that is not of this form
 * is refused with its line, with what was found there and what belongs there. Confined to its thread.
 */
final class LabPage {
    private static final String SEEN = "## What you should see";
    private static final String WHY = "## Why";
    private static final String AT_LENGTH = "## At length";
    private static final String SCRIPT = "## Script";
    private static final String FENCE = "```";
    private static final int CHOICES_MIN = 2;
    private static final int CHOICES_MAX = 4;

    private static final Pattern FILE = Pattern.compile("(?:.*[/\\\\])?((?:\\d\\d-)?([a-z0-9]+(?:-[a-z0-9]+)*)\\.md)");
    private static final Pattern TITLE = Pattern.compile("# (.*[^.])");
    private static final Pattern RUN =
            Pattern.compile("`\\./cleave lab run (\\S+)` \\(([a-z ]+), on ([a-z ]+), (\\d+) minutes? at most\\)");
    private static final Pattern CHOICE = Pattern.compile("(\\d)\\. (.+)");
    private static final Pattern ANSWER =
            Pattern.compile("<details><summary>The answer</summary>(\\d)\\. (.+)</details>");
    private static final Pattern TYPE = Pattern.compile("- `(cleave\\.[A-Za-z0-9.$]+)`");

    private final String path;
    private final String text;
    private final List<String> lines;
    private final boolean isFull;
    /** The index of the next line. */
    private int next;

    private LabPage(String path, String text, boolean isFull) {
        this.isFull = isFull;
        this.path = path;
        this.text = text;
        this.lines = text.lines().toList();
    }

    /** Reads a page; CommandFailure if it is not one. */
    static Lab read(String path, String text) {
        return new LabPage(path, text, false).lab();
    }

    /** The card of its full form. */
    static LabCard full(LabCard card) {
        return new LabPage(card.file(), card.page(), true).lab().card();
    }

    private Lab lab() {
        MatchResult file = whole(FILE, path);
        if (file == null) {
            throw CommandFailure.usage(
                    path + ": a page is named NAME.md or NN-NAME.md, in lower case, words joined by hyphens");
        }
        String title = match(TITLE, "the title, '# TITLE', without a full stop").group(1);
        MatchResult run = match(
                RUN,
                "'`./cleave lab run NAME` (COURSE, on NEEDS, N minutes at most)', with the course one of "
                        + named(Course.values()) + ", and needs one of " + named(Needs.values()));
        expect(
                run.group(1).equals(file.group(2)),
                "the name of the page's file, " + file.group(2) + ", after 'lab run'");
        Course course = of(Course.values(), run.group(2));
        Needs needs = of(Needs.values(), run.group(3));
        String question = paragraph("the question");
        List<String> choices = choices();
        MatchResult answer = match(
                ANSWER, "'<details><summary>The answer</summary>N. CHOICE</details>', with one of the choices above");
        int right = Integer.parseInt(answer.group(1)) - 1;
        expect(
                right >= 0 && right < choices.size() && choices.get(right).equals(answer.group(2)),
                "an answer that is one of the choices above, number and text: " + choices);
        skipSeen();
        heading(WHY);
        List<String> why = paragraphs("the explanation");
        heading("## Read the code");
        List<String> code = new ArrayList<>();
        do {
            code.add(match(TYPE, "a class to read, '- `cleave.PACKAGE.CLASS`'").group(1));
            expectClass(code.get(code.size() - 1));
        } while (!peek().startsWith("## "));
        heading("## Now break it");
        List<String> broken = paragraphs("what to change, and then the source");
        String source = broken.get(broken.size() - 1);
        expect(
                broken.size() == 2 && source.startsWith("Source: "),
                "two paragraphs before this heading: what to change, and 'Source: DOCUMENT: SECTION'");
        String atLength = "";
        if (peek().equals(AT_LENGTH)) {
            heading(AT_LENGTH);
            atLength = paragraph("the question of the full form");
        }
        heading(SCRIPT);
        LabCard card = new LabCard(
                text,
                file.group(1),
                file.group(2),
                title,
                course,
                isFull ? Needs.FULL_CLUSTER : needs,
                Integer.parseInt(run.group(4)),
                isFull ? atLength : question,
                choices,
                right,
                why,
                code,
                broken.get(0),
                source.substring("Source: ".length()),
                atLength);
        return new Lab(card, experiment());
    }

    private List<String> choices() {
        List<String> choices = new ArrayList<>();
        while (CHOICE.matcher(peek()).matches() || choices.size() < CHOICES_MIN) {
            MatchResult choice = match(CHOICE, "a choice, '" + (choices.size() + 1) + ". TEXT'");
            choices.add(choice.group(2));
            expect(
                    choice.group(1).equals(Integer.toString(choices.size())) && choices.size() <= CHOICES_MAX,
                    "from two to four choices, numbered from 1");
        }
        return choices;
    }

    private Experiment experiment() {
        peek();
        expect(next().equals(FENCE + "lab"), "a script, '" + FENCE + "lab'");
        int first = next;
        while (next < lines.size() && !lines.get(next).equals(FENCE)) {
            next++;
        }
        List<String> script = lines.subList(first, next);
        expect(next().equals(FENCE), "the end of the script, '" + FENCE + "'");
        return Script.read(path, first + 1, script);
    }

    private void expectClass(String name) {
        try {
            Class.forName(name, false, LabPage.class.getClassLoader());
        } catch (ClassNotFoundException missing) {
            throw wrong("a class that is there");
        }
    }

    /** Skips the figures of an earlier run, which are no part of the card. */
    private void skipSeen() {
        if (peek().equals(SEEN)) {
            while (next < lines.size() && !lines.get(next).equals(WHY)) {
                next++;
            }
        }
    }

    private <T> T of(T[] values, String text) {
        return Arrays.stream(values)
                .filter(value -> value.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> wrong("one of " + named(values) + " in place of '" + text + "'"));
    }

    private static String named(Object[] values) {
        return Arrays.stream(values).map(Object::toString).collect(Collectors.joining(", "));
    }

    private List<String> paragraphs(String what) {
        List<String> paragraphs = new ArrayList<>();
        do {
            paragraphs.add(paragraph(what));
        } while (!peek().startsWith("## ") && next < lines.size());
        return paragraphs;
    }

    /** Lines up to an empty one. */
    private String paragraph(String what) {
        peek();
        StringBuilder paragraph = new StringBuilder();
        while (next < lines.size() && !lines.get(next).isBlank()) {
            paragraph.append(paragraph.length() == 0 ? "" : " ").append(next());
        }
        expect(paragraph.length() > 0 && !paragraph.toString().startsWith("#"), what + ", a paragraph");
        return paragraph.toString();
    }

    private void heading(String heading) {
        peek();
        expect(next().equals(heading), "'" + heading + "'");
    }

    private MatchResult match(Pattern pattern, String right) {
        peek();
        MatchResult match = whole(pattern, next());
        if (match == null) {
            throw wrong(right);
        }
        return match;
    }

    private static @Nullable MatchResult whole(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.matches() ? matcher : null;
    }

    /** The next line that is not empty, which is not taken; empty at the end. */
    private String peek() {
        while (next < lines.size() && lines.get(next).isBlank()) {
            next++;
        }
        return next < lines.size() ? lines.get(next).strip() : "";
    }

    private String next() {
        next++;
        return next <= lines.size() ? lines.get(next - 1).strip() : "";
    }

    private void expect(boolean isRight, String right) {
        if (!isRight) {
            throw wrong(right);
        }
    }

    /** About the line that was taken last. */
    private CommandFailure wrong(String right) {
        String found = next <= lines.size() ? "'" + lines.get(next - 1).strip() + "'" : "the end of the page";
        return CommandFailure.usage(path + ":" + next + ": " + found + " should be " + right);
    }

    /** The page with what this run showed in place of what an earlier one did. */
    static String with(Report report) {
        String page = report.card().page();
        StringBuilder seen = new StringBuilder(SEEN + "\n\n");
        for (int i = 0; i < report.drawings().size(); i++) {
            seen.append("![")
                    .append(report.drawings().get(i).title())
                    .append("](")
                    .append(Folder.picture(report.card(), i))
                    .append(")\n\n");
        }
        for (Part part : report.parts()) {
            if (part instanceof Paragraph paragraph) {
                seen.append(paragraph.text()).append("\n\n");
            } else if (part instanceof Figures figures) {
                seen.append(FENCE + "\n").append(TextReport.table(figures)).append(FENCE + "\n\n");
            }
        }
        report.claims()
                .forEach(claim -> seen.append(claim.holds() ? "- holds: " : "- FAILS: ")
                        .append(claim.claim() + " (seen: " + claim.seen() + ")\n"));
        seen.append('\n');
        int why = page.indexOf("\n" + WHY + "\n") + 1;
        int from = page.indexOf("\n" + SEEN + "\n") + 1;
        return page.substring(0, from == 0 ? why : from) + seen + page.substring(why);
    }
}
