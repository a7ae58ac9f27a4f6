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

/** Reads the files of exchanges, whose format {@code exchanges/README.md} describes. Confined to one file. */
public final class ExchangeFile {
    private static final Pattern REQUEST = Pattern.compile("[A-Z]+ /.*");
    private static final Pattern SIGNED_REQUEST = Pattern.compile("(?:(.*) )?(" + REQUEST + ")");
    private static final String USUAL = "shared-key-lite";

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
                exchanges.add(preparation(at + 1, lines.get(at++).substring("++ ".length())));
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
        List<String> signings = new ArrayList<>();
        List<Signed> requests = new ArrayList<>();
        String set = "";
        for (; lines.get(at).startsWith("-> "); at++) {
            refuseBehind(set);
            String mark = lines.get(at).substring("-> ".length());
            Matcher request = SIGNED_REQUEST.matcher(withoutSet(mark));
            if (request.matches()) {
                requests.add(new Signed(request.group(1) == null ? USUAL : request.group(1), request.group(2)));
                set = mark.substring(withoutSet(mark).length());
            } else {
                signings.add(mark);
            }
        }
        if (signings.isEmpty() == requests.isEmpty()) {
            throw wrong("follows marks (->) with a request and others without");
        }
        for (; REQUEST.matcher(lines.get(at)).matches(); at++) {
            refuseBehind(set);
            String request = withoutSet(lines.get(at));
            signings.forEach(signing -> requests.add(new Signed(signing, request)));
            set = lines.get(at).substring(request.length());
        }
        Message sent = message(set);
        if (requests.isEmpty() || at == lines.size() || !lines.get(at).startsWith("<- ")) {
            throw wrong("must be the answer (<-) of the request in line " + line);
        }
        String answer = lines.get(at++).substring("<- ".length());
        String status = withoutSet(answer);
        Message expected = message(answer.substring(status.length()));
        List<Exchange> exchanges = new ArrayList<>();
        for (Signed request : requests) {
            exchanges.add(new Exchange(
                    line + exchanges.size(), request.signing(), request.request(), sent, status, expected));
        }
        return exchanges;
    }

    private void refuseBehind(String set) {
        if (!set.isEmpty()) {
            throw wrong("is a request behind" + set + ", which must stand behind the last one");
        }
    }

    /** A line up to the set that its message begins with. */
    private static String withoutSet(String line) {
        int set = line.indexOf(" @");
        return set < 0 ? line : line.substring(0, set);
    }

    private Exchange preparation(int line, String request) {
        String[] words = request.split(" ", 3);
        Message sent = new Message(sets.expanded("@send").headers(), words.length > 2 ? words[2] : "");
        return new Exchange(line, "", words[0] + " " + words[1], sent, "", new Message(List.of(), ""));
    }

    /** @param first the set that it begins with, behind a blank; or empty */
    private Message message(String first) {
        List<String> head = new ArrayList<>(first.isEmpty() ? List.of() : List.of(first.substring(1)));
        while (at < lines.size() && !endsHead(lines.get(at))) {
            head.add(lines.get(at++));
        }
        List<String> headers = new ArrayList<>();
        List<String> body = new ArrayList<>();
        for (String line : head) {
            if (line.startsWith("@")) {
                Message set = sets.expanded(line);
                headers.addAll(set.headers());
                if (!set.body().isEmpty()) {
                    body.add(set.body());
                }
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

    /** Of an empty line, and of the first line of a body that can be no header. */
    private static boolean endsHead(String line) {
        return line.isEmpty() || isMark(line) || line.startsWith("{") || line.startsWith("<") || line.startsWith("--");
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

    private record Signed(String signing, String request) {}
}
