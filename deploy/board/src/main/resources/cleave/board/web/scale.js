/** The measures of a map, and the colours of their values: fixed, so that a colour means the same in every picture. Pure. */
import { bytes, integer, micros, short } from './text.js';

/**
 * Viridis, 256 colours from dark to bright, by Nathaniel Smith and Stéfan van der Walt for Matplotlib, which have dedicated it to the
 * public domain (CC0 1.0). Its order stays visible without colours and to people who do not see some of them.
 */
const VIRIDIS =
  '44015444025645045745055946075a46085c460a5d460b5e470d60470e6147106347116447136548146748166848176948186a481a6c481b6d481c6e' +
  '481d6f481f70482071482173482374482475482576482677482878482979472a7a472c7a472d7b472e7c472f7d46307e46327e46337f463480453581' +
  '453781453882443983443a83443b84433d84433e85423f854240864241864142874144874045884046883f47883f48893e49893e4a893e4c8a3d4d8a' +
  '3d4e8a3c4f8a3c508b3b518b3b528b3a538b3a548c39558c39568c38588c38598c375a8c375b8d365c8d365d8d355e8d355f8d34608d34618d33628d' +
  '33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f6c8e2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e2c728e2c738e2b748e2b758e' +
  '2a768e2a778e2a788e29798e297a8e297b8e287c8e287d8e277e8e277f8e27808e26818e26828e26828e25838e25848e25858e24868e24878e23888e' +
  '23898e238a8d228b8d228c8d228d8d218e8d218f8d21908d21918c20928c20928c20938c1f948c1f958b1f968b1f978b1f988b1f998a1f9a8a1e9b8a' +
  '1e9c891e9d891f9e891f9f881fa0881fa1881fa1871fa28720a38620a48621a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad81' +
  '28ae8029af7f2ab07f2cb17e2db27d2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc743fbc7340bd7242be7144bf70' +
  '46c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc8635ec96260ca6063cb5f65cb5e67cc5c69cd5b6ccd5a6ece58' +
  '70cf5773d05675d05477d1537ad1517cd2507fd34e81d34d84d44b86d54989d5488bd6468ed64590d74393d74195d84098d83e9bd93c9dd93ba0da39' +
  'a2da37a5db36a8db34aadc32addc30b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5e021c8e020cae11fcde11dd0e11cd2e21bd5e21a' +
  'd8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4e61ef6e620f8e621fbe723fde725';
const COLOURS = 256;

/**
 * What a cell can show. `low` and `high` end the scale; `adds` is true of what is divided among the rows of a bucket, false of a mean, which
 * holds for each of them.
 */
export const MEASURES = {
  entities: { label: 'Entities', unit: 'entities/s', low: 1, high: 10000, adds: true, exact: (v) => `${integer(v)} entities/s`, tick: short },
  written: { label: 'Written', unit: 'entities/s', low: 1, high: 10000, adds: true, exact: (v) => `${integer(v)} entities/s`, tick: short },
  read: { label: 'Read', unit: 'entities/s', low: 1, high: 10000, adds: true, exact: (v) => `${integer(v)} entities/s`, tick: short },
  scanned: { label: 'Scanned', unit: 'entities/s', low: 1, high: 10000, adds: true, exact: (v) => `${integer(v)} entities/s`, tick: short },
  bytes: { label: 'Bytes', unit: 'bytes stored', low: 1024, high: 1024 ** 4, adds: true, exact: (v) => `${integer(v)} bytes`, tick: bytes, base: 1024 },
  cpu: { label: 'CPU', unit: 'cores', low: 1, high: 1000, adds: true, exact: (v) => `${(v / 1000).toFixed(3)} cores`, tick: (v) => String(v / 1000) },
  queue: { label: 'Queue', unit: 'mean wait before execution', low: 10, high: 1e7, adds: false, exact: micros, tick: micros },
};

/** How the rows of a map are cut; only `width` is to scale. */
export const ROWS = { 'equal-load': 'equal load', 'equal-partitions': 'equal partitions', width: 'true width' };

/** Index of a value's colour: 0 for nothing at all, 1 to 255 on the logarithmic scale, -1 for what is not known. */
export function colourIndex(measure, value) {
  return value === null ? -1 : colouring(measure)(value);
}

/** The same as a function of numbers alone, for loops. */
export function colouring(measure) {
  const { low, high } = MEASURES[measure];
  const factor = (COLOURS - 2) / Math.log(high / low);
  const base = Math.log(low);
  return (value) => {
    if (!(value >= 0)) {
      return -1;
    }
    return value === 0 ? 0 : 1 + Math.round(Math.min(COLOURS - 2, Math.max(0, (Math.log(value) - base) * factor)));
  };
}

/** Red, green and blue of an index. */
export function colour(index) {
  return [0, 2, 4].map((at) => parseInt(VIRIDIS.substr(6 * index + at, 2), 16));
}

/** The colours as the pixels of an ImageData on a little-endian machine, which all that run browsers are. */
export function pixels() {
  const table = new Uint32Array(COLOURS);
  for (let i = 0; i < COLOURS; i++) {
    const [red, green, blue] = colour(i);
    table[i] = (255 << 24) | (blue << 16) | (green << 8) | red;
  }
  return table;
}

/** Values to name beside the scale, with their place from 0 to 1; the last one stands for all above it, too. */
export function ticks(measure) {
  const { low, high, tick, base = 10 } = MEASURES[measure];
  const found = [];
  for (let value = low; value <= high * 1.0001; value *= base) {
    found.push({ value, text: value * base > high * 1.0001 ? `≥ ${tick(value)}` : tick(value), at: Math.log(value / low) / Math.log(high / low) });
  }
  return found;
}
