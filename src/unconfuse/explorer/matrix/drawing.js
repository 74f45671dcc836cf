// The matrix on a canvas: cells shaded by what they hold, names of classes along two sides.

import {theClasses} from '../classes.js';
import {colourText, luminance, mixed, styleColour} from './colours.js';
import {cellText} from './words.js';

/** @import {Classes, Shown} from '../types' */

/** With more classes than this, cells are too small for numbers. */
export const MOST_WITH_NUMBERS = 12;
const WIDEST = 940;
/** Characters beyond which names give up the beginning that they share. */
const LONG_CLASS = 18;
const FONT = '12px system-ui, sans-serif';
const BOLD_FONT = '600 12.5px system-ui, sans-serif';
const SMALL_FONT = '11px system-ui, sans-serif';

/**
 * Where things are, in pixels.
 * @typedef {object} Shape
 * @property {number} left
 * @property {number} top
 * @property {number} cell the side of one
 * @property {boolean} flat whether the names of columns lie
 * @property {number} width
 * @property {number} height
 * @property {number} step every which name is written
 */

/** @param {CanvasRenderingContext2D} pen @param {number} room in pixels @returns {Shape} */
function measured(pen, room) {
  const {size} = theClasses();
  const names = shownNames();
  const most = Math.min(room || 320, WIDEST);
  const widest = Math.max(...names.slice(0, 400).map(name => pen.measureText(name.slice(0, 60)).width));
  const left = Math.ceil(Math.min(widest + 10, most * 0.26, 170));
  const cell = Math.min((most - left - 1) / size, size <= 4 ? 92 : 64);
  const flat = widest + 8 <= cell || (size <= 6 && cell >= 54);
  const top = flat ? 40 : Math.ceil(Math.min(widest + 12, 130));
  const side = cell * size + 1;
  return {left, top, cell, flat, width: left + side, height: top + side, step: Math.ceil(12 / cell)};
}

/**
 * The beginning and the end, for names that begin alike differ at their end.
 * @param {CanvasRenderingContext2D} pen @param {string} text @param {number} room in pixels
 */
function shortened(pen, text, room) {
  const fits = (/** @type {string} */ words) => pen.measureText(words).width <= room;
  if (fits(text)) return text;
  const signs = [...text];
  let kept = Math.min(signs.length - 1, 60);
  const cut = () =>
    signs.slice(0, kept >> 1).join('') + '…' + signs.slice(signs.length - (kept - (kept >> 1))).join('');
  while (kept > 1 && !fits(cut())) kept--;
  return cut();
}

/** Right answers and confusions are shaded on scales of their own. @param {Classes} classes @param {Shown} shown */
function shading({entries, value}, shown) {
  const [right, wrong, panel] = ['one', 'bad', 'panel'].map(styleColour);
  let [best, most] = [0, 0];
  for (const [i, j, count] of entries) {
    if (i === j) best = Math.max(best, value(shown, i, j, count));
    else most = Math.max(most, value(shown, i, j, count));
  }
  if (shown !== 'count') best = 1;
  return (/** @type {boolean} */ isRight, /** @type {number} */ share) =>
    isRight
      ? mixed(panel, right, 0.12 + (0.88 * share) / (best || 1))
      : mixed(panel, wrong, 0.1 + 0.9 * Math.sqrt(share / (most || 1)));
}

/** @param {CanvasRenderingContext2D} pen @param {Shape} shape @param {number[]} order @param {Shown} shown */
function drawCells(pen, {left, top, cell}, order, shown) {
  const classes = theClasses();
  const colourOf = shading(classes, shown);
  const side = Math.max(cell - (cell >= 6 ? 1 : 0), 1);
  /** @type {number[]} */
  const rank = [];
  order.forEach((place, at) => (rank[place] = at));
  pen.fillStyle = colourText(styleColour('panel'));
  pen.fillRect(left, top, cell * classes.size, cell * classes.size);
  for (const [i, j, count] of classes.entries) {
    const value = classes.value(shown, i, j, count);
    const colour = colourOf(i === j, value);
    const [x, y] = [left + rank[j] * cell, top + rank[i] * cell];
    pen.fillStyle = colourText(colour);
    pen.fillRect(x, y, side, side);
    if (classes.size > MOST_WITH_NUMBERS) continue;
    pen.fillStyle = luminance(colour) > 0.19 ? '#111' : '#fff';
    drawNumber(pen, cellText(shown, value), i === j, {x: x + side / 2, y: y + side / 2 + 0.5, room: cell - 6});
  }
}

/**
 * Only where it fits; right answers are bold.
 * @param {CanvasRenderingContext2D} pen @param {string} words @param {boolean} bold
 * @param {{x: number, y: number, room: number}} place
 */
function drawNumber(pen, words, bold, {x, y, room}) {
  if (pen.measureText(words).width > room) return;
  pen.font = bold ? BOLD_FONT : FONT;
  pen.fillText(words, x, y);
}

/** @param {CanvasRenderingContext2D} pen @param {Shape} shape */
function drawAxes(pen, {left, top}) {
  if (top < 40 || left < 56) return;
  pen.font = SMALL_FONT;
  pen.fillStyle = colourText(styleColour('muted'));
  pen.textAlign = 'right';
  pen.fillText('labelled →', left - 6, top - 24);
  pen.fillText('true ↓', left - 6, top - 9);
}

/** Long names without the beginning that all of them share: cut short, they would look the same. */
function shownNames() {
  const {names} = theClasses();
  const first = names[0];
  let shared = first.length;
  for (const each of names) {
    while (!each.startsWith(first.slice(0, shared))) shared--;
  }
  while (shared > 0 && /[\p{L}\p{N}]/u.test(first[shared - 1])) shared--;
  const long = names.some(each => each.length > LONG_CLASS);
  return long && shared > 3 && names.length > 1 ? names.map(each => `…${each.slice(shared)}`) : names;
}

/** @param {CanvasRenderingContext2D} pen @param {Shape} shape @param {number[]} order */
function drawNames(pen, shape, order) {
  const {size} = theClasses();
  const names = shownNames();
  const {left, top, cell, step} = shape;
  pen.font = FONT;
  pen.fillStyle = colourText(styleColour(size > MOST_WITH_NUMBERS ? 'muted' : 'ink'));
  order.forEach((place, at) => {
    if (at % step) return;
    const middle = (at + 0.5) * cell;
    pen.textAlign = 'right';
    pen.fillText(shortened(pen, names[place], left - 10), left - 6, top + middle);
    drawColumnName(pen, shape, names[place], left + middle);
  });
}

/** @param {CanvasRenderingContext2D} pen @param {Shape} shape @param {string} name @param {number} x */
function drawColumnName(pen, {top, cell, flat}, name, x) {
  pen.save();
  if (flat) {
    pen.textAlign = 'center';
    pen.fillText(shortened(pen, name, cell - 6), x, top - 11);
  } else {
    pen.translate(x, top - 6);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = 'left';
    pen.fillText(shortened(pen, name, top - 10), 0, 0);
  }
  pen.restore();
}

/** @param {HTMLCanvasElement} canvas @param {number} room in pixels @param {number[]} order @param {Shown} shown */
export function drawMatrix(canvas, room, order, shown) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const scale = devicePixelRatio || 1;
  pen.font = FONT;
  const shape = measured(pen, room);
  canvas.width = Math.round(shape.width * scale);
  canvas.height = Math.round(shape.height * scale);
  Object.assign(canvas.style, {width: `${shape.width}px`, height: `${shape.height}px`});
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = FONT;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  drawCells(pen, shape, order, shown);
  drawAxes(pen, shape);
  drawNames(pen, shape, order);
  return shape;
}
