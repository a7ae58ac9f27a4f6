package cleave.board.sight;

import cleave.board.frame.Parties.DfsPart;
import cleave.board.frame.Parties.FrontEnd;
import cleave.board.scrape.Figures;
import cleave.board.scrape.Scrape;
import cleave.board.scrape.Scrape.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the metrics of processes show, from one scrape to the next. Confined to its owner. */
final class Scraped {
    private final Map<String, Scrape> last = new TreeMap<>();
    private final Map<String, FrontEnd> frontEnds = new TreeMap<>();
    private final Map<String, DfsPart> dfs = new TreeMap<>();
    private final Map<String, Long> stalled = new TreeMap<>();

    /** The newest scrapes; one that was seen before changes nothing, and a process that is not among them is forgotten. */
    void see(List<Scrape> scrapes) {
        Map<String, Scrape> now = new TreeMap<>();
        for (Scrape scrape : scrapes) {
            String key = scrape.target().kind() + " " + scrape.target().admin();
            Scrape before = last.get(key);
            now.put(key, scrape);
            if (before == null || before.t() != scrape.t()) {
                switch (scrape.target().kind()) {
                    case FRONT_END -> frontEnds.put(key, Figures.frontEnd(before, scrape));
                    case DFS, BOOKIE -> dfs.put(key, Figures.dfs(before, scrape));
                    case SERVER -> stalled.put(key, Figures.stalledStores(scrape));
                }
            }
        }
        last.clear();
        last.putAll(now);
        frontEnds.keySet().retainAll(now.keySet());
        dfs.keySet().retainAll(now.keySet());
        stalled.keySet().retainAll(now.keySet());
    }

    List<FrontEnd> frontEnds() {
        List<FrontEnd> all = new ArrayList<>(frontEnds.values());
        all.sort(Comparator.comparing(FrontEnd::id));
        return all;
    }

    List<DfsPart> dfs() {
        List<DfsPart> all = new ArrayList<>(dfs.values());
        all.sort(Comparator.comparing(DfsPart::id));
        return all;
    }

    /** Servers with stores that take no writes, by id, and how many such stores each has. */
    Map<String, Long> stalled() {
        Map<String, Long> servers = new TreeMap<>();
        last.forEach((key, scrape) -> {
            long stores = stalled.getOrDefault(key, 0L);
            if (scrape.target().kind() == Kind.SERVER && stores > 0) {
                servers.put(scrape.target().id(), stores);
            }
        });
        return servers;
    }
}
