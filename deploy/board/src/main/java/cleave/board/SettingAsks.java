package cleave.board;

import cleave.board.Source.Unheard;
import cleave.board.frame.FrameWriter;
import cleave.board.http.Unusable;
import cleave.wire.Setting;
import cleave.wire.SettingMeaning;
import cleave.wire.SettingsReply;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Questions about the settings of the balancer, and changes of them. All questions that come while one is under way share its answer. Thread-safe. */
final class SettingAsks implements AutoCloseable {
    private static final int WAITING_MAX = 16;
    private static final int IN_THE_WAY = 409;

    private final Source source;
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), task -> {
                Thread made = new Thread(task, "board settings");
                made.setDaemon(true);
                return made;
            });
    private @Nullable CompletableFuture<byte[]> asked;

    SettingAsks(Source source) {
        this.source = source;
        thread.allowCoreThreadTimeOut(true);
    }

    private interface Call {
        SettingsReply ask() throws Unheard;
    }

    /** All settings as a JSON object; Unusable if no leader answers. */
    synchronized CompletableFuture<byte[]> all() {
        CompletableFuture<byte[]> underWay = asked;
        if (underWay == null || underWay.isDone()) {
            underWay = answered(source::settings, 503);
            asked = underWay;
        }
        return underWay;
    }

    /** The same after a change; Unusable in the words of the masters if they refuse it. */
    CompletableFuture<byte[]> change(Map<String, String> changes) {
        return answered(() -> source.change(changes), IN_THE_WAY);
    }

    private CompletableFuture<byte[]> answered(Call call, int failed) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    answer.complete(json(call.ask()));
                } catch (Unheard refused) {
                    answer.completeExceptionally(new Unusable(failed, String.valueOf(refused.getMessage())));
                } catch (RuntimeException bug) {
                    answer.completeExceptionally(bug);
                }
            });
        } catch (RejectedExecutionException full) {
            answer.completeExceptionally(new Unusable(503, "too many requests wait; ask again"));
        }
        return answer;
    }

    private static byte[] json(SettingsReply reply) {
        Map<String, SettingMeaning> meanings =
                reply.getMeaningsList().stream().collect(Collectors.toMap(SettingMeaning::getName, each -> each));
        return FrameWriter.object(json -> FrameWriter.objects(
                json,
                "settings",
                reply.getSettingsList(),
                each -> write(json, each, meanings.getOrDefault(each.getName(), SettingMeaning.getDefaultInstance()))));
    }

    private static void write(JsonGenerator json, Setting setting, SettingMeaning meaning) throws IOException {
        json.writeStringField("name", setting.getName());
        json.writeStringField("value", setting.getValue());
        json.writeStringField("standard", meaning.getStandard());
        json.writeStringField("text", meaning.getText());
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
