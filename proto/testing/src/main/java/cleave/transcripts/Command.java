package cleave.transcripts;

import java.util.List;
import java.util.stream.Stream;

/** A word and its arguments, which spaces divide; {@code name=value} is a named argument. Immutable. */
public record Command(String word, List<String> arguments) {
    static Command of(String text) {
        List<String> parts = List.of(text.strip().split(" +"));
        return new Command(parts.get(0), parts.subList(1, parts.size()));
    }

    /** The arguments without a name. */
    public List<String> plain() {
        return arguments.stream().filter(each -> !each.contains("=")).toList();
    }

    /** The argument without a name at this place. */
    public String at(int place) {
        if (place >= plain().size()) {
            throw new IllegalArgumentException("too few arguments: " + this);
        }
        return plain().get(place);
    }

    /** The arguments without a name from this place on, with spaces between them. */
    public String from(int place) {
        return String.join(" ", plain().subList(place, plain().size()));
    }

    public long number(int place) {
        return Long.parseLong(at(place).replace("_", ""));
    }

    /** The argument of this name, or {@code absent} if there is none. */
    public String named(String name, String absent) {
        return arguments.stream()
                .filter(each -> each.startsWith(name + "="))
                .map(each -> each.substring(name.length() + 1))
                .findFirst()
                .orElse(absent);
    }

    /** The values of the argument of this name, with commas between them; none if there is no such argument. */
    public String[] list(String name) {
        String values = named(name, "");
        return values.isEmpty() ? new String[0] : values.split(",");
    }

    /** The names of the arguments that have one, in order, as those of a metric's labels. */
    public String[] names() {
        return named().map(each -> each[0]).toArray(String[]::new);
    }

    /** The values that belong to {@link #names}. */
    public String[] values() {
        return named().map(each -> each[1]).toArray(String[]::new);
    }

    private Stream<String[]> named() {
        return arguments.stream().filter(each -> each.contains("=")).map(each -> each.split("="));
    }

    /** The command that begins with the argument at this place. */
    public Command rest(int place) {
        return new Command(arguments.get(place), arguments.subList(place + 1, arguments.size()));
    }

    /** True if this word is among the arguments. */
    public boolean has(String argument) {
        return arguments.contains(argument);
    }

    /** The error of an interpreter that does not know the word. */
    public IllegalArgumentException unknown() {
        return new IllegalArgumentException("unknown command: " + this);
    }
}
