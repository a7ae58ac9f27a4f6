package cleave.chaos.sim.film;

import cleave.chaos.history.Operation;
import cleave.chaos.sim.film.Registers.Access;
import cleave.chaos.sim.film.Registers.Ending;
import cleave.chaos.sim.film.Registers.Step;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A history of {@link Registers} for other checkers, event by event in the order of time. No process does two things at once, and one
 * whose operation has an unknown end does no more. Stateless.
 */
final class HistoryFile {
    private HistoryFile() {}

    /** @param isReturn false for a beginning */
    private record Event(long nanos, boolean isReturn, int process, Step step) {}

    /**
     * As Jepsen keeps it and Elle reads it ({@code rw-register}): a map on each line, transactions of reads and writes as they were
     * requested. No value is written twice: what is deleted is written as a value of its own, which nobody reads. A read of nothing
     * reads {@code nil}, the value at the beginning, as long as nothing was ever deleted there, and is left out afterwards.
     */
    static void writeEdn(List<Operation> operations, Writer out) throws IOException {
        List<Step> steps = Registers.of(operations);
        int deletions = 0;
        Map<String, Long> emptiedFrom = new HashMap<>();
        List<Step> unique = new ArrayList<>();
        for (Step step : steps) {
            List<Access> accesses = new ArrayList<>();
            for (Access access : step.accesses()) {
                boolean empties = access.isWrite() && access.value().isEmpty();
                accesses.add(empties ? new Access(true, access.register(), "deleted-" + deletions++) : access);
                if (empties && step.ending() != Ending.FAILED) {
                    emptiedFrom.putIfAbsent(access.register(), step.invoked());
                }
            }
            unique.add(new Step(step.client(), step.invoked(), step.returned(), step.ending(), accesses));
        }
        int index = 0;
        for (Event event : events(unique, true)) {
            Step step = event.step();
            String type = !event.isReturn()
                    ? "invoke"
                    : switch (step.ending()) {
                        case DONE -> "ok";
                        case FAILED -> "fail";
                        case UNKNOWN -> "info";
                    };
            boolean isKnown = event.isReturn() && step.ending() == Ending.DONE;
            String value = step.accesses().stream()
                    .filter(access -> access.isWrite()
                            || !access.value().isEmpty()
                            || emptiedFrom.getOrDefault(access.register(), Long.MAX_VALUE) > step.returned())
                    .map(access -> "[" + (access.isWrite() ? ":w " : ":r ") + quoted(access.register()) + " "
                            + (access.isWrite() || (isKnown && !access.value().isEmpty())
                                    ? quoted(access.value())
                                    : "nil")
                            + "]")
                    .collect(Collectors.joining(" "));
            out.write("{:index " + index++ + ", :time " + event.nanos() + ", :process " + event.process() + ", :type :"
                    + type + ", :f :txn, :value [" + value + "], :client " + step.client() + "}\n");
        }
    }

    /**
     * As Porcupine's tests of key-value stores have it, which {@code parseKvLog} there reads: puts and gets, each of one register. What
     * was not executed is left out; what has an unknown end does not return.
     */
    static void writeText(List<Operation> operations, Writer out) throws IOException {
        List<Step> single = new ArrayList<>();
        for (Step step : Registers.of(operations)) {
            if (step.ending() != Ending.FAILED) {
                step.accesses()
                        .forEach(access -> single.add(new Step(
                                step.client(), step.invoked(), step.returned(), step.ending(), List.of(access))));
            }
        }
        for (Event event : events(single, false)) {
            Access access = event.step().accesses().get(0);
            boolean isKnown = access.isWrite() || event.isReturn();
            out.write("{:process " + event.process() + ", :type " + (event.isReturn() ? ":ok" : ":invoke") + ", :f "
                    + (access.isWrite() ? ":put" : ":get") + ", :key " + quoted(access.register()) + ", :value "
                    + (isKnown ? quoted(access.value()) : "nil") + "}\n");
        }
    }

    /** At one moment, beginnings come first: what touches is concurrent. */
    private static List<Event> events(List<Step> steps, boolean endsAreTold) {
        Lanes processes = new Lanes();
        List<Event> events = new ArrayList<>();
        for (Step step : steps) {
            boolean ends = step.ending() != Ending.UNKNOWN;
            int process = processes.lane(step.invoked(), ends ? step.returned() : Lanes.FOREVER);
            events.add(new Event(step.invoked(), false, process, step));
            if (ends || endsAreTold) {
                events.add(new Event(step.returned(), true, process, step));
            }
        }
        events.sort(Comparator.comparingLong(Event::nanos).thenComparing(Event::isReturn));
        return events;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
