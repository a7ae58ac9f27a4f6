package cleave.dfs.bookkeeper;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** The nodes of a real ZooKeeper. Thread-safe. */
record ZooKeeperNodes(ZooKeeper zooKeeper) implements Nodes {
    @Override
    public long session() {
        return zooKeeper.getSessionId();
    }

    @Override
    public CompletableFuture<Optional<Node>> get(String node) {
        CompletableFuture<Optional<Node>> answer = new CompletableFuture<>();
        zooKeeper.getData(
                node,
                false,
                (code, path, context, data, stat) -> {
                    boolean isMissing = code == Code.NONODE.intValue();
                    complete(
                            answer,
                            isMissing ? 0 : code,
                            isMissing ? Optional.empty() : Optional.of(new Node(data, stat)));
                },
                null);
        return answer;
    }

    @Override
    public CompletableFuture<Stat> set(String node, byte[] data, int version) {
        CompletableFuture<Stat> answer = new CompletableFuture<>();
        zooKeeper.setData(node, data, version, (code, path, context, stat) -> complete(answer, code, stat), null);
        return answer;
    }

    @Override
    public CompletableFuture<Void> change(List<Op> operations) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        zooKeeper.multi(
                operations,
                (code, path, context, results) -> {
                    if (code == 0) {
                        answer.complete(null);
                    } else {
                        answer.completeExceptionally(new Refused(Code.get(code), failed(results)));
                    }
                },
                null);
        return answer;
    }

    /** The index of the operation of a transaction that failed. */
    private static int failed(@Nullable List<OpResult> results) {
        int first = 0;
        while (results != null
                && first < results.size() - 1
                && results.get(first) instanceof ErrorResult error
                && error.getErr() == Code.OK.intValue()) {
            first++;
        }
        return first;
    }

    @Override
    public CompletableFuture<List<String>> children(String node) {
        CompletableFuture<List<String>> answer = new CompletableFuture<>();
        zooKeeper.getChildren(
                node,
                false,
                (int code, String path, Object context, List<String> children) -> {
                    boolean isMissing = code == Code.NONODE.intValue();
                    complete(answer, isMissing ? 0 : code, isMissing ? List.of() : children);
                },
                null);
        return answer;
    }

    private static <T> void complete(CompletableFuture<T> answer, int code, T value) {
        if (code == 0) {
            answer.complete(value);
        } else {
            answer.completeExceptionally(new Refused(Code.get(code), 0));
        }
    }
}
