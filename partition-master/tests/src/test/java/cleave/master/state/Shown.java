package cleave.master.state;

import cleave.master.state.MasterCommand.Handoff;
import cleave.model.FeatureLevels;
import cleave.model.Key;
import cleave.model.Row;
import java.util.List;
import java.util.stream.Collectors;

/** Commands, answers and rows as transcripts show them, and keys as they name them. */
public final class Shown {
    private Shown() {}

    /** {@code -}, {@code TABLE}, {@code TABLE/PARTITION} or {@code TABLE/PARTITION/ROW}. */
    public static Key key(String text) {
        String[] parts = text.split("/", -1);
        return switch (parts.length) {
            case 1 -> text.equals("-") ? Key.MIN : Key.beforeTable(Long.parseLong(text));
            case 2 -> Key.beforePartition(Long.parseLong(parts[0]), parts[1]);
            default -> Key.of(Long.parseLong(parts[0]), parts[1], parts[2]);
        };
    }

    public static String command(MasterCommand command) {
        return command instanceof Handoff handoff
                ? "Handoff by " + handoff.by() + ": "
                        + handoff.sources().stream()
                                .map(each -> Row.idText(each.range()) + " v" + each.version()
                                        + (each.ownerConsent() ? "" : " without consent"))
                                .collect(Collectors.joining(", "))
                        + " -> "
                        + handoff.targets().stream()
                                .map(each -> each.range() + " " + each.owner() + " " + each.manifest())
                                .collect(Collectors.joining(", "))
                        + (handoff.sealed().isEmpty() ? "" : ", sealed " + handoff.sealed())
                : command.toString().replace(", levels=" + FeatureLevels.SUPPORTED, "");
    }

    public static String answer(MasterAnswer answer) {
        return answer.isOk() ? "OK" : (answer.code() + " " + answer.message()).strip();
    }

    public static String row(Row row) {
        return Row.idText(row.id()) + row.range() + " " + row.owner() + " v" + row.version()
                + (row.epoch() == row.version() ? "" : " epoch " + row.epoch()) + " " + row.manifest();
    }

    public static List<String> rows(MasterState state) {
        return state.rows().all().stream().map(Shown::row).toList();
    }
}
