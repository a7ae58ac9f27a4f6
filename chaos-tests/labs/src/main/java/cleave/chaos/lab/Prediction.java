package cleave.chaos.lab;

import cleave.deploy.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Lets the reader choose an answer before the run. Pure, but for the reading. */
final class Prediction {
    /** Nobody chose. */
    static final int NONE = -1;

    private Prediction() {}

    /** The index of a choice that was given by its number, from 1. */
    static int given(LabCard card, int number) {
        if (number < 1 || number > card.choices().size()) {
            throw CommandFailure.usage(
                    "--predict must be from 1 to " + card.choices().size() + " for " + card.name() + ", not " + number);
        }
        return number - 1;
    }

    /** Asks until an answer is a number of a choice; an empty line, or the end, is none. */
    static int asked(LabCard card, BufferedReader in, PrintWriter out) throws IOException {
        while (true) {
            out.print("Your prediction (1 to " + card.choices().size() + ", or Enter for none): ");
            out.flush();
            String line = in.readLine();
            if (line == null || line.isBlank()) {
                return NONE;
            }
            Integer number = number(line.strip());
            if (number != null && number >= 1 && number <= card.choices().size()) {
                return number - 1;
            }
        }
    }

    private static @Nullable Integer number(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException other) {
            return null;
        }
    }
}
