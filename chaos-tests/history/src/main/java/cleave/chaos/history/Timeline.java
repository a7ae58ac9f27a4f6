package cleave.chaos.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Draws operations as text: a line for each client, a column for each beginning and end. Pure. */
final class Timeline {
    private static final int WIDTH_MAX = 100;
    private static final int STEP_MAX = 5;

    private Timeline() {}

    private record Event(long time, boolean isEnd, int operation) {}

    /** The lines; operations are numbered from 1. Empty if there are too many to draw. */
    static List<String> of(List<Operation> operations) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < operations.size(); i++) {
            events.add(new Event(operations.get(i).call().invoked(), false, i));
            events.add(new Event(operations.get(i).call().returned(), true, i));
        }
        events.sort(Comparator.comparingLong(Event::time).thenComparing(Event::isEnd));
        int step = Math.min(STEP_MAX, WIDTH_MAX / Math.max(1, events.size()));
        if (step < 2) {
            return List.of();
        }
        int[] begin = new int[operations.size()];
        int[] end = new int[operations.size()];
        for (int i = 0; i < events.size(); i++) {
            (events.get(i).isEnd() ? end : begin)[events.get(i).operation()] = i * step;
        }
        TreeMap<Integer, char[]> lines = new TreeMap<>();
        for (int i = 0; i < operations.size(); i++) {
            char[] line =
                    lines.computeIfAbsent(operations.get(i).call().client(), client -> blank(events.size() * step));
            draw(
                    line,
                    begin[i],
                    end[i],
                    String.valueOf(i + 1),
                    operations.get(i).outcome());
        }
        List<String> text = new ArrayList<>();
        lines.forEach((client, line) -> text.add(String.format(Locale.ROOT, "client %-3d %s", client, new String(line))
                .stripTrailing()));
        return text;
    }

    private static char[] blank(int length) {
        char[] line = new char[length];
        Arrays.fill(line, ' ');
        return line;
    }

    private static void draw(char[] line, int begin, int end, String number, Outcome outcome) {
        Arrays.fill(line, begin, end, '-');
        line[begin] = '|';
        line[end] = outcome == Outcome.UNKNOWN ? '?' : '|';
        int at = begin + (end - begin - number.length() + 1) / 2;
        if (at > begin && at + number.length() <= end) {
            number.getChars(0, number.length(), line, at);
        }
    }
}
