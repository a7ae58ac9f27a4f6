package cleave.chaos.pods;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The answers of the stub, byte by byte: RFC 1035, section 4. */
class NamesTest {
    private static final Map<String, List<String>> KNOWN =
            Map.of("dfs-0.dfs.ns.svc.cluster.local", List.of("10.1.2.3", "10.1.2.4"));
    private static final int A = 1;
    private static final int AAAA = 28;

    @Test
    void aNameHasItsAddressesForFiveSeconds() throws IOException {
        byte[] bytes = Names.answer(question("DFS-0.dfs.ns.svc.cluster.local", A), KNOWN::get);

        ByteBuffer answer = ByteBuffer.wrap(bytes);
        assertThat(answer.getShort(0)).as("id").isEqualTo((short) 4711);
        assertThat(answer.getShort(2) & 0xFFFF).as("flags").isEqualTo(0x8500);
        assertThat(answer.getShort(6)).as("answers").isEqualTo((short) 2);
        byte[] first = {(byte) 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 10, 1, 2, 3};
        byte[] second = first.clone();
        second[15] = 4;
        assertThat(bytes).endsWith(second);
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
                .contains(new String(first, StandardCharsets.ISO_8859_1));
    }

    @Test
    void aNameWithoutAddressesOfSuchAKindExistsAllTheSame() throws IOException {
        ByteBuffer answer = ask("dfs-0.dfs.ns.svc.cluster.local", AAAA);

        assertThat(answer.getShort(2) & 0xF).isZero();
        assertThat(answer.getShort(6)).isZero();
    }

    @Test
    void anUnknownNameDoesNotExist() throws IOException {
        ByteBuffer answer = ask("dfs-1.dfs.ns.svc.cluster.local", A);

        assertThat(answer.getShort(2) & 0xF).isEqualTo(3);
        assertThat(answer.getShort(6)).isZero();
    }

    @Test
    void aDatagramThatIsNotAQuestionGetsNoAnswer() throws IOException {
        assertThat(Names.answer(new byte[5], KNOWN::get)).isEmpty();
        byte[] anAnswer = question("a", A);
        anAnswer[2] = (byte) 0x80;
        assertThat(Names.answer(anAnswer, KNOWN::get)).isEmpty();
    }

    private static ByteBuffer ask(String name, int type) throws IOException {
        return ByteBuffer.wrap(Names.answer(question(name, type), KNOWN::get));
    }

    private static byte[] question(String name, int type) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(4711);
        out.writeShort(0x0100);
        out.writeShort(1);
        out.write(new byte[6]);
        for (String label : name.split("\\.")) {
            out.writeByte(label.length());
            out.writeBytes(label);
        }
        out.writeByte(0);
        out.writeShort(type);
        out.writeShort(1);
        return bytes.toByteArray();
    }
}
