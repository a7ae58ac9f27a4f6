package cleave.board.http;

import cleave.board.frame.FrameWriter;
import cleave.board.history.View;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Answers as JSON. Pure. */
final class Answers {
    private Answers() {}

    static byte[] about(Content.About about, @Nullable Acting acting) {
        return FrameWriter.object(json -> {
            json.writeStringField("cluster", about.cluster());
            json.writeStringField("title", about.title());
            json.writeBooleanField("live", about.live());
            json.writeBooleanField("hashed", about.hashed());
            json.writeArrayFieldStart("recorded");
            json.writeNumber(about.from());
            json.writeNumber(about.to());
            json.writeEndArray();
            json.writeStringField("version", about.version());
            json.writeNumberField("n", about.n());
            json.writeBooleanField("admin", acting != null);
            json.writeBooleanField("play", acting != null && acting.play() != null);
        });
    }

    static byte[] view(View view) {
        return FrameWriter.object(json -> {
            json.writeNumberField("n", view.n());
            FrameWriter.objects(json, "tables", view.tables(), table -> {
                json.writeNumberField("id", table.id());
                json.writeStringField("name", table.name());
                json.writeStringField("state", table.state());
            });
            FrameWriter.writeCuts(json, view.cuts());
            json.writeNumberField("rows", view.cuts().size() + 1);
            json.writeArrayFieldStart("times");
            for (View.Column column : view.columns()) {
                json.writeNumber(column.t());
            }
            json.writeEndArray();
            json.writeArrayFieldStart("spans");
            for (View.Column column : view.columns()) {
                json.writeNumber(column.span());
            }
            json.writeEndArray();
            json.writeArrayFieldStart("values");
            for (View.Column column : view.columns()) {
                write(json, column, view.cuts().size() + 1);
            }
            json.writeEndArray();
            if (!view.heights().isEmpty()) {
                json.writeArrayFieldStart("heights");
                for (double height : view.heights()) {
                    json.writeNumber(height);
                }
                json.writeEndArray();
            }
        });
    }

    private static void write(JsonGenerator json, View.Column column, int rows) throws IOException {
        double[] values = column.values();
        json.writeStartArray();
        for (int row = 0; row < rows; row++) {
            if (values == null) {
                json.writeNull();
            } else {
                json.writeNumber(Math.round(values[row]));
            }
        }
        json.writeEndArray();
    }
}
