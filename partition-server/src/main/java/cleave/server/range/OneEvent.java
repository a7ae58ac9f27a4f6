package cleave.server.range;

import cleave.runtime.loop.EventLoop;

/** An event of a loop that is submitted or scheduled once, however often it is asked for before it runs. Confined to the loop. */
final class OneEvent implements Runnable {
    private final EventLoop loop;
    private final Runnable event;
    private boolean isComing;

    OneEvent(EventLoop loop, Runnable event) {
        this.loop = loop;
        this.event = event;
    }

    /** Runs it behind the events that have arrived meanwhile. */
    void soon() {
        loop.assertInside();
        if (!isComing) {
            isComing = true;
            loop.submit(this);
        }
    }

    void after(long nanos) {
        loop.assertInside();
        if (!isComing) {
            isComing = true;
            loop.schedule(nanos, this);
        }
    }

    @Override
    public void run() {
        isComing = false;
        event.run();
    }
}
