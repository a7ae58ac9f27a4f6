package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings.BadSetting;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdvertisedTest {
    private static final String REMEDY = "server.advertise to HOST:PORT";

    private static String advertised(String listen, Advertised.Machine machine) {
        return Advertised.of("server.listen", listen, REMEDY, machine);
    }

    private static InetAddress unasked() {
        throw new AssertionError("the machine's name is not needed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0:10300", "[::]:10300", "[0:0:0:0:0:0:0:0]:10300"})
    void aWildcardBecomesTheNameOfTheMachine(String listen) {
        Advertised.Machine machine = () -> InetAddress.getByAddress("node-7.rack", new byte[] {10, 1, 2, 3});

        assertThat(advertised(listen, machine)).endsWith(":10300").doesNotContain("0.0.0.0", "::");
        assertThat(Advertised.isWildcard(listen)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:10300", "cleave-server-0.cleave-server:10300", "inproc:server", "10.0.0.0:1"})
    void anythingElseIsAdvertisedAsItIs(String listen) {
        assertThat(advertised(listen, AdvertisedTest::unasked)).isEqualTo(listen);
        assertThat(Advertised.check("server.advertise", listen)).isEqualTo(listen);
    }

    @Test
    void whatIsGoodToKnowIsTheAddressOfTheMachineOrNothing() {
        assertThat(Advertised.orNone("127.0.0.1:1", AdvertisedTest::unasked)).isEqualTo("127.0.0.1:1");
        assertThat(Advertised.orNone("0.0.0.0:1", machine("node-7", 10, 1, 2, 3)))
                .isEqualTo("10.1.2.3:1");
        assertThat(Advertised.orNone("[::]:1", InetAddress::getLoopbackAddress)).isEmpty();
        assertThat(Advertised.orNone("0.0.0.0:1", () -> {
                    throw new UnknownHostException("box: Name or service not known");
                }))
                .isEmpty();
    }

    @Test
    void theStartEndsIfTheMachineHasNoNameForOthers() {
        assertThatThrownBy(() -> advertised("0.0.0.0:10300", InetAddress::getLoopbackAddress))
                .isInstanceOf(BadSetting.class)
                .hasMessageStartingWith("setting server.listen is '0.0.0.0:10300', which is no address")
                .hasMessageContaining("127.0.0.1")
                .hasMessageEndingWith("Set " + REMEDY);
        assertThatThrownBy(() -> advertised("[::]:10300", () -> {
                    throw new UnknownHostException("box: Name or service not known");
                }))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("box: Name or service not known");
    }

    /** Some hosts files give the name that every machine has to the address of a network. */
    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LocalHost.localdomain", "box.localhost"})
    void theNameThatEveryMachineHasIsNoNameForOthers(String name) {
        assertThatThrownBy(() -> advertised("0.0.0.0:10300", machine(name, 10, 1, 2, 3)))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("this machine's name, " + name + " (10.1.2.3), is of no use to others")
                .hasMessageEndingWith("Set " + REMEDY);
    }

    @Test
    void anAddressOfOneLinkIsNoneForOthers() {
        assertThatThrownBy(() -> advertised("[::]:10300", machine("box", 169, 254, 2, 3)))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("169.254.2.3");
        assertThat(advertised("[::]:10300", machine("localhosts.rack", 10, 1, 2, 3)))
                .isEqualTo("localhosts.rack:10300");
    }

    private static Advertised.Machine machine(String name, int... address) {
        byte[] bytes = new byte[address.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) address[i];
        }
        return new Advertised.Machine() {
            @Override
            public InetAddress address() throws UnknownHostException {
                return InetAddress.getByAddress(bytes);
            }

            @Override
            public String nameOf(InetAddress own) {
                return name;
            }
        };
    }

    @Test
    void aWildcardIsNotAdvertisedOnRequestEither() {
        assertThatThrownBy(() -> Advertised.check("server.advertise", "0.0.0.0:10300"))
                .isInstanceOf(BadSetting.class)
                .hasMessageStartingWith("setting server.advertise has '0.0.0.0:10300'");
    }

    @ParameterizedTest
    @CsvSource({
        "node-7, node-7:10300",
        "node-7:1, node-7:1",
        "10.0.0.7/servers, 10.0.0.7:10300/servers",
        "fd00::5/servers, [fd00::5]:10300/servers",
        "[fd00::5]:1/servers, [fd00::5]:1/servers"
    })
    void anAddressWithoutAPortHasThatOfTheListener(String given, String address) {
        assertThat(Advertised.given("server.advertise", given, "0.0.0.0:10300")).isEqualTo(address);
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 'setting server.advertise has ''0.0.0.0:10300'', which is no address that others can reach'",
        "::/servers, 'setting server.advertise has ''[::]:10300/servers'', which is no address that others can reach'",
        "/servers, 'setting server.advertise: address ''/servers'' is neither host:port'",
        "h:x, 'setting server.advertise: address ''h:x'' is neither host:port'"
    })
    void whatNobodyCanReachIsNotAdvertised(String given, String why) {
        assertThatThrownBy(() -> Advertised.given("server.advertise", given, "0.0.0.0:10300"))
                .isInstanceOf(BadSetting.class)
                .hasMessageStartingWith(why);
    }

    @Test
    void aPortThatTheSystemChoseIsAdvertised() {
        assertThat(Advertised.at("10.0.0.7:0/servers", 40_001)).isEqualTo("10.0.0.7:40001/servers");
        assertThat(Advertised.at("node-7:0", 40_001)).isEqualTo("node-7:40001");
        assertThat(Advertised.at("node-7:10300", 40_001)).isEqualTo("node-7:10300");
        assertThat(Advertised.at("inproc:server", -1)).isEqualTo("inproc:server");
    }
}
