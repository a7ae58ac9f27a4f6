package cleave.chaos.sim.stories;

import cleave.chaos.history.EntityKey;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import cleave.chaos.sim.cluster.SimClient;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.world.Message;
import cleave.client.Answer;
import cleave.client.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client of a scenario: sends the script's requests through one front end. */
record Actor(SimClient client, String frontEnd, Timeline timeline) {
    ScriptedRequest writes(String key) {
        return operates(key, OperationKind.INSERT_OR_REPLACE);
    }

    /** Sends an operation on one entity. */
    ScriptedRequest operates(String name, OperationKind kind) {
        EntityKey key = keyOf(name);
        client.workload().use(key);
        ScriptedRequest asked = asks(kind + " " + name);
        client.operate(key, kind, result -> answered(asked, result));
        return asked;
    }

    /** Writes these entities of one partition in one transaction. */
    ScriptedRequest writesTogether(List<String> names) {
        List<EntityKey> keys = names.stream().map(Actor::keyOf).toList();
        keys.forEach(client.workload()::use);
        ScriptedRequest asked = asks("transaction on " + names);
        client.transact(
                client.workload().together(keys, OperationKind.INSERT_OR_REPLACE, client.random()),
                change -> answered(asked, Result.of(change.outcome(), "")));
        return asked;
    }

    /** @param name partition and row, as {@code p0/r0} */
    static EntityKey keyOf(String name) {
        int slash = name.indexOf('/');
        return new EntityKey(SimWorkload.TABLE, name.substring(0, slash), name.substring(slash + 1));
    }

    /** Scans the whole table. */
    ScriptedRequest scans() {
        ScriptedRequest asked = asks("scan of the table");
        client.scan(
                client.workload().walkOf(SimWorkload.TABLE),
                isWhole -> answered(asked, Result.of(isWhole ? Outcome.DONE : Outcome.NOT_EXECUTED, "")));
        return asked;
    }

    /** Sends a request; the result is a success, MISSING for a 404, and otherwise the answer's text. */
    ScriptedRequest sends(String what, Request request) {
        ScriptedRequest asked = asks(what);
        client.send(request, (answer, sent) -> answered(asked, result(answer, sent)));
        return asked;
    }

    private static Result result(@Nullable Answer answer, boolean sent) {
        if (answer == null) {
            return SimClient.silence(sent);
        }
        String text = answer.status() + (answer.errorCode().isEmpty() ? "" : " " + answer.errorCode());
        if (answer.isSuccess()) {
            return Result.of(Outcome.DONE, text);
        }
        return switch (answer.status()) {
            case 404 -> Result.of(Outcome.MISSING, text);
            case 503 -> Result.of(Outcome.NOT_EXECUTED, text);
            default -> Result.of(Outcome.UNKNOWN, text);
        };
    }

    private ScriptedRequest asks(String what) {
        timeline.arrives(Message.request(client.name(), frontEnd, what, ""));
        return new ScriptedRequest(client.name() + ": " + what);
    }

    private void answered(ScriptedRequest asked, Result result) {
        asked.answered(result);
        timeline.arrives(
                Message.answer(frontEnd, client.name(), result.outcome().toString(), value(result)));
    }

    private static String value(Result result) {
        return result.properties().isEmpty()
                ? result.text()
                : result.properties().toString();
    }
}
