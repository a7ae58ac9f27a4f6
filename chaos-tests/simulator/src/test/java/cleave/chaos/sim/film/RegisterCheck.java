package cleave.chaos.sim.film;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A checker of registers that knows nothing of ours: it reads what Porcupine's tests read, by their expressions, and searches an order
 * of the puts and gets of one register. Confined to its caller.
 */
final class RegisterCheck {
    private static final Pattern INVOKED =
            Pattern.compile("\\{:process (\\d+), :type :invoke, :f :(get|put), :key \"(.*)\", :value (nil|\".*\")}");
    private static final Pattern RETURNED =
            Pattern.compile("\\{:process (\\d+), :type :ok, :f :(get|put), :key \"(.*)\", :value \"(.*)\"}");

    private final List<Operation> operations = new ArrayList<>();

    /** Times are numbers of lines; one that never returned may come last. */
    private static final class Operation {
        final boolean isPut;
        final int invoked;
        String value;
        int returned = Integer.MAX_VALUE;

        Operation(boolean isPut, int invoked, String value) {
            this.isPut = isPut;
            this.invoked = invoked;
            this.value = value;
        }
    }

    /** What was done, as a set of places among the operations, and what the register then holds. */
    private record State(String done, String value) {}

    static Map<String, RegisterCheck> read(List<String> lines) {
        Map<String, RegisterCheck> registers = new TreeMap<>();
        Map<String, Operation> underWay = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher invoked = INVOKED.matcher(lines.get(i));
            Matcher returned = RETURNED.matcher(lines.get(i));
            if (invoked.matches()) {
                boolean isPut = invoked.group(2).equals("put");
                String value =
                        isPut ? invoked.group(4).substring(1, invoked.group(4).length() - 1) : "";
                Operation operation = new Operation(isPut, i, value);
                registers
                        .computeIfAbsent(invoked.group(3), first -> new RegisterCheck())
                        .operations
                        .add(operation);
                if (underWay.put(invoked.group(1), operation) != null) {
                    throw new IllegalArgumentException("its process does two things at once: " + lines.get(i));
                }
            } else if (returned.matches()) {
                Operation operation = underWay.remove(returned.group(1));
                operation.returned = i;
                operation.value = returned.group(4);
            } else {
                throw new IllegalArgumentException("this is no event: " + lines.get(i));
            }
        }
        return registers;
    }

    boolean isLinearizable() {
        return goesOn(0, new StringBuilder(), "", new HashSet<>());
    }

    /**
     * @param first all before it are done
     * @param later which of the others are done, as digits
     */
    private boolean goesOn(int first, StringBuilder later, String value, Set<State> seen) {
        int from = first;
        StringBuilder done = new StringBuilder(later);
        while (done.length() > 0 && done.charAt(0) == '1') {
            done.deleteCharAt(0);
            from++;
        }
        int last = done.length();
        while (last > 0 && done.charAt(last - 1) == '0') {
            done.setLength(--last);
        }
        if (operations.subList(Math.min(from, operations.size()), operations.size()).stream()
                .allMatch(each -> each.returned == Integer.MAX_VALUE)) {
            return true;
        }
        if (!seen.add(new State(from + ":" + done, value))) {
            return false;
        }
        int earliestReturn = Integer.MAX_VALUE;
        for (int i = from; i < operations.size(); i++) {
            if (!isDone(done, i - from)) {
                earliestReturn = Math.min(earliestReturn, operations.get(i).returned);
            }
        }
        for (int i = from; i < operations.size() && operations.get(i).invoked < earliestReturn; i++) {
            Operation next = operations.get(i);
            if (!isDone(done, i - from) && (next.isPut || next.value.equals(value))) {
                StringBuilder with = new StringBuilder(done);
                while (with.length() <= i - from) {
                    with.append('0');
                }
                with.setCharAt(i - from, '1');
                if (goesOn(from, with, next.isPut ? next.value : value, seen)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isDone(StringBuilder done, int place) {
        return place < done.length() && done.charAt(place) == '1';
    }
}
