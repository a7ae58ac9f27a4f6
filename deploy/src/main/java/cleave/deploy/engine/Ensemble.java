package cleave.deploy.engine;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The servers of ZooKeeper as {@code cleave engine format} sees them: those that it was given, and those that blank ones name as members of
 * their ensemble. Confined to one thread.
 *
 * <p>Invariant: no server is asked to begin with an empty tree unless all of the ensemble were blank at the same time, even if the command
 * was given only some of them.
 */
final class Ensemble {
    /** By address; all that were ever named. */
    private final Map<String, Member> members = new LinkedHashMap<>();
    /** All were blank: the rest may begin. */
    private boolean begins;

    private final ZooKeeperProbe probe;

    /** The state that a server reports. */
    private enum Member {
        SERVES("serves"),
        BLANK("is blank"),
        WAITS("has data, and waits for others"),
        SILENT("does not answer");

        private final String text;

        Member(String text) {
            this.text = text;
        }
    }

    Ensemble(Collection<String> given, EnginePeers peers) {
        probe = peers.probe(List.copyOf(given));
        given.forEach(address -> members.put(address, Member.SILENT));
    }

    /** Asks all of them, and lets those begin that may. */
    boolean serves() {
        askAll();
        begins |= members.values().stream().allMatch(member -> member == Member.BLANK);
        if (begins) {
            members.forEach((address, member) -> {
                if (member == Member.BLANK) {
                    tell(address);
                }
            });
        }
        return members.containsValue(Member.SERVES);
    }

    /** Some are blank, and must not begin. */
    boolean isPartlyBlank() {
        return members.containsValue(Member.BLANK) && !begins;
    }

    private void askAll() {
        ArrayDeque<String> next = new ArrayDeque<>(members.keySet());
        Set<String> asked = new HashSet<>();
        while (!next.isEmpty()) {
            String address = next.remove();
            if (asked.add(address)) {
                String answer = ask(address);
                members.put(address, member(answer));
                if (answer.startsWith(BlankMember.BLANK)) {
                    next.addAll(BlankMember.othersIn(answer));
                }
            }
        }
    }

    /** Empty if there is no answer. */
    private String ask(String address) {
        try {
            return probe.answerOf(address, "srvr");
        } catch (IOException silent) {
            return "";
        }
    }

    private static Member member(String answer) {
        if (answer.startsWith(BlankMember.BLANK)) {
            return Member.BLANK;
        }
        return answer.contains("Mode: ") ? Member.SERVES : answer.isEmpty() ? Member.SILENT : Member.WAITS;
    }

    private void tell(String address) {
        try {
            probe.answerOf(address, BlankMember.INITIALIZE);
        } catch (IOException lost) {
            // The next round sends it again if the server is still blank.
        }
    }

    /** The state that each reports. */
    @Override
    public String toString() {
        return members.entrySet().stream()
                .map(member -> member.getKey() + " " + member.getValue().text)
                .collect(Collectors.joining(", "));
    }
}
