export default {
  // To an ArrayBuffer, as k6 does if it is not told otherwise.
  b64decode: (text) => Uint8Array.from(Buffer.from(text, "base64")).buffer,
};
