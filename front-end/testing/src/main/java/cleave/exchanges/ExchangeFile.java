package cleave.exchanges;

import cleave.exchanges.Scene.Exchange;
import cleave.exchanges.Scene.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the files of exchanges, whose format {@code exchanges/README.md} describes. Confined to one file. */
public final class ExchangeFile {
    /** How it is signed, if it stands here; the request line; and a set. */
    private static final Pattern REQUEST = Pattern.compile("(?:([a-z].*?) )?([A-Z]+ /.*?)(?: (@.*))?");

    private static final String USUAL_SIGNING = "shared-key-lite";

    private final Path path;
    private final List<String> lines;
    private final Sets sets;
    private int at;

    private ExchangeFile(Path path, Sets sets) throws IOException {
        this.path = path;
        this.lines = Files.readAllLines(path);
        this.sets = sets;
    }

    /** The scenes of all files of a folder, in the order of their names. */
    public static List<Scene> allIn(Path folder) throws IOException {
        Sets sets = Sets.of(Files.readAllLines(folder.resolve("sets.txt")));
        List<Scene> scenes = new ArrayList<>();
        List<Path> files;
        try (Stream<Path> found = Files.list(folder)) {
            files = found.filter(file -> file.toString().endsWith(".http"))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            scenes.addAll(new ExchangeFile(file, sets).scenes());
        }
        return scenes;
    }

    private List<Scene> scenes() {
        List<Scene> scenes = new ArrayList<>();
        while (at < lines.size()) {
            String line = lines.get(at);
            if (line.startsWith("== ")) {
                scenes.add(scene(scenes));
            } else if (isNothing(line)) {
                at++;
            } else {
                throw wrong("is outside of any scene");
            }
        }
        return scenes;
    }

    private Scene scene(List<Scene> before) {
        int line = at + 1;
        String[] title = lines.get(at++).substring("== ".length()).split(" \\| ", 2);
        List<String> traits = title.length > 1 ? List.of(title[1].split(" ")) : List.of();
        List<Exchange> exchanges = new ArrayList<>();
        if (traits.contains("orders")) {
            exchanges.add(preparation(line, "POST /Tables {\"TableName\":\"Orders\"}"));
        }
        while (at < lines.size() && !lines.get(at).startsWith("== ")) {
            if (lines.get(at).startsWith("-> ")) {
                exchanges.addAll(exchanges());
            } else if (lines.get(at).startsWith("++ ")) {
                String prepared = lines.get(at++).substring("++ ".length());
                exchanges.add(preparation(at, prepared));
            } else if (isNothing(lines.get(at))) {
                at++;
            } else {
                throw wrong("is outside of any exchange");
            }
        }
        String file = path.getFileName().toString().replace(".http", "");
        String account = traits.contains("continues")
                ? before.get(before.size() - 1).account()
                : Scene.accountOf(file, title[0]);
        return new Scene(file, line, title[0], account, traits, exchanges);
    }

    /** Exchanges that differ only in how their requests are signed, or in their request lines. */
    private List<Exchange> exchanges() {
        int line = at + 1;
        List<String> authorizations = new ArrayList<>();
        List<String> requests = new ArrayList<>();
        @Nullable String set = null;
        while (lines.get(at).startsWith("-> ")) {
            String mark = lines.get(at++).substring("-> ".length());
            Matcher whole = REQUEST.matcher(mark);
            if (whole.matches()) {
                authorizations.add(whole.group(1) == null ? USUAL_SIGNING : whole.group(1));
                requests.add(whole.group(2));
                set = whole.group(3);
            } else {
                authorizations.add(mark);
            }
        }
        for (Matcher more = REQUEST.matcher(lines.get(at)); more.matches(); more = REQUEST.matcher(lines.get(++at))) {
            requests.add(more.group(2));
            set = more.group(3);
        }
        Message sent = message(set);
        if (at == lines.size() || !lines.get(at).startsWith("<- ")) {
            throw wrong("must be the answer (<-) of the request in line " + line);
        }
        String[] answer = lines.get(at++).substring("<- ".length()).split(" (?=@)", 2);
        Message expected = message(answer.length > 1 ? answer[1] : null);
        List<Exchange> exchanges = new ArrayList<>();
        for (String authorization : authorizations) {
            for (String request : requests) {
                exchanges.add(new Exchange(line + exchanges.size(), authorization, request, sent, answer[0], expected));
            }
        }
        return exchanges;
    }

    private Exchange preparation(int line, String prepared) {
        String[] words = prepared.split(" ", 3);
        Message sent = new Message(sets.expanded("@send").headers(), words.length > 2 ? words[2] : "");
        return new Exchange(line, "", words[0] + " " + words[1], sent, "", new Message(List.of(), ""));
    }

    /** @param set that stands behind the mark, if one does */
    private Message message(@Nullable String set) {
        List<String> headers = new ArrayList<>();
        List<String> body = new ArrayList<>();
        if (set != null) {
            add(set, headers, body);
        }
        for (; at < lines.size() && isHead(lines.get(at)); at++) {
            String line = lines.get(at);
            if (line.startsWith("@")) {
                add(line, headers, body);
            } else if (!line.startsWith("# ")) {
                headers.add(line);
            }
        }
        if (at < lines.size() && lines.get(at).isEmpty()) {
            at++;
        }
        for (; at < lines.size() && !isMark(lines.get(at)); at++) {
            String line = lines.get(at);
            if (!body.isEmpty() || !line.isEmpty()) {
                body.add(line.startsWith("@") ? sets.expanded(line).body() : line);
            }
        }
        while (!body.isEmpty() && isNothing(body.get(body.size() - 1))) {
            body.remove(body.size() - 1);
        }
        String end = headers.stream().anyMatch(header -> header.startsWith("Content-Type: multipart/")) ? "\r\n" : "";
        return new Message(headers, body.isEmpty() ? "" : String.join("\r\n", body) + end);
    }

    private void add(String use, List<String> headers, List<String> body) {
        Message set = sets.expanded(use);
        headers.addAll(set.headers());
        if (!set.body().isEmpty()) {
            body.add(set.body());
        }
    }

    /** No header begins as a body in JSON or XML does, which needs no empty line before it. */
    private static boolean isHead(String line) {
        return !line.isEmpty() && !isMark(line) && !line.startsWith("{") && !line.startsWith("<");
    }

    private static boolean isMark(String line) {
        return line.startsWith("-> ") || line.startsWith("<- ") || line.startsWith("== ") || line.startsWith("++ ");
    }

    private static boolean isNothing(String line) {
        return line.isEmpty() || line.startsWith("# ") || line.equals("#");
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException(path + ":" + (at + 1) + " " + what);
    }
}
