package cleave.chaos.lab.script;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.Measurement;
import cleave.chaos.lab.script.Words.Kind;
import cleave.chaos.picture.Chart;
import cleave.client.Answer;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a script. Confined to its thread. */
final class Steps {
    /** How a verb writes; the ETag is the one that it requires if the script names no other. */
    private record Method(String method, String ifMatch) {}

    private static final Map<String, Method> METHODS = Map.of(
            "insert", new Method("POST", ""),
            "upsert", new Method("PUT", ""),
            "replace", new Method("PUT", "*"),
            "merge", new Method("PATCH", "*"),
            "delete", new Method("DELETE", "*"));

    private static final Set<String> REPORTS = Set.of("table", "bars", "lines", "compare");
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;

    /** Names that have a value so far. */
    private final Set<String> known = new TreeSet<>();

    private boolean isGathering;

    /** A write, when its values are known. */
    private interface Writing {
        LabWrite in(Play play);
    }

    /** Puts a property, or several. */
    private interface Property {
        void put(Play play, Map<String, Object> properties);
    }

    /** Sends something, and tells what came of it. */
    private interface Request {
        Result send(Play play) throws IOException;
    }

    List<Step> of(List<Line> lines) {
        List<Step> steps = new ArrayList<>();
        for (Line line : lines) {
            steps.add(placed(line, step(line)));
        }
        return steps;
    }

    /** What fails tells its line. */
    private static Step placed(Line line, Step step) {
        return play -> {
            try {
                step.play(play);
            } catch (IllegalArgumentException | UnsupportedOperationException wrong) {
                IOException failed = new IOException(wrong.getMessage() + "; " + line.place(), wrong);
                failed.setStackTrace(new StackTraceElement[0]); // The line of the script is what its reader needs.
                throw failed;
            }
        };
    }

    private Step step(Line line) {
        boolean isBlock = line.text().matches("((\\w+ )?\\+?= ?)?(for|if|batch|transaction|measure)\\b.*");
        Words words = new Words(line, isBlock ? line.text() : line.whole());
        if (words.isAhead(1, "=") || words.isAhead(1, "+=")) {
            return assignment(words);
        }
        if (isGathering && METHODS.keySet().stream().anyMatch(words::is)) {
            Writing writing = writing(words.take(Kind.NAME, "a verb"), words);
            words.end();
            return play -> play.gather(writing.in(play));
        }
        Optional<Request> request = request(words);
        if (request.isPresent()) {
            words.end();
            return play -> required(request.get().send(play), line);
        }
        String verb = words.take(Kind.NAME, "a verb");
        Step step = REPORTS.contains(verb)
                ? Reports.read(verb, words, new Expressions(words, known))
                : switch (verb) {
                    case "create" -> create(words);
                    case "for" -> loop(words);
                    case "if" -> condition(words);
                    case "say" -> say(words);
                    case "claim" -> claim(words);
                    case "spread" -> spread(words);
                    case "draw" -> draw(words);
                    default -> throw line.wrong("there is no verb '" + verb + "'");
                };
        words.end();
        return step;
    }

    private Expressions expressions(Words words) {
        return new Expressions(words, known);
    }

    private static void required(Result result, Line line) throws IOException {
        if (!result.isSuccess()) {
            throw new IOException(line.text() + " was answered with " + result.status() + " " + result.code());
        }
    }

    /** {@code NAME = VALUE or request}; with {@code +=} it is appended to a list. */
    private Step assignment(Words words) {
        String name = words.take(Kind.NAME, "a name");
        boolean isAppended = words.take("+=");
        if (!isAppended) {
            words.expect("=");
        }
        Step step;
        if (words.take("run")) {
            Measurement measurement = measurement(words);
            step = play -> assign(play, name, isAppended, measurement.measure(play.run()));
            words.end();
            known.add(name);
            return step;
        }
        Optional<Request> request = request(words);
        if (request.isPresent()) {
            step = play -> assign(play, name, isAppended, request.get().send(play));
        } else {
            Expression value = expressions(words).read();
            step = play -> assign(play, name, isAppended, value.in(play));
        }
        words.end();
        known.add(name);
        return step;
    }

    /** {@code run "CLASS"}: what no script can do. */
    private Measurement measurement(Words words) {
        String name = words.take(Kind.TEXT, "the name of a class, in quotes");
        try {
            Constructor<? extends Measurement> constructor =
                    Class.forName(name).asSubclass(Measurement.class).getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (ReflectiveOperationException | ClassCastException other) {
            throw words.line().wrong("there is no Measurement " + name);
        }
    }

    private static void assign(Play play, String name, boolean isAppended, Object value) {
        if (isAppended) {
            play.add(name, value);
        } else {
            play.set(name, value);
        }
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
        Expression list = expressions(words).read();
        boolean isNew = known.add(name);
        List<Step> steps = of(words.line().below());
        if (isNew) {
            known.remove(name);
        }
        return play -> play.each(name, list.in(play), () -> {
            for (Step step : steps) {
                step.play(play);
            }
        });
    }

    /** {@code if TRUTH}, with steps below. */
    private Step condition(Words words) {
        Expression truth = expressions(words).read();
        List<Step> steps = of(words.line().below());
        return play -> {
            if (Values.truth(truth.in(play))) {
                for (Step step : steps) {
                    step.play(play);
                }
            }
        };
    }

    /** {@code draw VALUE}: a chart that a measurement has made. */
    private Step draw(Words words) {
        Expression chart = expressions(words).read();
        return play -> play.run().draw((Chart) chart.in(play));
    }

    private Step say(Words words) {
        Expression text = expressions(words).read();
        return play -> play.run().say(Values.text(text.in(play)));
    }

    /** {@code claim TEXT VALUE seen TEXT}. */
    private Step claim(Words words) {
        Expression text = expressions(words).read();
        Expression holds = expressions(words).read();
        words.expect("seen");
        Expression seen = expressions(words).read();
        return play ->
                play.run().claim(Values.text(text.in(play)), Values.truth(holds.in(play)), Values.text(seen.in(play)));
    }

    /** {@code spread TABLE LIST over N}: each PartitionKey of the list begins a range; so many servers hold these in turn. */
    private Step spread(Words words) {
        String table = expressions(words).name();
        Expression keys = expressions(words).read();
        Expression over = words.take("over") ? expressions(words).read() : play -> 3L;
        return play -> play.ranges()
                .spread(
                        play.client(),
                        play.table(table),
                        Values.list(keys.in(play)).stream().map(Values::text).toList(),
                        (int) Values.number(over.in(play)));
    }

    private Optional<Request> request(Words words) {
        for (String verb : METHODS.keySet()) {
            if (words.take(verb)) {
                String table = expressions(words).name();
                Writing writing = writing(verb, words);
                return Optional.of(play -> {
                    LabWrite write = writing.in(play);
                    return answered(
                            play, List.of(write.entity()), () -> play.client().tryWrite(play.table(table), write));
                });
            }
        }
        if (words.take("query")) {
            return Optional.of(query(words));
        }
        if (words.take("get")) {
            return Optional.of(get(words));
        }
        if (words.take("batch")) {
            return Optional.of(batch(words));
        }
        if (words.take("transaction")) {
            return Optional.of(transaction(words));
        }
        if (words.take("measure")) {
            List<Step> steps = of(words.line().below());
            return Optional.of(play -> measured(play, List.of(), () -> {
                for (Step step : steps) {
                    step.play(play);
                }
            }));
        }
        if (words.take("ask")) {
            Expression address = expressions(words).read();
            return Optional.of(play -> answered(
                    play,
                    List.of(),
                    () -> play.client().ask(Values.text(address.in(play)).replace(" ", "%20"))));
        }
        if (words.take("drop")) {
            String table = expressions(words).name();
            return Optional.of(
                    play -> measured(play, List.of(), () -> play.client().deleteTable(play.table(table))));
        }
        return Optional.empty();
    }

    private static Result measured(Play play, List<LabEntity> entities, LabClient.Work work) throws IOException {
        return Result.of(play.client().measure(work), entities);
    }

    private interface Asking {
        Answer ask() throws IOException;
    }

    private static Result answered(Play play, List<LabEntity> entities, Asking asking) throws IOException {
        List<Answer> answers = new ArrayList<>();
        Cost cost = play.client().measure(() -> answers.add(asking.ask()));
        return Result.of(cost, entities, answers.get(0));
    }

    /** {@code query TABLE where TEXT select TEXT top N after RESULT}, each but the table as wanted: one page with top or after, else all. */
    private Request query(Words words) {
        String table = expressions(words).name();
        Expression filter = play -> "";
        Map<String, Expression> options = new LinkedHashMap<>();
        Expression after = null;
        while (!words.is(Kind.END)) {
            if (words.take("where")) {
                filter = expressions(words).read();
            } else if (words.take("select")) {
                options.put("$select=", expressions(words).read());
            } else if (words.take("top")) {
                options.put("$top=", expressions(words).read());
            } else if (words.take("after")) {
                after = expressions(words).read();
            } else {
                throw words.wrong("where \"FILTER\", select \"PROPERTIES\", top N or after RESULT");
            }
        }
        return found(table, filter, options, after);
    }

    private static Request found(
            String table, Expression filter, Map<String, Expression> options, @Nullable Expression after) {
        return play -> {
            String where = Values.text(filter.in(play));
            List<String> all = new ArrayList<>();
            options.forEach((name, value) -> all.add(name + Values.text(value.in(play))));
            String[] encoded = all.toArray(String[]::new);
            if (after != null) {
                // As another client would, with nothing but the token.
                try (LabClient other = LabClient.open(play.run().endpoint())) {
                    return Result.of(other.page(play.table(table), where, ((Result) after.in(play)).next(), encoded));
                }
            }
            return Result.of(
                    options.containsKey("$top=")
                            ? play.client().page(play.table(table), where, null, encoded)
                            : play.client().query(play.table(table), where, encoded));
        };
    }

    /** {@code get TABLE PARTITIONKEY, ROWKEY}. */
    private Request get(Words words) {
        String table = expressions(words).name();
        Expression partition = expressions(words).read();
        words.expect(",");
        Expression row = expressions(words).read();
        return play -> {
            List<LabEntity> found = new ArrayList<>();
            Cost cost = play.client()
                    .measure(() -> play.client()
                            .find(play.table(table), Values.text(partition.in(play)), Values.text(row.in(play)))
                            .ifPresent(found::add));
            return new Result(cost, found, true, found.isEmpty() ? NOT_FOUND : OK, "", null);
        };
    }

    /** {@code insert PARTITIONKEY, ROWKEY like ENTITY if ETAG with NAME = VALUE, ...}, each but the keys as wanted. */
    private Writing writing(String verb, Words words) {
        Expression partition = expressions(words).read();
        words.expect(",");
        Expression row = expressions(words).read();
        Expression like = words.take("like") ? expressions(words).read() : null;
        Expression etag = words.take("if")
                ? expressions(words).read()
                : play -> METHODS.get(verb).ifMatch();
        List<Property> properties = new ArrayList<>();
        if (words.take("with")) {
            do {
                properties.add(property(words));
            } while (words.take(","));
        }
        return play -> {
            Map<String, Object> values = new LinkedHashMap<>(
                    like == null ? Map.of() : Values.entity(like.in(play)).properties());
            properties.forEach(property -> property.put(play, values));
            LabEntity entity = LabEntity.of(Values.text(partition.in(play)), Values.text(row.in(play)), values);
            return new LabWrite(METHODS.get(verb).method(), entity, Values.text(etag.in(play)));
        };
    }

    /** {@code NAME = VALUE}, or {@code [NAME in LIST: "NAME{i}" = VALUE]} for one for each. */
    private Property property(Words words) {
        if (words.take("[")) {
            String name = words.take(Kind.NAME, "a name");
            words.expect("in");
            Expression list = expressions(words).read();
            words.expect(":");
            known.add(name);
            Property each = property(words);
            words.expect("]");
            return (play, values) -> play.each(name, list.in(play), () -> each.put(play, values));
        }
        Expression name;
        if (words.is(Kind.TEXT)) {
            name = expressions(words).read();
        } else {
            String plain = words.take(Kind.NAME, "the name of a property");
            name = play -> plain;
        }
        words.expect("=");
        Expression value = expressions(words).read();
        return (play, values) -> values.put(Values.text(name.in(play)), Values.stored(value.in(play)));
    }

    private List<Step> gathering(Words words) {
        words.end();
        isGathering = true;
        List<Step> steps = of(words.line().below());
        isGathering = false;
        return steps;
    }

    /** {@code batch TABLE}, with writes below: as few transactions as hold them, of one partition and a hundred each. */
    private Request batch(Words words) {
        String table = expressions(words).name();
        List<Step> steps = gathering(words);
        return play -> {
            Map<String, List<LabWrite>> partitions = new TreeMap<>();
            List<LabWrite> writes = play.gathered(steps);
            writes.forEach(write -> partitions
                    .computeIfAbsent(write.entity().partition(), any -> new ArrayList<>())
                    .add(write));
            return measured(play, writes.stream().map(LabWrite::entity).toList(), () -> {
                for (List<LabWrite> all : partitions.values()) {
                    for (int from = 0; from < all.size(); from += LabClient.TRANSACTION_MAX) {
                        int to = Math.min(all.size(), from + LabClient.TRANSACTION_MAX);
                        play.client().transaction(play.table(table), all.subList(from, to));
                    }
                }
            });
        };
    }

    /** {@code transaction TABLE}, with writes below. */
    private Request transaction(Words words) {
        String table = expressions(words).name();
        List<Step> steps = gathering(words);
        return play -> {
            List<LabWrite> writes = play.gathered(steps);
            return answered(
                    play,
                    writes.stream().map(LabWrite::entity).toList(),
                    () -> play.client().tryTransaction(play.table(table), writes));
        };
    }
}
