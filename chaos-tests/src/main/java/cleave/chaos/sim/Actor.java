package cleave.chaos.sim;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Request;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import org.jspecify.annotations.Nullable;

/** A client of a script, which does what it is told, through one front end. Confined to the simulation. */
final class Actor {
    private final World world;
    private final Workload workload;
    private final Timeline timeline;
    private final SimClient client;
    private final String name;
    private final String frontEnd;

    Actor(World world, Workload workload, Timeline timeline, SimClient client, String name, String frontEnd) {
        this.world = world;
        this.workload = workload;
        this.timeline = timeline;
        this.client = client;
        this.name = name;
        this.frontEnd = frontEnd;
    }

    Asked writes(String key) {
        return operates(key, OperationKind.INSERT_OR_REPLACE);
    }

    Asked inserts(String key) {
        return operates(key, OperationKind.INSERT);
    }

    Asked deletes(String key) {
        return operates(key, OperationKind.DELETE);
    }

    Asked reads(String key) {
        return operates(key, OperationKind.GET);
    }

    private Asked operates(String key, OperationKind kind) {
        workload.use(key);
        Asked asked = asks(kind + " " + key);
        client.operate(key, kind, result -> answered(asked, result));
        return asked;
    }

    /** Writes both rows of a pair in one transaction. */
    Asked writesPair(int number) {
        Asked asked = asks("transaction on " + Workload.pair(number, 0));
        client.transact(number, () -> answered(asked, Result.of(Outcome.DONE, "")));
        return asked;
    }

    /** Walks over the whole table. */
    Asked scans() {
        Asked asked = asks("scan of the table");
        new SimScan(world, workload, world.newRandom(), client.number(), client::send)
                .begin(() -> answered(asked, Result.of(Outcome.DONE, "")));
        return asked;
    }

    /** Sends this, and is content with a success; MISSING tells of a 404, anything else is in the text. */
    Asked sends(String what, Request request) {
        Asked asked = asks(what);
        client.send(request, (answer, sent) -> answered(asked, result(answer, sent)));
        return asked;
    }

    private static Result result(@Nullable Answer answer, boolean sent) {
        if (answer == null) {
            return Result.of(sent ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED, "no answer");
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

    private Asked asks(String what) {
        timeline.arrives(Message.request(name, frontEnd, what, ""));
        return new Asked(name + ": " + what);
    }

    private void answered(Asked asked, Result result) {
        asked.answered(result);
        timeline.arrives(Message.answer(frontEnd, name, result.outcome().toString(), value(result)));
    }

    private static String value(Result result) {
        return result.properties().isEmpty()
                ? result.text()
                : result.properties().toString();
    }
}
