package cleave.chaos.lab.patterns;

import java.util.Locale;

/** Prints numbers for readers, alike on every machine. */
final class Figures {
    private Figures() {}

    /** With commas between thousands. */
    static String of(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
