package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Filter;
import cleave.model.entity.FilterCodec;
import cleave.model.entity.FilterEvaluator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Filters written by the grammar, with as many parentheses as they need or more, mean what they were written to mean. */
class FilterTextPropertyTest {
    private static final Key KEY = Key.of(1, "p", "r");
    private static final byte[] ENTITY = EntityCodec.encode(new Entity(
            0,
            List.of(
                    property("A", EdmType.INT32, 5),
                    property("L", EdmType.INT64, 5L),
                    property("D", EdmType.DOUBLE, 5.0),
                    property("S", EdmType.STRING, "b"),
                    property("Yes", EdmType.BOOLEAN, true),
                    property("No", EdmType.BOOLEAN, false))));

    private static cleave.model.entity.Property property(String name, EdmType type, Object value) {
        return new cleave.model.entity.Property(name, type, value);
    }

    private static final int OR = 0;
    private static final int AND = 1;
    private static final int NOT = 2;
    private static final int CLAIM = 3;

    /** A filter, what it says of the entity, and how tightly its outermost part binds. */
    private record Text(String text, boolean holds, int binding) {
        String at(int least) {
            return binding < least ? "(" + text + ")" : text;
        }
    }

    private static final List<Text> TRUE = claims(
            true,
            "A eq 5",
            "A lt 6",
            "6 gt A",
            "5 ge A",
            "L eq 5",
            "D ge 5",
            "D eq 5L",
            "S gt 'B'",
            "S lt 'bB'",
            "'b' eq S",
            "S ne 'it''s'",
            "Yes",
            "true",
            "Yes eq true",
            "No lt true",
            "PartitionKey eq 'p'",
            "RowKey ge 'q'",
            "A ne 5L",
            "A lt 3.0",
            "L le 7D",
            "S ne X'00'",
            "S le guid'a455c695-df98-5678-aaaa-81d3367e5a34'",
            "PartitionKey ne 5",
            "Timestamp eq datetime'1970-01-01T00:00:00Z'");
    private static final List<Text> FALSE = claims(
            false,
            "A ne 5",
            "5 lt A",
            "A gt 5L",
            "A eq 5.0",
            "L eq 5.0",
            "D gt 5",
            "S eq 'B'",
            "No",
            "false",
            "Missing",
            "Missing ne 1",
            "Missing eq 1",
            "1 ne Missing",
            "S",
            "A",
            "RowKey gt 'r'",
            "PartitionKey eq 5",
            "Yes eq 1",
            "D gt NaN",
            "Timestamp gt datetime'1970-01-01'");

    private static List<Text> claims(boolean holds, String... texts) {
        return List.of(texts).stream().map(text -> new Text(text, holds, CLAIM)).toList();
    }

    @Provide
    Arbitrary<Text> filters() {
        return filters(4);
    }

    private static Arbitrary<Text> filters(int depth) {
        Arbitrary<Text> claim = Arbitraries.oneOf(Arbitraries.of(TRUE), Arbitraries.of(FALSE));
        if (depth == 0) {
            return claim;
        }
        Arbitrary<Text> part = filters(depth - 1);
        return Arbitraries.oneOf(
                claim,
                part.map(its -> new Text("not " + its.at(NOT), !its.holds, NOT)),
                part.map(its -> new Text("( " + its.text + "\t)", its.holds, CLAIM)),
                chain(part, " and ", AND, true),
                chain(part, "  or ", OR, false));
    }

    /** @param neutral what an operand says that leaves the word to the others */
    private static Arbitrary<Text> chain(Arbitrary<Text> part, String word, int binding, boolean neutral) {
        return part.list()
                .ofMinSize(2)
                .ofMaxSize(4)
                .map(parts -> new Text(
                        String.join(
                                word,
                                parts.stream().map(its -> its.at(binding + 1)).toList()),
                        parts.stream().allMatch(its -> its.holds == neutral) == neutral,
                        binding));
    }

    @Property(tries = 2000)
    void textsMeanWhatTheGrammarSays(@ForAll("filters") Text written) {
        Filter filter = FilterParser.parse(written.text);
        if (filter instanceof Filter.Constant constant) {
            assertThat(constant.value()).as(written.text).isEqualTo(written.holds);
            return;
        }
        assertThat(FilterEvaluator.matches(filter, KEY, ENTITY))
                .as(written.text)
                .isEqualTo(written.holds);
        Filter received = FilterCodec.fromWire(FilterCodec.toWire(filter));
        assertThat(FilterEvaluator.matches(received, KEY, ENTITY))
                .as(written.text)
                .isEqualTo(written.holds);
    }
}
