package cleave.chaos.documents;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.Scenario;
import cleave.chaos.sim.bugs.Bug;
import cleave.deploy.Cleave;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Checks that what the documents name exists: classes, packages, commands, options, scenarios, and the targets of links. */
class DocumentsTest {
    /** {@code Type}, {@code Type.member}, {@code package.Type}: of code, so that nothing else is in the span. */
    private static final Pattern NAME =
            Pattern.compile("((?:[a-z][a-z0-9]*\\.)*)([A-Z][a-z]\\w*)(?:[.#](\\w+)(?:\\([^)]*\\))?)?");

    private static final Pattern PACKAGE = Pattern.compile("cleave(?:\\.[a-z][a-z0-9]*)+");

    /** Words that look like classes of Cleave and are none. */
    private static final Set<String> OTHERS = Set.of(
            // Headers, properties and values of the Table protocol.
            "Accept",
            "Authorization",
            "DataServiceVersion",
            "Date",
            "Location",
            "MaxDataServiceVersion",
            "Origin",
            "Vary",
            "DataServiceId",
            "ExtendedErrorDetail",
            "NextPartitionKey",
            "NextRowKey",
            "NextTableName",
            "PartitionKey",
            "RowKey",
            "Timestamp",
            "True",
            "False",
            "NaN",
            // The SDKs.
            "TableClient",
            // The JDK, BookKeeper, systemd and Kubernetes.
            "HashMap",
            "HttpServer",
            "BookieAuthZFactory",
            "TimeoutStopSec",
            // An alert of deploy/monitoring.
            "CleaveProcessDown",
            // A class that decision 10 removed, as it says.
            "VoteGuard");

    /** Spans that look like packages: the loggers whose level an operator sets. */
    private static final Set<String> LOGGERS = Set.of("cleave.auth", "cleave.acts");

    /** Made once: the model of all commands takes a tenth of a second. */
    private static final CommandLine CLEAVE = Cleave.commandLine();

    private final Sources sources = Sources.read();
    private final List<Document> documents = Document.all();

    private List<Document> ofCode() {
        return documents.stream()
                .filter(document -> document.file().startsWith(Sources.ROOT.resolve("docs"))
                        || document.file().equals(Sources.ROOT.resolve("README.md")))
                .toList();
    }

    private static String missing(Document document, String what) {
        return Sources.ROOT.relativize(document.file()) + ": " + what;
    }

    @Test
    void thereAreDocuments() {
        assertThat(ofCode().stream()
                        .map(document -> document.file().getFileName().toString()))
                .contains("README.md", "ARCHITECTURE.md", "0001-one-dfs-core-two-transports.md");
    }

    @Test
    void everyClassAndPackageThatTheyNameExists() {
        Set<String> missing = new TreeSet<>();
        for (Document document : ofCode()) {
            for (String span : document.spans()) {
                if (!exists(span)) {
                    missing.add(missing(document, span));
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private boolean exists(String span) {
        if (PACKAGE.matcher(span).matches()) {
            return sources.hasPackage(span) || LOGGERS.contains(span);
        }
        Matcher name = NAME.matcher(span);
        if (!name.matches() || OTHERS.contains(name.group(2))) {
            return true;
        }
        if (!sources.hasType(name.group(2))) {
            return sources.isOfProtocol(name.group(2));
        }
        String inPackage = name.group(1).isEmpty()
                ? ""
                : name.group(1).substring(0, name.group(1).length() - 1);
        boolean isThere =
                inPackage.isEmpty() || sources.hasType(inPackage, name.group(2)) || !inPackage.startsWith("cleave");
        return isThere && (name.group(3) == null || sources.hasMember(name.group(2), name.group(3)));
    }

    /** A name that is allowed without need would hide the class that is given it one day. */
    @Test
    void noNameIsAllowedInVain() {
        Set<String> named = ofCode().stream()
                .flatMap(document -> document.spans().stream())
                .map(NAME::matcher)
                .filter(Matcher::matches)
                .map(name -> name.group(2))
                .collect(Collectors.toSet());

        assertThat(OTHERS).allMatch(named::contains);
        assertThat(OTHERS).noneMatch(sources::hasType).noneMatch(sources::isOfProtocol);
    }

    /** The last column of the table of all bounds names test classes, in each row. */
    @Test
    void everyBoundIsDrivenOverByATest() throws IOException {
        Set<String> tests = new TreeSet<>();
        Sources.eachFile(file -> {
            if (file.toString().contains("/src/test/java/")) {
                tests.add(file.getFileName().toString());
            }
        });
        List<String> rows = Files.readAllLines(Sources.ROOT.resolve("docs/limits.md")).stream()
                .dropWhile(line -> !line.startsWith("| where |"))
                .takeWhile(line -> line.startsWith("|"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(30);
        assertThat(rows.get(0)).endsWith("| driven over by |");

        assertThat(rows.subList(2, rows.size())).allSatisfy(row -> {
            String[] cells = row.split("\\|", -1);
            assertThat(cells).hasSize(8);
            assertThat(cells[6].strip().split(", "))
                    .allSatisfy(named -> assertThat(named).matches("`\\w+(Test|IT)`"))
                    .allSatisfy(named -> assertThat(tests).contains(named.replace("`", "") + ".java"));
        });
    }

    @Test
    void everyLinkLeadsToAFileAndAHeading() {
        Set<String> missing = new TreeSet<>();
        for (Document document : documents) {
            for (String link : document.links()) {
                if (!link.contains("://") && !link.startsWith("mailto:") && !leads(document, link)) {
                    missing.add(missing(document, link));
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private boolean leads(Document from, String link) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path target =
                path.isEmpty() ? from.file() : from.file().resolveSibling(path).normalize();
        if (!target.startsWith(Sources.ROOT) || !Files.exists(target)) {
            return false;
        }
        return hash < 0
                || !target.toString().endsWith(".md")
                || Document.read(target).anchors().contains(link.substring(hash + 1));
    }

    @Test
    void everyCommandAndOptionExists() {
        Set<String> wrong = new TreeSet<>();
        for (Document document : documents) {
            for (String command : document.commands()) {
                String what = wrong(command);
                if (what != null) {
                    wrong.add(missing(document, what + " in '" + command + "'"));
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** The part of a command line that does not exist; null if all does. Words in capitals stand for others, and | for a choice. */
    private static @Nullable String wrong(String text) {
        List<String> words = new ArrayList<>(Arrays.asList(text.replaceFirst("\\s#.*", "")
                .replaceAll("[\\[\\]()\"'`,;]", " ")
                .strip()
                .split("\\s+")));
        words.remove(0);
        CommandLine line = CLEAVE;
        String before = "";
        for (String word : words) {
            if (Set.of("|", "||", "&&", ">", "<", "&", "$").contains(word)) {
                return null;
            }
            String first = word.split("[|=]")[0];
            if (first.startsWith("--")) {
                if (!has(line, first)) {
                    return "option " + first;
                }
            } else if (line.getSubcommands().containsKey(first)) {
                line = line.getSubcommands().get(first);
            } else if (line.getParent() == null && !isPlaceholder(first)) {
                return "command " + first;
            } else if (before.equals("--scenario") && !isScenario(first)) {
                return "scenario " + first;
            } else if (before.equals("--bug") && !isBug(first)) {
                return "bug " + first;
            }
            before = first;
        }
        return null;
    }

    private static boolean has(CommandLine line, String option) {
        for (CommandLine of = line; of != null; of = of.getParent()) {
            if (of.getCommandSpec().findOption(option) != null) {
                return true;
            }
        }
        return line.getSubcommands().values().stream()
                .anyMatch(sub -> sub.getCommandSpec().findOption(option) != null);
    }

    private static boolean isPlaceholder(String word) {
        return word.isEmpty() || word.startsWith("-") || word.equals(word.toUpperCase(Locale.ROOT));
    }

    private static boolean isScenario(String name) {
        return isPlaceholder(name) || Set.of("list", "all").contains(name) || Scenario.of(name) != null;
    }

    private static boolean isBug(String name) {
        return Set.of("NAME", "BUG", "list").contains(name)
                || Arrays.stream(Bug.values()).anyMatch(each -> each.name().equals(name));
    }
}
