package cleave.chaos.lab.script;

import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.script.Words.Kind;
import cleave.client.Continuation;
import cleave.client.Endpoint;
import cleave.client.Refused;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reads the requests that a script sends. Confined to its thread. */
final class Sendings {
    /** How a verb writes; the ETag is the one that it requires if the script names no other. */
    enum Write {
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

    /** A request that has been read to its end. */
    interface Request {
        Sending in(Play play) throws IOException;
    }

    /** A request whose values are known. */
    interface Sending {
        Result by(LabClient client) throws IOException;
    }

    interface Writing {
        LabWrite in(Play play);
    }

    private final Steps steps;
    private final Operands operands;

    /** @param steps those of the blocks within a request */
    Sendings(Steps steps, Operands operands) {
        this.steps = steps;
        this.operands = operands;
    }

    /** Null if none begins here. */
    @Nullable
    Request request(Words words) {
        Write write = Write.take(words);
        if (write != null) {
            Expression table = operands.table(words);
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
            List<Step> below = steps.block(words, Steps.Block.STEPS);
            return play -> client -> Result.of(client, List.of(), () -> {
                Steps.play(below, play);
                return null;
            });
        }
        if (words.take("ask")) {
            Expression address = operands.value(words);
            return play -> {
                String encoded = address.text(play).replace(" ", "%20");
                return client -> Result.of(client, List.of(), () -> client.ask(encoded));
            };
        }
        if (words.take("drop")) {
            Expression table = operands.table(words);
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
        Expression whom = operands.value(words);
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
        Expression table = operands.table(words);
        return play -> {
            String name = table.text(play);
            return client -> Result.of(client, List.of(), () -> {
                client.createTable(name);
                return null;
            });
        };
    }

    /** {@code query TABLE where TEXT select TEXT top N after RESULT}, each but the table as wanted: one page with top or after, else all. */
    private Request query(Words words) {
        Expression table = operands.table(words);
        Map<String, Expression> options = new LinkedHashMap<>();
        while (List.of("where", "select", "top", "after").stream().anyMatch(words::is)) {
            options.put(words.take(Kind.NAME, "an option"), operands.value(words));
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
        Expression table = operands.table(words);
        Expression partition = operands.value(words);
        words.expect(",");
        Expression row = operands.value(words);
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
    Writing writing(Write write, Words words) {
        Expression partition = operands.value(words);
        words.expect(",");
        Expression row = operands.value(words);
        Expression like = words.take("like") ? operands.value(words) : null;
        Expression etag = words.take("if") ? operands.value(words) : play -> write.ifMatch;
        List<Operands.Property> properties = words.take("with") ? operands.properties(words) : List.of();
        return play -> {
            Map<String, Object> values = new LinkedHashMap<>(
                    like == null ? Map.of() : Values.entity(like.in(play)).properties());
            properties.forEach(property -> property.put(play, values));
            LabEntity entity = LabEntity.of(partition.text(play), row.text(play), values);
            return new LabWrite(write.method, entity, etag.text(play));
        };
    }

    /** {@code batch TABLE}, with writes below: as few transactions as hold them. {@code transaction TABLE}: one. */
    private Request writes(Words words) {
        boolean isBatch = words.take(Kind.NAME, "batch or transaction").equals("batch");
        Expression table = operands.table(words);
        List<Step> below = steps.block(words, Steps.Block.WRITES);
        return play -> {
            String in = table.text(play);
            List<LabWrite> writes = play.gathered(below, LabWrite.class);
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
