package cleave.master.state;

import cleave.wire.OperatorAct;
import org.jspecify.annotations.Nullable;

/**
 * What an operator had the masters do. Immutable. All texts are one line of printable ASCII.
 *
 * @param number index of the command that recorded it; 0 in that command
 * @param ticks the leader's wall clock when it began
 * @param caller the name in the caller's certificate, or what stands for one without
 * @param told who the caller says it is, which nobody has verified
 * @param what a word: split, drain, ...
 * @param outcome empty while it is under way, and for good if its leader lost its office before the end
 */
public record Act(long number, long ticks, String caller, String told, String what, String arguments, String outcome) {
    static final int NAME_MAX = 128;
    static final int WORD_MAX = 32;
    static final int TEXT_MAX = 512;
    /** What an act takes beside its texts, about. */
    private static final int FRAME_BYTES = 32;

    /** An act that begins; texts that are too long are cut, and what is not printable is replaced. */
    public static Act begun(long ticks, String caller, String told, String what, String arguments) {
        return new Act(
                0,
                ticks,
                line(caller, NAME_MAX),
                line(told, NAME_MAX),
                line(what, WORD_MAX),
                line(arguments, TEXT_MAX),
                "");
    }

    /** A text as an act may hold it. */
    static String line(String text, int max) {
        StringBuilder out = new StringBuilder();
        text.codePoints().limit(max + 1L).forEach(each -> out.append(isPrintable(each) ? (char) each : '?'));
        return out.length() <= max ? out.toString() : out.substring(0, max - 3) + "...";
    }

    /** The outcome of an act as one may hold it. */
    public static String outcome(String text) {
        return line(text, TEXT_MAX);
    }

    private static boolean isPrintable(int character) {
        return character >= ' ' && character <= '~';
    }

    private static boolean isLine(String text, int max) {
        return text.length() <= max && text.chars().allMatch(Act::isPrintable);
    }

    static boolean isOutcome(String text) {
        return !text.isEmpty() && isLine(text, TEXT_MAX);
    }

    /** Why this cannot be recorded; null if it can. */
    @Nullable
    String problem() {
        boolean isLegal = isLine(caller, NAME_MAX)
                && isLine(told, NAME_MAX)
                && isLine(what, WORD_MAX)
                && isLine(arguments, TEXT_MAX);
        if (number != 0 || !outcome.isEmpty()) {
            return "an act that begins has neither a number nor an outcome";
        }
        return isLegal && !what.isEmpty() && !caller.isEmpty()
                ? null
                : "an act has a caller, a word and short lines of printable ASCII";
    }

    Act numbered(long index) {
        return new Act(index, ticks, caller, told, what, arguments, outcome);
    }

    Act ended(String how) {
        return new Act(number, ticks, caller, told, what, arguments, how);
    }

    int bytes() {
        return FRAME_BYTES + caller.length() + told.length() + what.length() + arguments.length() + outcome.length();
    }

    public OperatorAct toWire() {
        return OperatorAct.newBuilder()
                .setNumber(number)
                .setTicks(ticks)
                .setCaller(caller)
                .setTold(told)
                .setWhat(what)
                .setArguments(arguments)
                .setOutcome(outcome)
                .build();
    }

    static Act fromWire(OperatorAct wire) {
        return new Act(
                wire.getNumber(),
                wire.getTicks(),
                wire.getCaller(),
                wire.getTold(),
                wire.getWhat(),
                wire.getArguments(),
                wire.getOutcome());
    }
}
