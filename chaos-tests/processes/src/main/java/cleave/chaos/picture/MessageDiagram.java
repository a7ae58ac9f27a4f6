package cleave.chaos.picture;

import java.util.List;
import java.util.Locale;

/**
 * A diagram of messages: a line downwards for each participant, an arrow for each message, and sentences between them. Participants whose names
 * differ in a number alone have one colour. Immutable.
 *
 * @param participants from left to right
 */
public record MessageDiagram(String title, List<String> participants, List<Step> steps) implements Drawing {
    private static final int LEFT = 84;
    private static final int COLUMN = 46;
    private static final int TEXTS = 340;
    private static final int RIGHT = 12;
    private static final int LINE = 16;
    private static final int HEAD = 46;
    /** Room that a bold character takes, on average and rather more. */
    private static final double BOLD_CHARACTER = 7.4;

    private static final double TIP = 5;
    private static final int TEXT_CHARACTERS = 58;

    /** What became of a message. */
    public enum Fate {
        ARRIVES,
        HELD,
        LOST
    }

    /** What happens next. Immutable. */
    public sealed interface Step permits Sentence, Message {
        double seconds();
    }

    /** @param isWrong it tells of what must not be */
    public record Sentence(double seconds, String text, boolean isWrong) implements Step {}

    /**
     * A message that arrived, was held back or was lost.
     *
     * @param from a participant
     * @param to another one
     * @param isAnswer drawn as a broken line
     */
    public record Message(double seconds, String from, String to, Fate fate, boolean isAnswer, String text)
            implements Step {}

    public MessageDiagram {
        participants = List.copyOf(participants);
        steps = List.copyOf(steps);
        for (Step step : steps) {
            if (step instanceof Message message
                    && !(participants.contains(message.from()) && participants.contains(message.to()))) {
                throw new IllegalArgumentException(title + ": " + message + " is not between two of " + participants);
            }
        }
    }

    @Override
    public String svg() {
        Svg svg = new Svg();
        int width = LEFT + participants.size() * COLUMN + TEXTS + RIGHT;
        svg.heading(8, LINE + 4, title);
        participants.forEach(name -> svg.name(x(name), HEAD, colour(name), name));
        int y = HEAD + LINE / 2;
        String last = "";
        for (Step step : steps) {
            String time = String.format(Locale.ROOT, "%.3f s", step.seconds());
            if (!time.equals(last)) {
                svg.smallText(LEFT - 22, y + LINE, "end", time);
                last = time;
            }
            if (step instanceof Message message) {
                lifelines(svg, y, y + LINE);
                message(svg, message, y + LINE - 4);
                y += LINE;
            } else if (step instanceof Sentence sentence) {
                for (String line : Text.wrapped(sentence.text(), (int) ((width - LEFT) / BOLD_CHARACTER))) {
                    y += LINE;
                    svg.sentence(LEFT - 14, y, line, sentence.isWrong());
                }
                y += LINE / 2;
            }
        }
        return svg.end(width, y + LINE / 2, title, description());
    }

    private void lifelines(Svg svg, int top, int bottom) {
        StringBuilder path = new StringBuilder();
        participants.forEach(name -> path.append(String.format(Locale.ROOT, "M%.1f %dV%d", x(name), top, bottom)));
        svg.add("<path class=\"lifelines\" d=\"%s\" stroke=\"%s\" stroke-opacity=\"0.4\"/>", path, Svg.GREY);
    }

    private String colour(String name) {
        List<String> kinds =
                participants.stream().map(MessageDiagram::kind).distinct().toList();
        return Svg.colour(kinds.indexOf(kind(name)));
    }

    private static String kind(String name) {
        return name.replaceAll("\\d.*", "");
    }

    private void message(Svg svg, Message message, int middle) {
        double from = x(message.from());
        double to = x(message.to());
        boolean arrives = message.fate() == Fate.ARRIVES;
        double end = arrives ? to : (from + to) / 2;
        double step = Math.signum(to - from);
        String colour = arrives ? Svg.GREY : Svg.RED;
        svg.add(
                "<path class=\"message\" d=\"M%.1f %dH%.1f\" stroke=\"%s\" stroke-width=\"1.3\"%s/>",
                from, middle, end, colour, message.isAnswer() ? " stroke-dasharray=\"4 3\"" : "");
        if (arrives) {
            svg.add(
                    "<path d=\"M%.1f %dL%.1f %.1fV%.1fZ\"/>",
                    end, middle, end - step * TIP * 1.4, middle - TIP * 0.8, middle + TIP * 0.8);
        } else {
            svg.add("<g fill=\"%s\">", colour);
            svg.symbol(end, middle, message.fate() == Fate.HELD ? Symbol.PAUSE : Symbol.CROSS);
            svg.add("</g>");
        }
        double texts = LEFT + participants.size() * COLUMN;
        svg.smallText(texts, middle + 4, "start", shortened(message.text()));
    }

    private static String shortened(String text) {
        return text.length() <= TEXT_CHARACTERS ? text : text.substring(0, TEXT_CHARACTERS - 1) + "…";
    }

    private double x(String participant) {
        return LEFT + (participants.indexOf(participant) + 0.5) * COLUMN - 8;
    }

    /** The sentences; what the messages say is told beside the picture. */
    private String description() {
        return String.join(
                " ",
                steps.stream()
                        .filter(Sentence.class::isInstance)
                        .map(step -> ((Sentence) step).text())
                        .toList());
    }
}
