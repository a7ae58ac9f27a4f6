/** Lines over time, drawn by uPlot, which index.html loads as a script of its own: it has no minified module. */
import { clock } from './text.js';

const HEIGHT = 110;

export class Chart {
  /** `axis` writes a value at the left; `left` and `right` are the margins that line it up with what is below. */
  constructor(place, theme) {
    this.place = place;
    this.theme = theme;
    this.plot = null;
    this.shape = '';
  }

  /** Times in milliseconds; series: label, colour, values. Another shape than before makes a new chart. */
  show(times, series, { axis, left = 60, right = 12, from, to, height = HEIGHT, legend = false }) {
    const width = this.place.clientWidth;
    const shape = JSON.stringify([width, left, right, height, legend, series.map((each) => [each.label, each.colour])]);
    const data = [times.map((t) => t / 1000), ...series.map((each) => each.values)];
    this.range = [from / 1000, to / 1000];
    if (shape !== this.shape) {
      this.shape = shape;
      this.plot?.destroy();
      this.plot = new window.uPlot(this.options(width, height, series, { axis, left, right, legend }), data, this.place);
    } else {
      this.plot.setData(data);
    }
  }

  /** Draws all anew, in the colours of now. */
  forget() {
    this.shape = '';
  }

  options(width, height, series, { axis, left, right, legend }) {
    const stroke = this.theme('--dim');
    const grid = { stroke: this.theme('--line'), width: 1 };
    const font = `${Math.round(0.78 * parseFloat(getComputedStyle(document.documentElement).fontSize))}px system-ui, sans-serif`;
    return {
      width, height, padding: [8, right, legend ? 0 : 8, 0], legend: { show: legend, live: false }, cursor: { drag: { x: false, y: false } },
      scales: { x: { time: true, range: () => this.range }, y: { range: (u, min, max) => [0, Math.max(1, max * 1.1)] } },
      axes: [
        { stroke, font, grid: { show: false }, ticks: grid, size: legend ? 30 : 0, show: legend, values: (u, splits) => splits.map((s) => clock(s * 1000)), space: 90 },
        { stroke, font, grid, ticks: grid, size: left, values: (u, splits) => splits.map(axis), space: 20 },
      ],
      series: [{}, ...series.map((each) => ({ label: each.label, stroke: each.colour, width: 1.5, points: { show: false }, spanGaps: false }))],
    };
  }
}
