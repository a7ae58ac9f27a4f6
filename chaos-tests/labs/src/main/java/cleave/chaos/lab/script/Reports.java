package cleave.chaos.lab.script;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.partitioning.RangeWatch;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Kind;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Plot;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.Chart.Strip;
import cleave.chaos.picture.KeySpace;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Reads tables and charts, whose rows stand below them: {@code | CELL | CELL}. A cell is a text into which values are inserted; one that is a list
 * makes a row of each of its values. Stateless.
 */
final class Reports {
    private static final String SEPARATOR = "\\s*\\|\\s*";
    private static final int STRIP_CELLS_MAX = 4;
    /** Heights of the key space, and of what is drawn beside another one, in pixels. */
    private static final int HIGH = 210;

    private static final int LOW = 110;

    private Reports() {}

    static Step read(String verb, Words words, Expressions expressions) {
        Expression title = expressions.read();
        List<List<Expression>> rows = words.line().rows().stream()
                .map(row -> Stream.of(row.text().substring(1).strip().split(SEPARATOR, -1))
                        .map(expressions::inserted)
                        .toList())
                .toList();
        boolean isStrip = verb.equals("strip");
        if (rows.isEmpty()
                || rows.stream()
                        .anyMatch(row -> !isStrip && row.size() != rows.get(0).size())) {
            throw words.line().wrong(verb + " needs rows below, '| CELL | CELL', with as many cells each");
        }
        if (isStrip && rows.stream().anyMatch(row -> row.size() < 2 || row.size() > STRIP_CELLS_MAX)) {
            throw words.line()
                    .wrong("a row of a strip is '| NAME | {WATCH} | {KEYS} | {REQUESTED}' or '| UNIT | {SERIES}'");
        }
        return switch (verb) {
            case "table" ->
                play -> {
                    List<List<String>> cells = texts(play, rows);
                    play.run().table(Values.text(title.in(play)), cells.get(0), cells.subList(1, cells.size()));
                };
            case "compare" -> compare(title, rows);
            case "strip" -> strip(title, words, expressions, rows);
            case "bars" -> chart(title, words, expressions, rows, Reports::bars);
            default -> chart(title, words, expressions, rows, Reports::lines);
        };
    }

    /** Rows of what they are worth, in which no cell is a list. */
    private static List<List<Object>> cells(Play play, List<List<Expression>> rows) {
        List<List<Object>> all = new ArrayList<>();
        for (List<Expression> row : rows) {
            List<Object> cells = row.stream().map(cell -> cell.in(play)).toList();
            int count = cells.stream()
                    .filter(List.class::isInstance)
                    .mapToInt(cell -> Values.list(cell).size())
                    .max()
                    .orElse(1);
            IntStream.range(0, count)
                    .mapToObj(i -> cells.stream()
                            .map(cell -> cell instanceof List<?> ? Values.item(cell, (long) i) : cell)
                            .toList())
                    .forEach(all::add);
        }
        return all;
    }

    private static List<List<String>> texts(Play play, List<List<Expression>> rows) {
        return cells(play, rows).stream()
                .map(row -> row.stream().map(Values::text).toList())
                .toList();
    }

    private interface Drawing {
        Chart of(String title, String unit, String abscissa, Play play, List<List<Expression>> rows);
    }

    /** {@code bars TEXT TEXT by TEXT logarithmic}: the title, the unit, and what the categories are. */
    private static Step chart(
            Expression title, Words words, Expressions expressions, List<List<Expression>> rows, Drawing drawing) {
        Expression unit = expressions.read();
        words.expect("by");
        Expression abscissa = expressions.read();
        boolean isLogarithmic = words.take("logarithmic");
        Expression marks = words.take("marked") ? expressions.read() : play -> List.of();
        return play -> {
            Chart chart = drawing.of(
                    Values.text(title.in(play)),
                    Values.text(unit.in(play)),
                    Values.text(abscissa.in(play)),
                    play,
                    rows);
            Chart marked = chart.marked(
                    Values.list(marks.in(play)).stream().map(Mark.class::cast).toList());
            play.run().draw(isLogarithmic ? marked.onLogarithmicAxis() : marked);
        };
    }

    /** The first row names the series, the others are a category each. */
    private static Chart bars(String title, String unit, String abscissa, Play play, List<List<Expression>> rows) {
        List<List<Object>> cells = cells(play, rows);
        List<List<Object>> values = cells.subList(1, cells.size());
        List<Series> series = IntStream.range(1, cells.get(0).size())
                .mapToObj(i -> Chart.values(
                        Values.text(cells.get(0).get(i)),
                        values.stream().map(row -> Values.number(row.get(i))).toList()))
                .toList();
        return Chart.bars(
                title,
                unit,
                abscissa,
                values.stream().map(row -> Values.text(row.get(0))).toList(),
                series);
    }

    /** Each row is a series, with its name, a list of x and a list of y; or a list of series. */
    private static Chart lines(String title, String unit, String abscissa, Play play, List<List<Expression>> rows) {
        List<Series> series = new ArrayList<>();
        for (List<Expression> row : rows) {
            if (row.size() == 1) {
                Values.list(row.get(0).in(play)).forEach(each -> series.add((Series) each));
            } else {
                series.add(new Series(
                        row.get(0).text(play),
                        numbers(row.get(1).in(play)),
                        numbers(row.get(2).in(play))));
            }
        }
        return Chart.lines(title, unit, abscissa, series);
    }

    private static List<Double> numbers(Object list) {
        return Values.list(list).stream().map(Values::number).toList();
    }

    /**
     * {@code strip TEXT by TEXT}: who held which keys, {@code | NAME | {WATCH} | {KEYS} | {REQUESTED}}, as a picture and as a table. The keys give
     * the scale, and may be left out; what was requested, in this order, is a dot each. Below it, values over the same time are drawn as lines,
     * {@code | UNIT | {SERIES}}.
     */
    private static Step strip(Expression title, Words words, Expressions expressions, List<List<Expression>> rows) {
        words.expect("by");
        Expression abscissa = expressions.read();
        Expression marks = words.take("marked") ? expressions.read() : play -> List.of();
        return play -> {
            String text = Values.text(title.in(play));
            long count = rows.stream()
                    .filter(row -> row.get(1).in(play) instanceof List<?>)
                    .count();
            int height = rows.size() - count > 1 ? LOW : HIGH;
            List<Strip> strips = new ArrayList<>();
            for (List<Expression> row : rows) {
                String name = row.get(0).text(play);
                Object value = row.get(1).in(play);
                strips.add(
                        value instanceof List<?> series
                                ? new Plot(
                                        Kind.LINES,
                                        name,
                                        LOW,
                                        series.stream().map(Series.class::cast).toList(),
                                        false)
                                : keySpace(name, value, play, row).high(height));
            }
            Chart chart = Chart.of(text, Values.text(abscissa.in(play)), strips)
                    .marked(Values.list(marks.in(play)).stream()
                            .map(Mark.class::cast)
                            .toList());
            play.run().draw(chart);
            for (KeySpace keys : chart.keySpaces()) {
                play.run()
                        .table(
                                chart.keySpaces().size() == 1 ? text : text + ": " + keys.unit(),
                                keys.heads(),
                                keys.rows());
            }
        };
    }

    private static KeySpace keySpace(String name, Object value, Play play, List<Expression> row) {
        List<String> keys = row.size() > 2 ? keys(row.get(2).in(play)) : List.of();
        List<String> requested = row.size() > 3 ? keys(row.get(3).in(play)) : List.of();
        KeySpace seen = value instanceof KeySpace own
                ? own
                : requested.isEmpty()
                        ? ((RangeWatch) value).keySpace(name)
                        : ((RangeWatch) value).latestKeySpace(name, requested.size());
        KeySpace scaled = keys.isEmpty() ? seen : seen.toScale(keys);
        return requested.isEmpty()
                ? scaled
                : scaled.dotted(IntStream.range(0, requested.size())
                        .mapToObj(i -> new KeySpace.Request(i + 1, requested.get(i)))
                        .toList());
    }

    /** An empty cell has none. */
    private static List<String> keys(Object cell) {
        return cell.equals("")
                ? List.of()
                : Values.list(cell).stream().map(Values::text).toList();
    }

    /** {@code compare TEXT}: ways to the same end, {@code | WAY | {RESULT}}, as a table of their costs. */
    private static Step compare(Expression title, List<List<Expression>> rows) {
        return play -> {
            String caption = Values.text(title.in(play));
            List<String> ways =
                    rows.stream().map(row -> Values.text(row.get(0).in(play))).toList();
            List<Cost> costs = rows.stream()
                    .map(row -> ((Result) row.get(1).in(play)).cost())
                    .toList();
            List<List<String>> cells = new ArrayList<>();
            for (int i = 0; i < ways.size(); i++) {
                cells.add(Stream.concat(
                                Stream.of(ways.get(i)),
                                figures(costs.get(i)).stream().map(n -> Values.text(n, ",")))
                        .toList());
            }
            List<String> heads = List.of("", "round trips", "entities examined", "returned", "bytes received");
            play.run().table(caption, heads, cells);
        };
    }

    private static List<Long> figures(Cost cost) {
        return List.of(cost.roundTrips(), cost.examined(), cost.returned(), cost.received());
    }
}
