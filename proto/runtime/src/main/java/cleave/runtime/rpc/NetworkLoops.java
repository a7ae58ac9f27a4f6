package cleave.runtime.rpc;

import cleave.model.Invariant;
import cleave.model.Ticks;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Threads that read and write connections, and run the {@linkplain cleave.runtime.loop.EventLoop event loops} of a core as well. Messages
 * from a connection to the core and back then wake no other thread, and all that one turn of the loop sends leaves in one write.
 * Thread-safe. Native epoll where it is available.
 *
 * <p>An event that blocks keeps the connections of its thread waiting, too.
 */
public final class NetworkLoops implements AutoCloseable {
    /**
     * The default number of threads in a process: a machine runs several processes, and each thread that may be awake costs all of them.
     */
    public static final int COUNT = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    private static final long CLOSE_MILLIS_MAX = 1_000;

    private final EventLoopGroup group;
    private final boolean isOwn;
    private final boolean isNative;

    private NetworkLoops(EventLoopGroup group, boolean isOwn, boolean isNative) {
        this.group = group;
        this.isOwn = isOwn;
        this.isNative = isNative;
    }

    /**
     * Starts dedicated threads.
     *
     * @param name the threads are called by it and a number
     * @param count how many there are
     */
    public static NetworkLoops start(String name, int count) {
        boolean isNative = Epoll.isAvailable();
        IoHandlerFactory io = isNative ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new NetworkLoops(
                new MultiThreadIoEventLoopGroup(count, new DefaultThreadFactory(name, true), io), true, isNative);
    }

    /** The thread that serves another library's connections; ended by that library. */
    public static NetworkLoops of(io.netty.channel.EventLoop loop) {
        boolean isNative = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
        return new NetworkLoops(loop, false, isNative);
    }

    /** One loop on each thread; a new one at each call. The fault handler is called with everything that an event throws. */
    public List<cleave.runtime.loop.EventLoop> loops(Consumer<Throwable> faultHandler) {
        List<cleave.runtime.loop.EventLoop> loops = new ArrayList<>();
        for (EventExecutor thread : group) {
            loops.add(new Loop(thread, faultHandler));
        }
        return loops;
    }

    EventLoopGroup group() {
        return group;
    }

    Class<? extends Channel> channelType() {
        return isNative ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    Class<? extends ServerChannel> serverChannelType() {
        return isNative ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** Ends the threads, if they are its own. Later events are dropped. */
    @Override
    public void close() {
        if (isOwn) {
            group.shutdownGracefully(0, CLOSE_MILLIS_MAX, TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(2 * CLOSE_MILLIS_MAX);
        }
    }

    /** An event loop on one of the threads. */
    private record Loop(EventExecutor thread, Consumer<Throwable> faultHandler)
            implements cleave.runtime.loop.EventLoop {
        @Override
        public void submit(Runnable event) {
            try {
                thread.execute(() -> run(event));
            } catch (RejectedExecutionException ended) {
                // Events that come after the loop's end are dropped.
            }
        }

        @Override
        public Timer schedule(long delayNanos, Runnable event) {
            try {
                Future<?> scheduled = thread.schedule(() -> run(event), delayNanos, TimeUnit.NANOSECONDS);
                return () -> scheduled.cancel(false);
            } catch (RejectedExecutionException ended) {
                return () -> {};
            }
        }

        private void run(Runnable event) {
            try {
                event.run();
            } catch (Throwable fault) { // A bug by definition: expected failures are values.
                faultHandler.accept(fault);
            }
        }

        @Override
        public void assertInside() {
            Invariant.check(thread.inEventLoop(), "called outside of its loop, on %s", Thread.currentThread());
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long ticks() {
            return Ticks.of(Instant.now());
        }
    }
}
