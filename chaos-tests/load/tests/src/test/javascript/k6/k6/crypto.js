import { createHmac } from "node:crypto";

const bytes = (given) => (typeof given === "string" ? given : Buffer.from(given));

export default {
  hmac: (algorithm, secret, data, outputEncoding) =>
    createHmac(algorithm, bytes(secret)).update(bytes(data)).digest(outputEncoding),
};
