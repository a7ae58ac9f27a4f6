// k6 waits for each answer, and Node does not: requests are sent by another thread, while this one sleeps.
import { MessageChannel, Worker, receiveMessageOnPort } from "node:worker_threads";

const PATIENCE_MILLIS = 60_000;
const answered = new Int32Array(new SharedArrayBuffer(4));
const { port1: sender, port2 } = new MessageChannel();
new Worker(new URL("./sender.js", import.meta.url), { workerData: { port: port2, answered }, transferList: [port2] }).unref();

export default {
  request: (method, url, body, { headers }) => {
    Atomics.store(answered, 0, 0);
    sender.postMessage({ method, url, body, headers });
    if (Atomics.wait(answered, 0, 0, PATIENCE_MILLIS) === "timed-out") {
      throw new Error(`no answer to ${method} ${url}`);
    }
    const { failure, status, text } = receiveMessageOnPort(sender).message;
    if (failure) {
      throw new Error(failure);
    }
    return { status, body: text };
  },
};
