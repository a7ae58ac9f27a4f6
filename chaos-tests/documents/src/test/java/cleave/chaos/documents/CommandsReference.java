package cleave.chaos.documents;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** All commands as a document, from what they say of themselves: an option that many have in the same words is told once. */
final class CommandsReference {
    private static final int COMMON_FROM = 3;

    private final Map<String, CommandSpec> commands = new TreeMap<>();
    /** By the name of an option that several commands have in the same words, its text in most of them. */
    private final Map<String, String> common = new TreeMap<>();

    private CommandsReference(CommandLine cleave) {
        add("cleave", cleave);
        Map<String, Map<String, Long>> uses = commands.values().stream()
                .flatMap(CommandsReference::options)
                .collect(Collectors.groupingBy(
                        OptionSpec::longestName,
                        TreeMap::new,
                        Collectors.groupingBy(CommandsReference::text, TreeMap::new, Collectors.counting())));
        uses.forEach((name, texts) -> texts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .filter(most -> most.getValue() >= COMMON_FROM)
                .ifPresent(most -> common.put(name, most.getKey())));
    }

    static String of(CommandLine cleave) {
        return new CommandsReference(cleave).text();
    }

    private void add(String name, CommandLine line) {
        commands.put(name, line.getCommandSpec());
        line.getSubcommands().forEach((word, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden()) {
                add(name + " " + word, command);
            }
        });
    }

    private String text() {
        List<String> lines = new ArrayList<>(List.of("## Options of many commands", ""));
        lines.addAll(common.values());
        commands.forEach((name, command) -> lines.addAll(section(name, command)));
        return String.join("\n", lines) + "\n";
    }

    private List<String> section(String name, CommandSpec command) {
        UsageMessageSpec usage = command.usageMessage();
        List<String> lines = new ArrayList<>(List.of("", "## " + name, ""));
        Arrays.stream(usage.header()).map(CommandsReference::sentence).forEach(lines::add);
        Arrays.stream(usage.description())
                .map(CommandsReference::plain)
                .filter(text -> !text.isBlank())
                .forEach(lines::add);
        if (usage.customSynopsis().length > 1) { // Of one line it says no more than the options.
            lines.addAll(fenced(usage.customSynopsis()));
        }
        List<String> items = new ArrayList<>();
        command.positionalParameters().stream()
                .filter(argument -> !argument.hidden())
                .map(argument ->
                        "- `" + argument.paramLabel() + "`: " + plain(String.join(" ", argument.description())))
                .map(item -> item.replaceFirst(": $", ""))
                .forEach(items::add);
        options(command).filter(option -> !isCommon(option)).forEach(option -> items.add(text(option)));
        String common = options(command)
                .filter(this::isCommon)
                .map(option -> "`" + option.longestName() + "`")
                .collect(Collectors.joining(", "));
        if (!common.isEmpty()) {
            items.add("- " + common + ": [as of many commands](#options-of-many-commands)");
        }
        usage.exitCodeList().forEach((code, meaning) -> items.add("- exit status " + code + ": " + meaning));
        if (!items.isEmpty()) {
            lines.add("");
            lines.addAll(items);
        }
        lines.addAll(fenced(usage.footer()));
        return lines;
    }

    private static List<String> fenced(String... texts) {
        List<String> code = Arrays.stream(texts)
                .map(CommandsReference::plain)
                .filter(line -> !line.isBlank() && !line.matches("EXAMPLES?"))
                .map(line -> line.replaceFirst("^ {2}", ""))
                .toList();
        return code.isEmpty()
                ? List.of()
                : Stream.of(List.of("", "```"), code, List.of("```"))
                        .flatMap(List::stream)
                        .toList();
    }

    /** Those that say something about this command: not those for its help. */
    private static Stream<OptionSpec> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp());
    }

    private boolean isCommon(OptionSpec option) {
        return text(option).equals(common.get(option.longestName()));
    }

    private static String text(OptionSpec option) {
        boolean isFlag = option.arity().max() == 0 || (option.arity().min() == 0 && option.hideParamSyntax());
        String label = isFlag ? "" : " " + option.paramLabel();
        String name = "`" + String.join(", ", option.names()) + label + "`";
        return "- " + name + (option.required() ? ", needed: " : ": ") + plain(String.join(" ", option.description()));
    }

    private static String sentence(String header) {
        String text = plain(header);
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + ".";
    }

    /** Without the markup of terminals. */
    private static String plain(String text) {
        return Ansi.OFF.string(text).replace("%n", " ").replace("%%", "%").stripTrailing();
    }
}
