package cleave.master.policy;

import cleave.master.policy.FailureDetector.Silence;
import cleave.master.policy.FailureDetector.Timing;
import cleave.master.policy.MemberChange.Newcomer;
import cleave.master.policy.MemberChange.Step;
import cleave.model.Incarnation;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/**
 * The decisions of the failure detector, the judge of clocks, the rule of takeovers ({@link TakeoverScript}) and changes of the masters. The
 * servers of the detector are a, b and c, on a clock that counts milliseconds.
 */
class PolicyTranscriptTest {
    @TestFactory
    Stream<DynamicNode> policies() throws IOException {
        return Transcripts.of("policy", Script::new);
    }

    private static final class Script implements Transcripts.Interpreter {
        private final FailureDetector detector = new FailureDetector(new Timing(1_000, 300, 500));
        private final List<Incarnation> servers = new ArrayList<>(List.of(server("a"), server("b"), server("c")));
        private final ClockJudge judge = new ClockJudge(50);
        private ClockReading reading = new ClockReading(0, 0);
        private final TakeoverScript takeovers = new TakeoverScript();
        private long now = 10_000;

        private static Incarnation server(String id) {
            return new Incarnation(id, 1);
        }

        @Override
        public List<String> run(Command command) {
            return switch (command.word()) {
                case "begin" -> {
                    detector.begin(now);
                    yield shown(detector.judge(servers, now));
                }
                // Heartbeats of servers, and then some time, as often as the first argument says.
                case "pass" -> {
                    Set<String> printed = new LinkedHashSet<>();
                    for (int i = 0; i < command.number(0); i++) {
                        command.plain().stream().skip(2).forEach(id -> detector.heard(server(id), now));
                        now += command.number(1);
                        printed.addAll(shown(detector.judge(servers, now)));
                    }
                    yield List.copyOf(printed);
                }
                case "sleep" -> {
                    now += command.number(0);
                    yield List.of();
                }
                case "judge-again" -> shown(detector.judgeAgain(servers, now));
                case "proved" -> done(() -> detector.proved(now));
                case "broken" -> done(() -> detector.broken(server(command.at(0)), now));
                case "gone" -> done(() -> detector.gone(server(command.at(0))));
                case "joins" -> done(() -> servers.add(server(command.at(0))));
                case "leaves" -> done(() -> servers.remove(server(command.at(0))));
                case "waits-for" ->
                    List.of(detector.waitsFor(server(command.at(0)), now) + ", a moment ago "
                            + detector.waitsFor(server(command.at(0)), now - 1));
                case "is-gone" -> List.of("" + detector.isGone(server(command.at(0))));
                case "clocks" -> List.of(judged(command).toString());
                case "forget-clocks" -> done(judge::begin);
                case "reading" -> done(() -> reading = new ClockReading(command.number(0), 0));
                case "heard" -> {
                    reading.heard(command.number(0), command.number(1));
                    yield List.of("offset " + reading.offset());
                }
                case "change" -> List.of(change(command));
                default -> takeovers.run(command);
            };
        }

        private static List<String> done(Runnable action) {
            action.run();
            return List.of();
        }

        private static List<String> shown(Silence silence) {
            return silence.dead().isEmpty() && !silence.proofWanted()
                    ? List.of()
                    : List.of("dead " + silence.dead() + (silence.proofWanted() ? ", a proof is wanted" : ""));
        }

        /** How far the clocks of s1, s2 and so on are ahead of the leader's. */
        private ClockJudge.Findings judged(Command command) {
            TreeMap<Incarnation, Long> aheads = new TreeMap<>();
            for (int i = 0; i < command.plain().size(); i++) {
                aheads.put(server("s" + (i + 1)), command.number(i));
            }
            return judge.judge(aheads);
        }

        /** The change of members, the first of which leads: {@code ID}, {@code ID!} if it cannot be reached, {@code ID@RAFT}. */
        private static String change(Command command) {
            List<MasterMember> members =
                    command.plain().stream().map(Script::member).toList();
            String out = command.named("out", "");
            String in = command.named("in", "");
            MemberChange change =
                    new MemberChange(out.isEmpty() ? null : out + "#1", in.isEmpty() ? null : newcomer(in));
            Step step = change.next(members, members.get(0).member());
            return step instanceof Step.Refused refused ? "refused: " + refused.why() : step.toString();
        }

        private static MasterMember member(String text) {
            String id = text.replaceFirst("[@!#].*", "");
            String raft = text.contains("@") ? text.substring(text.indexOf('@') + 1) : "raft-" + id;
            return new MasterMember(text.contains("#") ? text : id + "#1", id, raft, "rpc-" + id, !text.endsWith("!"));
        }

        private static @Nullable Newcomer newcomer(String text) {
            MasterMember named = member(text);
            return new Newcomer(named.id(), named.raft(), named.rpc());
        }
    }
}
