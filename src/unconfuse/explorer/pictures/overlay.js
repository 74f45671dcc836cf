// One curve of all models, the chosen one on top with its band.

import {Chart, heightAt} from '../chart.js';
import {CLASSES} from '../classes.js';
import {html} from '../elements.js';
import {decision, MODELS, stopNear} from '../models.js';
import {change, state} from '../state.js';
import {fixed, numbers, percentRange, percentText} from '../text.js';
import {perModel} from './per_model.js';

/** @import {CurvePart, Interval, Limits, Model, Picture} from '../types' */

/**
 * What a curve of scores looks like. `point` gives the place of a stop, and what to say about it; `say` the read-out
 * at a place along the horizontal axis, from the curve's height there and the text of its band.
 * @typedef {object} Overlay
 * @property {string} label
 * @property {string} x
 * @property {string} y
 * @property {number} [xHigh]
 * @property {number} [yLow]
 * @property {number} [yHigh]
 * @property {string[]} baselines
 * @property {(model: Model) => number} [level] a baseline that is the same everywhere
 * @property {(model: Model, stop: number) => [number, number, string]} [point]
 * @property {(model: Model, stop: number) => {across: Interval, up: Interval, words: string}} [around]
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
    if (line) plot.line(numbers(line.x), numbers(line.y), 'baseline', line.words || name);
  }
}

/** @param {Chart} plot @param {Drawn} mine */
function drawOwnBand(plot, {model, band}) {
  if (band) plot.band(band.x, band.low, band.high, model.colour, model.title);
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
function overlayOf(name, chosen, drawn, how) {
  const {label, x, y, xHigh = 1, yLow = 0, yHigh = 1, baselines, level, point, around, say} = how;
  const horizontal = {low: 0, high: xHigh, label: x};
  const plot = new Chart(`${label} of ${chosen.title}`, horizontal, {low: yLow, high: yHigh, label: y});
  const mine = drawn.find(each => each.model === chosen);
  const others = CLASSES ? [] : drawn.filter(each => each !== mine);
  if (mine) drawBaselines(plot, chosen.curves[name], baselines);
  if (level) plot.line([0, xHigh], [level(chosen), level(chosen)], 'baseline', 'share of positives');
  if (mine) drawOwnBand(plot, mine);
  for (const other of others) plot.line(other.x, other.y, `other ${other.model.colour}`, other.model.title);
  if (mine) plot.line(mine.x, mine.y, chosen.colour, chosen.title);
  const bounds = plot.interval(chosen.colour);
  const dot = plot.point(chosen.colour);
  if (point && chosen.scored) {
    const place = (/** @type {number} */ stop) => point(chosen, stop).slice(0, 2).map(Number);
    plot.pick((left, height) => change({stop: stopNear(chosen, place, left, height)}));
  }
  if (say && mine) plot.hover(at => say(at, heightAt(mine.x, mine.y, at), bandText(mine.band, at)));
  const follow = () => {
    if (!point) return;
    const [across, up, words] = point(chosen, state.stop);
    dot(across, up);
    plot.describe(words);
    if (!around) return;
    const found = around(chosen, state.stop);
    bounds(found.across, found.up, found.words);
  };
  return {node: html('div', null, plot.wrap, legend(drawn.map(each => each.model))), follow};
}

/** @param {string} name of the curve @param {Overlay} how */
export function overlay(name, how) {
  const known = MODELS.filter(each => each.curves[name]);
  const drawn = known.map(each => drawnCurve(each, each.curves[name]));
  return perModel(chosen => overlayOf(name, chosen, drawn, how));
}

/** What the shade of a curve means. @param {string} name of the curve */
export function bandWords(name) {
  const kind = MODELS.map(each => each.curves[name]?.band?.kind).find(Boolean);
  if (!kind) return '';
  return kind === 'simultaneous'
    ? ' The whole true curve plausibly runs within the shade.'
    : ' The shade is the interval at each point, taken alone.';
}

/**
 * Beside a dot: a metric at a stop, with its interval.
 * @param {Model} model @param {string} name @param {number} stop
 */
export function intervalAt(model, name, stop) {
  const {value, low, high} = decision(model, name, stop);
  return {value, low, high};
}

/** @param {string} words @param {Interval} found */
export function besideText(words, {value, low, high}) {
  if (Number.isNaN(value)) return '';
  const limits = Number.isNaN(low) ? '' : ` (${fixed(100 * low, 0)} to ${fixed(100 * high, 0)})`;
  return `${words} ${percentText(value)}${limits}`;
}
