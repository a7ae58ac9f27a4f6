import http from "node:http";
import { workerData } from "node:worker_threads";

const { port, answered } = workerData;

const answer = (message) => {
  port.postMessage(message);
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
};

port.on("message", ({ method, url, body, headers }) => {
  const [, host, target] = /^http:\/\/([^/]+)(\/.*)$/.exec(url);
  const [hostname, tcpPort] = host.split(":");
  // The target as the script wrote it: Node would encode a URL anew.
  const request = http.request({ method, hostname, port: tcpPort, path: target, headers }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (part) => (text += part));
    response.on("end", () => answer({ status: response.statusCode, text }));
  });
  request.on("error", (failure) => answer({ failure: String(failure) }));
  request.end(body ?? undefined);
});
