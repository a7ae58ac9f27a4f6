package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.Cleave;
import cleave.deploy.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class LoadCommandTest {
    private static void run(String... more) {
        runOn("http://127.0.0.1:1", more);
    }

    private static void runOn(String endpoint, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--endpoint", endpoint));
        arguments.addAll(List.of(more));
        LoadCommand command = new LoadCommand();
        new CommandLine(command).parseArgs(arguments.toArray(String[]::new));
        command.call();
    }

    @Test
    void anEndpointThatNobodyServesIsNoBug() {
        assertThatThrownBy(() -> run())
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("no load on http://127.0.0.1:1/devstoreaccount1: Connection refused");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --connections=-1                      | --connections must be at least 1
        --seconds=0                           | --seconds and --step-seconds must be above 0
        --rate=0                              | must be above 0
        --warm-up=-1                          | --warm-up must not be below 0
        --rate=5 --ramp=1..2                  | exclude each other
        --ramp=5                              | write FROM..TO
        --steps=5,0                           | must be above 0
        --retry=fixed --retries=-1            | cannot be negative
        --retry=exponential --retry-z-max=1   | the longest wait, 1.0 s, is shorter than the least
        --retry=often                         | 'often' is no strategy; give none, fixed or exponential
        --retry-factor=2                      | write LOW..HIGH, such as 0.8..1.2
        --timeout=0                           | --timeout must be at least
        --beside-connections=-1               | --beside-connections must be at least 1
        --beside-connection-file=none         | needs --beside
        --beside=get --verify                 | leave --verify and --fill-only out
        --workload=none                       | no such file, and the built-in ones are get, insert
        --connection-file=none                | name two endpoints
        --table=1st                           | is no table name
        --json=/nowhere/at/all.json           | there is no folder /nowhere/at
        --histogram=/                         | it is a folder
        --record=/nowhere/at/all.jsonl        | --record must name a new file in a folder that exists
        --record=recorded.jsonl               | --record needs the masters, by --masters or --dir
        --fail-if=p99                         | 'p99' is no condition; write [OPERATION] FIGURE > or < LIMIT
        --fail-if=p99>50                      | the limit of p99 is a time with its unit
        --fail-if=p99<50ms                    | would fail a load for being good; write 'p99>50ms'
        --fail-if=insert_p99>50ms             | 'insert_p99>50ms' is no condition
        --fail-if=wrong>0                     | needs --verify
        --fail-if=errors>0 --fill-only        | --fill-only puts none on the table
        --find-rate=p99>20ms                  | is what a load must keep, so write 'p99<20ms'
        --find-rate=p99<20ms --seconds=5      | leave --steps, --ramp and --seconds out
        --find-rate=p99<20ms --steps=5,6      | leave --steps, --ramp and --seconds out
        --find-rate=p99<20ms --step-seconds=0 | --step-seconds must be above 0
        --find-rate=p99<20ms --shards=2       | is of one process, and excludes --verify
        --metrics-port=no                     | is no port of this machine; write PORT or HOST:PORT
        --metrics-port=0 --shards=2           | is of one process, and excludes --shards
        --rate=5 --picture=a.svg              | --picture shows latency by rate, and needs --steps or --find-rate
        --rate=5 --csv=a.csv                  | --csv shows latency by rate, and needs --steps or --find-rate
        --http2=2                             | --http2 needs an endpoint of https
        --http2=17                            | from 1 to 16 connections can carry the 16 requests in flight
        --http2=1 --connections=101           | a server may refuse more than 100 streams on a connection
        """)
    void whatMakesNoSenseIsRefusedWithWhatDoes(String options, String message) {
        assertThatThrownBy(() -> run(options.split(" ")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(message);
    }

    /** {@code cleave load merge} is a command, and {@code merge} a workload. */
    @Test
    void aWorkloadMayHaveTheNameOfACommand() {
        CommandLine.ParseResult load = Cleave.commandLine()
                .parseArgs("load", "--workload", "merge", "--seconds", "1")
                .subcommand();

        assertThat(load.matchedOption("--workload").stringValues()).containsExactly("merge");
        assertThat(load.hasSubcommand()).isFalse();
    }

    @Test
    void theStreamsOfALoadBesideAreCountedToo() {
        assertThatThrownBy(() -> runOn("https://127.0.0.1:1", "--http2=1", "--beside=get", "--beside-connections=101"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--beside-connections asks for 101 requests in flight");
    }

    @Test
    void aConditionOfAnOperationThatTheWorkloadLacksIsRefused() {
        assertThatThrownBy(() -> run("--workload=ycsb-b", "--fail-if=insert p99 > 50ms"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage(
                        "--fail-if 'insert p99 > 50ms': the workload ycsb-b does no insert; it does 95% get, 5% merge");
    }
}
