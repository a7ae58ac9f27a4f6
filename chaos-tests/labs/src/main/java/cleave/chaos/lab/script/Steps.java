package cleave.chaos.lab.script;

import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.Measurement;
import cleave.chaos.lab.partitioning.RangeWatch;
import cleave.chaos.lab.script.Words.Kind;
import cleave.chaos.load.Ask;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.picture.Drawing;
import cleave.client.Continuation;
import cleave.client.Endpoint;
import cleave.client.Refused;
import cleave.client.Requests;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a script. Confined to its thread. */
final class Steps {
    private static final Set<String> REPORTS = Set.of("table", "bars", "lines", "strip", "compare");

    /** How a verb writes; the ETag is the one that it requires if the script names no other. */
    private enum Write {
        INSERT("POST", ""),
        UPSERT("PUT", ""),
        REPLACE("PUT", "*"),
        MERGE("PATCH", "*"),
        DELETE("DELETE", "*");

        private final String method;
        private final String ifMatch;

        Write(String method, String ifMatch) {
            this.method = method;
            this.ifMatch = ifMatch;
        }

        /** Takes the verb that comes next; null if it is none of these. */
        static @Nullable Write take(Words words) {
            for (Write each : values()) {
                if (words.take(each.name().toLowerCase(Locale.ROOT))) {
                    return each;
                }
            }
            return null;
        }
    }

    /** The kinds of blocks, by what their lines make. */
    private enum Block {
        STEPS,
        /** Changes of one table. */
        WRITES,
        /** Requests that are sent at once. */
        REQUESTS
    }

    /** A request that has been read to its end. */
    private interface Request {
        Sending in(Play play) throws IOException;
    }

    /** A request whose values are known. */
    interface Sending {
        Result by(LabClient client) throws IOException;
    }

    private interface Writing {
        LabWrite in(Play play);
    }

    /** Puts a property, or several. */
    private interface Property {
        void put(Play play, Map<String, Object> properties);
    }

    /** Names that have a value so far. */
    private final Set<String> known = new TreeSet<>();

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

    private List<Step> block(Words words, Block inside) {
        words.end();
        Block outside = block;
        block = inside;
        List<Step> steps = of(words.line().below());
        block = outside;
        return steps;
    }

    private static void play(List<Step> steps, Play play) throws IOException {
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
        Write write = block == Block.WRITES ? Write.take(words) : null;
        if (write != null) {
            Writing writing = writing(write, words);
            return play -> play.gather(writing.in(play));
        }
        return verb(line, words);
    }

    private Step verb(Line line, Words words) {
        Request request = request(words);
        if (request != null) {
            return block == Block.REQUESTS
                    ? play -> play.gather(request.in(play))
                    : play -> required(request.in(play).by(play.client()), line);
        }
        String verb = words.take(Kind.NAME, "a verb");
        if (REPORTS.contains(verb)) {
            return Reports.read(verb, words, expressions(words));
        }
        return switch (verb) {
            case "create" -> create(words);
            case "for" -> loop(words);
            case "if" -> condition(words);
            case "say" -> {
                Expression text = value(words);
                yield play -> play.run().say(text.text(play));
            }
            case "wait" -> waiting(words);
            case "settings" -> {
                Function<Play, Map<String, String>> changes = settings(words);
                yield play -> play.run().changeSettings(changes.apply(play));
            }
            case "kill" -> {
                Expression process = value(words);
                yield play -> play.kill(process.text(play));
            }
            case "start" -> {
                Expression process = value(words);
                words.expect("with");
                Function<Play, Map<String, String>> more = settings(words);
                yield play -> play.start(process.text(play), more.apply(play));
            }
            case "end" -> {
                Expression load = value(words);
                yield play -> ((SteadyLoad) load.in(play)).end();
            }
            case "progress" -> {
                Expression text = value(words);
                yield play -> play.run().progress(text.text(play));
            }
            case "put" -> {
                Expression name = value(words);
                Expression bytes = value(words);
                yield play -> play.run().blobs().put(name.text(play), Values.bytes(bytes.in(play)));
            }
            case "erase" -> {
                Expression name = value(words);
                yield play -> play.run().blobs().delete(name.text(play));
            }
            case "claim" -> claim(words);
            case "draw" -> {
                Expression drawing = value(words);
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

    private Expressions expressions(Words words) {
        return new Expressions(words, known);
    }

    private Expression value(Words words) {
        return expressions(words).read();
    }

    /** {@code NAME = VALUE}, request, block or measurement; with {@code +=} it is appended to a list. */
    private Step assignment(Words words) {
        String name = words.take(Kind.NAME, "a name");
        boolean isAppended = words.take("+=");
        if (!isAppended) {
            words.expect("=");
        }
        Assigned assigned = assigned(words);
        known.add(name);
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
        Request request = request(words);
        if (request != null) {
            return play -> request.in(play).by(play.client());
        }
        Expression value = value(words);
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
        Expression table = table(words);
        Expression first = value(words);
        words.expect(",");
        Expression last = value(words);
        return play -> play.watched(new RangeWatch(play.run(), table.text(play), first.text(play), last.text(play)));
    }

    /** {@code load TABLE N LIST}: N reads of a partition each second. Each reads a random one of the listed PartitionKeys. */
    private Assigned load(Words words) {
        Expression table = table(words);
        Expression perSecond = value(words);
        Expression keys = value(words);
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
        Expression seconds = value(words);
        Expression truth = words.take("until") ? value(words) : play -> false;
        return play -> play.await(() -> Values.truth(truth.in(play)), Duration.ofMillis((long)
                (1_000 * Values.number(seconds.in(play)))));
    }

    /** {@code NAME = VALUE, ...}. */
    private Function<Play, Map<String, String>> settings(Words words) {
        List<Property> properties = properties(words);
        return play -> {
            Map<String, Object> values = new TreeMap<>();
            properties.forEach(each -> each.put(play, values));
            Map<String, String> texts = new TreeMap<>();
            values.forEach((name, value) -> texts.put(name, Values.text(value)));
            return texts;
        };
    }

    private List<Property> properties(Words words) {
        List<Property> properties = new ArrayList<>();
        do {
            properties.add(property(words));
        } while (words.take(","));
        return properties;
    }

    /** {@code create NAME, NAME}: new tables. */
    private Step create(Words words) {
        List<String> names = new ArrayList<>();
        do {
            names.add(words.take(Kind.NAME, "the name of a table"));
        } while (words.take(","));
        known.addAll(names);
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
        Expression list = value(words);
        boolean isNew = known.add(name);
        List<Step> steps = block(words, block);
        if (isNew) {
            known.remove(name);
        }
        return play -> play.each(name, list.in(play), () -> play(steps, play));
    }

    /** {@code if TRUTH}, with steps below. */
    private Step condition(Words words) {
        Expression truth = value(words);
        List<Step> steps = block(words, block);
        return play -> {
            if (Values.truth(truth.in(play))) {
                play(steps, play);
            }
        };
    }

    /** {@code claim TEXT VALUE seen TEXT}. */
    private Step claim(Words words) {
        Expression text = value(words);
        Expression holds = value(words);
        words.expect("seen");
        Expression seen = value(words);
        return play -> play.run().claim(text.text(play), Values.truth(holds.in(play)), seen.text(play));
    }

    /** {@code spread TABLE LIST over N}: splits the table at each PartitionKey of the list, and places the ranges on N servers in turn. */
    private Step spread(Words words) {
        Expression table = value(words);
        Expression keys = value(words);
        Expression over = words.take("over") ? value(words) : play -> 3L;
        return play -> play.ranges()
                .spread(
                        play.client(),
                        table.text(play),
                        Values.list(keys.in(play)).stream().map(Values::text).toList(),
                        (int) Values.number(over.in(play)));
    }

    /** {@code split TABLE LIST}: at each PartitionKey of the list. The masters place the ranges. */
    private Step split(Words words) {
        Expression table = table(words);
        Expression keys = value(words);
        return play -> play.ranges()
                .split(
                        table.text(play),
                        Values.list(keys.in(play)).stream().map(Values::text).toList());
    }

    /** Null if none begins here. */
    private @Nullable Request request(Words words) {
        Write write = Write.take(words);
        if (write != null) {
            Expression table = table(words);
            Writing writing = writing(write, words);
            return play -> {
                String in = table.text(play);
                LabWrite change = writing.in(play);
                return client -> Result.of(client, List.of(change.entity()), () -> client.tryWrite(in, change));
            };
        }
        if (words.take("query")) {
            return query(words);
        }
        if (words.take("get")) {
            return get(words);
        }
        if (words.is("batch") || words.is("transaction")) {
            return writes(words);
        }
        if (words.take("measure")) {
            List<Step> steps = block(words, Block.STEPS);
            return play -> client -> Result.of(client, List.of(), () -> {
                play(steps, play);
                return null;
            });
        }
        if (words.take("ask")) {
            Expression address = value(words);
            return play -> {
                String encoded = address.text(play).replace(" ", "%20");
                return client -> Result.of(client, List.of(), () -> client.ask(encoded));
            };
        }
        if (words.take("drop")) {
            Expression table = table(words);
            return play -> {
                String dropped = table.text(play);
                return client -> Result.of(client, List.of(), () -> {
                    client.deleteTable(dropped);
                    return null;
                });
            };
        }
        if (words.take("once")) {
            return once(words);
        }
        return words.take("as") ? as(words) : null;
    }

    /** {@code once REQUEST}: is not sent again after 503, and whatever is answered is kept. */
    private Request once(Words words) {
        Request request = wanted(words);
        return play -> {
            Sending sending = request.in(play);
            return client -> {
                try (LabClient single = client.once()) {
                    AtomicReference<@Nullable Result> kept = new AtomicReference<>();
                    Result refused = Result.of(single, List.of(), () -> {
                        try {
                            kept.set(sending.by(single));
                            return null;
                        } catch (Refused other) {
                            return other.answer();
                        }
                    });
                    return Objects.requireNonNullElse(kept.get(), refused);
                }
            };
        };
    }

    private Request wanted(Words words) {
        Request request = request(words);
        if (request == null) {
            throw words.wrong("a request");
        }
        return request;
    }

    /** {@code as ACCOUNT REQUEST}, or with a shared access signature in place of the account's key. */
    private Request as(Words words) {
        Expression whom = value(words);
        Request request = words.take("create") ? created(words) : wanted(words);
        return play -> {
            Object who = whom.in(play);
            Sending sending = request.in(play);
            return client -> {
                try (LabClient other = who instanceof Endpoint account
                        ? LabClient.open(account)
                        : LabClient.open(play.run().endpoint(), Values.text(who))) {
                    return sending.by(other);
                }
            };
        };
    }

    /** {@code create TABLE}: in another account, a table with the name of one of this account. */
    private Request created(Words words) {
        Expression table = table(words);
        return play -> {
            String name = table.text(play);
            return client -> Result.of(client, List.of(), () -> {
                client.createTable(name);
                return null;
            });
        };
    }

    private Expression table(Words words) {
        String name = expressions(words).name();
        return play -> play.value(name);
    }

    /** {@code query TABLE where TEXT select TEXT top N after RESULT}, each but the table as wanted: one page with top or after, else all. */
    private Request query(Words words) {
        Expression table = table(words);
        Map<String, Expression> options = new LinkedHashMap<>();
        while (List.of("where", "select", "top", "after").stream().anyMatch(words::is)) {
            options.put(words.take(Kind.NAME, "an option"), value(words));
        }
        return play -> {
            String in = table.text(play);
            String where = options.containsKey("where") ? options.get("where").text(play) : "";
            List<String> encoded = new ArrayList<>();
            for (String name : List.of("select", "top")) {
                if (options.containsKey(name)) {
                    encoded.add("$" + name + "=" + options.get(name).text(play));
                }
            }
            String[] others = encoded.toArray(String[]::new);
            if (!options.containsKey("after")) {
                return client -> Result.of(() -> options.containsKey("top")
                        ? client.page(in, where, null, others)
                        : client.query(in, where, others));
            }
            Continuation after = ((Result) options.get("after").in(play)).next();
            return client -> {
                // Another client goes on, with nothing but the token.
                try (LabClient other = LabClient.open(play.run().endpoint())) {
                    return Result.of(() -> other.page(in, where, after, others));
                }
            };
        };
    }

    /** {@code get TABLE PARTITIONKEY, ROWKEY}. */
    private Request get(Words words) {
        Expression table = table(words);
        Expression partition = value(words);
        words.expect(",");
        Expression row = value(words);
        return play -> {
            String in = table.text(play);
            String its = partition.text(play);
            String key = row.text(play);
            return client -> {
                List<LabEntity> found = new ArrayList<>();
                return Result.of(client, found, () -> client.get(in, its, key, found::add))
                        .point();
            };
        };
    }

    /** {@code insert PARTITIONKEY, ROWKEY like ENTITY if ETAG with NAME = VALUE, ...}, each but the keys as wanted. */
    private Writing writing(Write write, Words words) {
        Expression partition = value(words);
        words.expect(",");
        Expression row = value(words);
        Expression like = words.take("like") ? value(words) : null;
        Expression etag = words.take("if") ? value(words) : play -> write.ifMatch;
        List<Property> properties = words.take("with") ? properties(words) : List.of();
        return play -> {
            Map<String, Object> values = new LinkedHashMap<>(
                    like == null ? Map.of() : Values.entity(like.in(play)).properties());
            properties.forEach(property -> property.put(play, values));
            LabEntity entity = LabEntity.of(partition.text(play), row.text(play), values);
            return new LabWrite(write.method, entity, etag.text(play));
        };
    }

    /** {@code NAME = VALUE}, or {@code [NAME in LIST: "NAME{i}" = VALUE]} for one for each. */
    private Property property(Words words) {
        if (words.take("[")) {
            String name = words.take(Kind.NAME, "a name");
            words.expect("in");
            Expression list = value(words);
            words.expect(":");
            known.add(name);
            Property each = property(words);
            words.expect("]");
            return (play, values) -> play.each(name, list.in(play), () -> each.put(play, values));
        }
        String plain = words.is(Kind.TEXT) ? "" : words.take(Kind.NAME, "the name of a property");
        Expression name = plain.isEmpty() ? value(words) : play -> plain;
        words.expect("=");
        Expression value = value(words);
        return (play, values) -> values.put(name.text(play), Values.stored(value.in(play)));
    }

    /** {@code batch TABLE}, with writes below: as few transactions as hold them. {@code transaction TABLE}: one. */
    private Request writes(Words words) {
        boolean isBatch = words.take(Kind.NAME, "batch or transaction").equals("batch");
        Expression table = table(words);
        List<Step> steps = block(words, Block.WRITES);
        return play -> {
            String in = table.text(play);
            List<LabWrite> writes = play.gathered(steps, LabWrite.class);
            List<LabEntity> entities = writes.stream().map(LabWrite::entity).toList();
            return client -> Result.of(client, entities, () -> {
                if (!isBatch) {
                    return client.tryTransaction(in, writes);
                }
                client.batch(in, writes);
                return null;
            });
        };
    }
}
