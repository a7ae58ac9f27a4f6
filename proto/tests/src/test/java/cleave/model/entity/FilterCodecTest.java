package cleave.model.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Damaged;
import cleave.model.Limits;
import cleave.model.entity.Filter.Operator;
import cleave.wire.FilterConnective;
import cleave.wire.FilterNode;
import cleave.wire.ScanRequest;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class FilterCodecTest {
    private static final Filter A = new Filter.Flag("A");
    private static final FilterNode FLAG = FilterNode.newBuilder().setFlag("A").build();

    private static FilterNode node(FilterConnective connective) {
        return FilterNode.newBuilder().setConnective(connective).build();
    }

    private static cleave.wire.Filter wire(FilterNode... nodes) {
        return cleave.wire.Filter.newBuilder().addAllNodes(List.of(nodes)).build();
    }

    @Provide
    Arbitrary<Filter> leaves() {
        return Filters.leaves();
    }

    @Property
    void leavesComeBackFromTheWire(@ForAll("leaves") Filter leaf) {
        assertThat(FilterCodec.fromWire(FilterCodec.toWire(leaf)))
                .usingRecursiveComparison(Entities.EXACTLY)
                .isEqualTo(leaf);
    }

    @Example
    void connectivesKeepTheOrderOfTheirOperands() {
        Filter b = new Filter.Flag("B");
        Filter filter = new Filter.Or(new Filter.And(A, new Filter.Not(b)), b);
        assertThat(FilterCodec.fromWire(FilterCodec.toWire(filter))).isEqualTo(filter);
    }

    @Example
    void longChainsAreSentBalancedAndThroughARealMessage() throws Exception {
        Filter chain = A;
        for (int i = 0; i < 5_000; i++) {
            chain = new Filter.Or(chain, new Filter.Compare("N", Operator.EQ, new Literal(EdmType.INT32, i)));
        }
        byte[] sent = ScanRequest.newBuilder()
                .setFilter(FilterCodec.toWire(chain))
                .build()
                .toByteArray();
        Filter received = FilterCodec.fromWire(ScanRequest.parseFrom(sent).getFilter());
        assertThat(leaves(received)).isEqualTo(leaves(chain));
    }

    private static List<Filter> leaves(Filter filter) {
        List<Filter> leaves = new ArrayList<>();
        List<Filter> left = new ArrayList<>(List.of(filter));
        while (!left.isEmpty()) {
            Filter part = left.remove(left.size() - 1);
            if (part instanceof Filter.Or or) {
                left.add(or.right());
                left.add(or.left());
            } else {
                leaves.add(part);
            }
        }
        return leaves;
    }

    @Example
    void nestingBeyondTheBoundIsRefusedOnBothSides() {
        Filter deep = A;
        List<FilterNode> nodes = new ArrayList<>(List.of(FLAG));
        for (int i = 1; i < Limits.FILTER_DEPTH_MAX; i++) {
            deep = new Filter.Not(deep);
            nodes.add(node(FilterConnective.NOT));
        }
        assertThat(FilterCodec.fromWire(FilterCodec.toWire(deep))).isEqualTo(deep);
        Filter deeper = new Filter.Not(deep);
        assertThatThrownBy(() -> FilterCodec.toWire(deeper)).isInstanceOf(IllegalArgumentException.class);
        nodes.add(node(FilterConnective.NOT));
        assertThatThrownBy(() -> FilterCodec.fromWire(wire(nodes.toArray(new FilterNode[0]))))
                .isInstanceOf(Damaged.class)
                .hasMessageContaining("200");
    }

    @Example
    void tooManyPartsAreRefusedOnBothSides() {
        Filter chain = A;
        List<FilterNode> nodes = new ArrayList<>(List.of(FLAG));
        for (int i = 0; i < Limits.FILTER_NODES_MAX; i++) {
            chain = new Filter.And(chain, A);
            nodes.add(FLAG);
        }
        Filter large = chain;
        assertThatThrownBy(() -> FilterCodec.toWire(large)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FilterCodec.fromWire(wire(nodes.toArray(new FilterNode[0]))))
                .isInstanceOf(Damaged.class);
    }

    @Example
    void messagesThatAreNoFilterAreDamaged() {
        FilterNode and = node(FilterConnective.AND);
        FilterNode unknown = FilterNode.newBuilder().setConnectiveValue(99).build();
        FilterNode noLiteral = FilterNode.newBuilder()
                .setCompare(cleave.wire.FilterCompare.newBuilder().setProperty("A"))
                .build();
        FilterNode shortGuid = FilterNode.newBuilder()
                .setCompare(cleave.wire.FilterCompare.newBuilder()
                        .setProperty("A")
                        .setLiteral(cleave.wire.Literal.newBuilder().setGuidValue(ByteString.copyFrom(new byte[15]))))
                .build();
        List<cleave.wire.Filter> wrong = List.of(
                wire(),
                wire(and),
                wire(FLAG, and),
                wire(FLAG, FLAG),
                wire(FLAG, unknown),
                wire(FilterNode.getDefaultInstance()),
                wire(noLiteral),
                wire(shortGuid));
        for (cleave.wire.Filter filter : wrong) {
            assertThatThrownBy(() -> FilterCodec.fromWire(filter)).isInstanceOf(Damaged.class);
        }
    }

    @Provide
    Arbitrary<List<FilterNode>> nodes() {
        return Arbitraries.of(
                        FLAG,
                        node(FilterConnective.AND),
                        node(FilterConnective.OR),
                        node(FilterConnective.NOT),
                        FilterNode.getDefaultInstance())
                .list()
                .ofMaxSize(12);
    }

    @Property
    void anyNodesAreAFilterOrDamaged(@ForAll("nodes") List<FilterNode> nodes) {
        try {
            Filter filter = FilterCodec.fromWire(wire(nodes.toArray(new FilterNode[0])));
            assertThat(FilterCodec.toWire(filter).getNodesCount()).isEqualTo(nodes.size());
        } catch (Damaged answer) {
            assertThat(answer).hasMessageStartingWith("filter");
        }
    }

    @Example
    void loneSurrogateInALiteralIsRefused() {
        Filter lone = new Filter.Compare("A", Operator.EQ, new Literal(EdmType.STRING, "\uDC00"));
        assertThatThrownBy(() -> FilterCodec.toWire(lone)).isInstanceOf(IllegalArgumentException.class);
    }
}
