// One curve of all models, the chosen one on top with its band.

import {Chart, heightAt} from '../chart.js';
import {CLASSES} from '../classes.js';
import {html} from '../elements.js';
import {MODELS} from '../models.js';
import {state} from '../state.js';
import {numbers, percentRange} from '../text.js';
import {perModel} from './per_model.js';

/** @import {CurvePart, Limits, Model, Picture} from '../types' */

/**
 * What a curve of scores looks like. `point` gives the place of a stop, and what to say about it; `say` the read-out
 * at a place along the horizontal axis, from the curve's height there and the text of its band.
 * @typedef {object} Overlay
 * @property {string} label
 * @property {string} x
 * @property {string} y
 * @property {number} [yLow]
 * @property {number} [yHigh]
 * @property {string[]} baselines
 * @property {(model: Model, stop: number) => [number, number, string]} [point]
 * @property {(x: number, y: number, band: string) => string} [say]
 */

/** @typedef {{model: Model, x: number[], y: number[], band: ({x: number[]} & Limits) | undefined}} Drawn */

/** @param {Model} model @param {CurvePart} curve @returns {Drawn} */
function drawnCurve(model, curve) {
  const {x, y, band} = curve;
  const read = band && {x: numbers(band.x), low: numbers(band.low), high: numbers(band.high)};
  return {model, x: numbers(x), y: numbers(y), band: read};
}

/** @param {Drawn['band']} band @param {number} x */
function bandText(band, x) {
  return band ? ` (${percentRange(heightAt(band.x, band.low, x), heightAt(band.x, band.high, x))})` : '';
}

/** @param {Chart} plot @param {CurvePart} curve @param {string[]} names */
function drawBaselines(plot, curve, names) {
  for (const name of names) {
    const line = curve.baselines?.[name];
    if (line) plot.line(numbers(line.x), numbers(line.y), 'baseline');
  }
}

/** @param {Chart} plot @param {Drawn} mine */
function drawOwnBand(plot, {model, band}) {
  if (band) plot.band(band.x, band.low, band.high, model.colour);
}

/** @param {Model[]} models */
function legend(models) {
  if (CLASSES || models.length < 2) return null;
  const items = models.map(({colour, title}) => html('li', null, html('span', {class: `swatch ${colour}`}), title));
  return html('ul', {class: 'legend'}, items);
}

/**
 * @param {string} name of the curve @param {Model} chosen @param {Drawn[]} drawn @param {Overlay} how
 * @returns {Picture}
 */
function overlayOf(name, chosen, drawn, {label, x, y, yLow = 0, yHigh = 1, baselines, point, say}) {
  const horizontal = {low: 0, high: 1, label: x};
  const plot = new Chart(`${label} of ${chosen.title}`, horizontal, {low: yLow, high: yHigh, label: y});
  const mine = drawn.find(each => each.model === chosen);
  const others = CLASSES ? [] : drawn.filter(each => each !== mine);
  if (mine) drawBaselines(plot, chosen.curves[name], baselines);
  if (mine) drawOwnBand(plot, mine);
  for (const other of others) plot.line(other.x, other.y, `other ${other.model.colour}`);
  if (mine) plot.line(mine.x, mine.y, chosen.colour);
  const dot = plot.point(chosen.colour);
  if (say && mine) plot.hover(at => say(at, heightAt(mine.x, mine.y, at), bandText(mine.band, at)));
  const follow = () => {
    if (!point) return;
    const [across, up, words] = point(chosen, state.stop);
    dot(across, up);
    plot.describe(words);
  };
  return {node: html('div', null, plot.wrap, legend(drawn.map(each => each.model))), follow};
}

/** @param {string} name of the curve @param {Overlay} how */
export function overlay(name, how) {
  const known = MODELS.filter(each => each.curves[name]);
  const drawn = known.map(each => drawnCurve(each, each.curves[name]));
  return perModel(chosen => overlayOf(name, chosen, drawn, how));
}
