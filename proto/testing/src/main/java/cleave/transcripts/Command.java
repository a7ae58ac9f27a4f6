package cleave.transcripts;

import java.util.List;

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

    /** True if this word is among the arguments. */
    public boolean has(String argument) {
        return arguments.contains(argument);
    }

    /** The error of an interpreter that does not know the word. */
    public IllegalArgumentException unknown() {
        return new IllegalArgumentException("unknown command: " + this);
    }
}
