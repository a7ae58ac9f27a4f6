package cleave.chaos.lab.script;

import cleave.chaos.lab.Measurement;
import cleave.chaos.lab.partitioning.RangeWatch;
import cleave.chaos.lab.script.Words.Kind;
import cleave.chaos.load.Ask;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.picture.Drawing;
import cleave.client.Refused;
import cleave.client.Requests;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads the lines of a script, and their blocks. Confined to its thread. */
final class Steps {
    private static final Set<String> REPORTS = Set.of("table", "bars", "lines", "strip", "compare");

    /** The kinds of blocks, by what their lines make. */
    enum Block {
        STEPS,
        /** Changes of one table. */
        WRITES,
        /** Requests that are sent at once. */
        REQUESTS
    }

    private final Operands operands = new Operands();
    private final Sendings sendings = new Sendings(this, operands);
    private Block block = Block.STEPS;

    List<Step> of(List<Line> lines) {
        return lines.stream().map(line -> placed(line, step(line))).toList();
    }

    /** The same step, whose failure tells its line. */
    private static Step placed(Line line, Step step) {
        return play -> {
            try {
                step.play(play);
            } catch (IllegalArgumentException | Refused wrong) {
                IOException failed = new IOException(wrong.getMessage() + "; " + line.place(), wrong);
                failed.setStackTrace(new StackTraceElement[0]); // The line of the script is what its reader needs.
                throw failed;
            }
        };
    }

    List<Step> block(Words words, Block inside) {
        words.end();
        Block outside = block;
        block = inside;
        List<Step> steps = of(words.line().below());
        block = outside;
        return steps;
    }

    static void play(List<Step> steps, Play play) throws IOException {
        for (Step step : steps) {
            step.play(play);
        }
    }

    private Step step(Line line) {
        boolean isBlock = line.text()
                .matches(
                        "((\\w+ )?\\+?= ?)?(as \\w+(\\(\\))? )?(once )?(for|if|batch|transaction|measure|together)\\b.*");
        Words words = new Words(line, isBlock ? line.text() : line.whole());
        Step step = step(line, words);
        words.end();
        return step;
    }

    private Step step(Line line, Words words) {
        if (words.isAhead(1, "=") || words.isAhead(1, "+=")) {
            return assignment(words);
        }
        Sendings.Write write = block == Block.WRITES ? Sendings.Write.take(words) : null;
        if (write != null) {
            Sendings.Writing writing = sendings.writing(write, words);
            return play -> play.gather(writing.in(play));
        }
        return verb(line, words);
    }

    private Step verb(Line line, Words words) {
        Sendings.Request request = sendings.request(words);
        if (request != null) {
            return block == Block.REQUESTS
                    ? play -> play.gather(request.in(play))
                    : play -> required(request.in(play).by(play.client()), line);
        }
        String verb = words.take(Kind.NAME, "a verb");
        if (REPORTS.contains(verb)) {
            return Reports.read(verb, words, operands.expressions(words));
        }
        return switch (verb) {
            case "create" -> create(words);
            case "for" -> loop(words);
            case "if" -> condition(words);
            case "say" -> {
                Expression text = operands.value(words);
                yield play -> play.run().say(text.text(play));
            }
            case "wait" -> waiting(words);
            case "settings" -> {
                Function<Play, Map<String, String>> changes = settings(words);
                yield play -> play.run().changeSettings(changes.apply(play));
            }
            case "kill" -> {
                Expression process = operands.value(words);
                yield play -> play.kill(process.text(play));
            }
            case "start" -> {
                Expression process = operands.value(words);
                words.expect("with");
                Function<Play, Map<String, String>> more = settings(words);
                yield play -> play.start(process.text(play), more.apply(play));
            }
            case "end" -> {
                Expression load = operands.value(words);
                yield play -> ((SteadyLoad) load.in(play)).end();
            }
            case "progress" -> {
                Expression text = operands.value(words);
                yield play -> play.run().progress(text.text(play));
            }
            case "put" -> {
                Expression name = operands.value(words);
                Expression bytes = operands.value(words);
                yield play -> play.run().blobs().put(name.text(play), Values.bytes(bytes.in(play)));
            }
            case "erase" -> {
                Expression name = operands.value(words);
                yield play -> play.run().blobs().delete(name.text(play));
            }
            case "claim" -> claim(words);
            case "draw" -> {
                Expression drawing = operands.value(words);
                yield play -> play.run().draw((Drawing) drawing.in(play));
            }
            case "spread" -> spread(words);
            case "split" -> split(words);
            case "together" -> {
                List<Step> steps = block(words, Block.REQUESTS);
                yield play -> {
                    for (Result each : play.together(steps)) {
                        required(each, line);
                    }
                };
            }
            default -> throw line.wrong("there is no verb '" + verb + "'");
        };
    }

    private static void required(Result result, Line line) throws IOException {
        if (!result.isSuccess()) {
            throw new IOException(
                    line.text() + " was answered with " + result.status() + " " + result.code() + "; " + line.place());
        }
    }

    /** {@code NAME = VALUE}, request, block or measurement; with {@code +=} it is appended to a list. */
    private Step assignment(Words words) {
        String name = words.take(Kind.NAME, "a name");
        boolean isAppended = words.take("+=");
        if (!isAppended) {
            words.expect("=");
        }
        Assigned assigned = assigned(words);
        operands.know(name);
        return play -> {
            Object value = assigned.in(play);
            if (isAppended) {
                play.add(name, value);
            } else {
                play.set(name, value);
            }
        };
    }

    private interface Assigned {
        Object in(Play play) throws IOException;
    }

    private Assigned assigned(Words words) {
        if (words.isBeforeName() && words.take("watch")) {
            return watch(words);
        }
        if (words.isBeforeName() && words.take("load")) {
            return load(words);
        }
        if (words.isBeforeName() && words.take("measured")) {
            return measured(words);
        }
        if (words.take("together")) {
            List<Step> steps = block(words, Block.REQUESTS);
            return play -> play.together(steps);
        }
        Sendings.Request request = sendings.request(words);
        if (request != null) {
            return play -> request.in(play).by(play.client());
        }
        Expression value = operands.value(words);
        return value::in;
    }

    /** {@code measured by "CLASS"}, of a {@link Measurement}. */
    private static Assigned measured(Words words) {
        words.expect("by");
        String type = words.take(Kind.TEXT, "the name of a class, in quotes");
        try {
            Constructor<? extends Measurement> constructor =
                    Class.forName(type).asSubclass(Measurement.class).getDeclaredConstructor();
            constructor.setAccessible(true);
            Measurement measurement = constructor.newInstance();
            return play -> measurement.of(play.run());
        } catch (ReflectiveOperationException | ClassCastException other) {
            throw words.line().wrong("'" + type + "' should be the name of a Measurement");
        }
    }

    /** {@code watch TABLE FIRSTKEY, LASTKEY}: its ranges, from now to the end of the script. */
    private Assigned watch(Words words) {
        Expression table = operands.table(words);
        Expression first = operands.value(words);
        words.expect(",");
        Expression last = operands.value(words);
        return play -> play.watched(new RangeWatch(play.run(), table.text(play), first.text(play), last.text(play)));
    }

    /** {@code load TABLE N LIST}: N reads of a partition each second. Each reads a random one of the listed PartitionKeys. */
    private Assigned load(Words words) {
        Expression table = operands.table(words);
        Expression perSecond = operands.value(words);
        Expression keys = operands.value(words);
        return play -> {
            String in = table.text(play);
            List<?> all = Values.list(keys.in(play));
            return play.closed(SteadyLoad.started(
                    play.run().endpoint(),
                    Values.number(perSecond.in(play)),
                    (requests, random) ->
                            Ask.of(partition(requests, in, Values.text(all.get(random.nextInt(all.size())))))));
        };
    }

    private static cleave.client.Request partition(Requests requests, String table, String key) {
        return requests.query(table, List.of(Requests.option("$filter", "PartitionKey eq '" + key + "'")));
    }

    /** {@code wait SECONDS until TRUTH}, of which the latter may be left out; if ranges are watched, they are so meanwhile. */
    private Step waiting(Words words) {
        Expression seconds = operands.value(words);
        Expression truth = words.take("until") ? operands.value(words) : play -> false;
        return play -> play.await(() -> Values.truth(truth.in(play)), Duration.ofMillis((long)
                (1_000 * Values.number(seconds.in(play)))));
    }

    /** {@code NAME = VALUE, ...}. */
    private Function<Play, Map<String, String>> settings(Words words) {
        List<Operands.Property> properties = operands.properties(words);
        return play -> {
            Map<String, Object> values = new TreeMap<>();
            properties.forEach(each -> each.put(play, values));
            Map<String, String> texts = new TreeMap<>();
            values.forEach((name, value) -> texts.put(name, Values.text(value)));
            return texts;
        };
    }

    /** {@code create NAME, NAME}: new tables. */
    private Step create(Words words) {
        List<String> names = new ArrayList<>();
        do {
            names.add(words.take(Kind.NAME, "the name of a table"));
        } while (words.take(","));
        names.forEach(operands::know);
        return play -> {
            for (String name : names) {
                play.set(name, play.client().createTable(play.run(), name));
            }
        };
    }

    /** {@code for NAME in LIST}, with steps below. */
    private Step loop(Words words) {
        String name = words.take(Kind.NAME, "a name");
        words.expect("in");
        Expression list = operands.value(words);
        boolean isNew = operands.know(name);
        List<Step> steps = block(words, block);
        if (isNew) {
            operands.forget(name);
        }
        return play -> play.each(name, list.in(play), () -> play(steps, play));
    }

    /** {@code if TRUTH}, with steps below. */
    private Step condition(Words words) {
        Expression truth = operands.value(words);
        List<Step> steps = block(words, block);
        return play -> {
            if (Values.truth(truth.in(play))) {
                play(steps, play);
            }
        };
    }

    /** {@code claim TEXT VALUE seen TEXT}. */
    private Step claim(Words words) {
        Expression text = operands.value(words);
        Expression holds = operands.value(words);
        words.expect("seen");
        Expression seen = operands.value(words);
        return play -> play.run().claim(text.text(play), Values.truth(holds.in(play)), seen.text(play));
    }

    /** {@code spread TABLE LIST over N}: splits the table at each PartitionKey of the list, and places the ranges on N servers in turn. */
    private Step spread(Words words) {
        Expression table = operands.value(words);
        Expression keys = operands.value(words);
        Expression over = words.take("over") ? operands.value(words) : play -> 3L;
        return play -> play.ranges()
                .spread(
                        play.client(),
                        table.text(play),
                        Values.list(keys.in(play)).stream().map(Values::text).toList(),
                        (int) Values.number(over.in(play)));
    }

    /** {@code split TABLE LIST}: at each PartitionKey of the list. The masters place the ranges. */
    private Step split(Words words) {
        Expression table = operands.table(words);
        Expression keys = operands.value(words);
        return play -> play.ranges()
                .split(
                        table.text(play),
                        Values.list(keys.in(play)).stream().map(Values::text).toList());
    }
}
