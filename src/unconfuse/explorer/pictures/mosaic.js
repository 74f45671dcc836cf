// The 2x2 table as areas and as counts.

import {clamped} from '../chart.js';
import {hasNumbers} from '../downloads.js';
import {html, setAttributes, setData, setText, svg} from '../elements.js';
import {figure} from '../figures.js';
import {chosenCounts, watch} from '../state.js';
import {countText, percentText} from '../text.js';

/** @import {Cell, Counts} from '../types' */

const HOW_MOSAIC =
  'Each area is a share of all cases. Blue: positives, orange: negatives; full colour: called positive, pale: called ' +
  'negative. You want much full blue and little full orange.';
/** @type {{cell: Cell, words: string, look: string}[]} */
const CELLS = [
  {cell: 'tp', words: 'found', look: 'positive full'},
  {cell: 'fn', words: 'missed', look: 'positive faint'},
  {cell: 'fp', words: 'false alarms', look: 'negative full'},
  {cell: 'tn', words: 'rightly left alone', look: 'negative faint'},
];
const MOSAIC = {width: 420, height: 190, gap: 2, left: 104};

/** @typedef {Record<Cell, {x: number, y: number, width: number, height: number}>} Areas */

/**
 * Positives left, negatives right; called positive above, called negative below.
 * @param {Counts} counts @returns {Areas}
 */
function areasOf({tp, fp, positives, negatives, total}) {
  const {width: whole, height, gap, left: start} = MOSAIC;
  const width = whole - start;
  const split = (positives / total) * (width - gap);
  const [found, alarmed] = [(tp / positives) * (height - gap), (fp / negatives) * (height - gap)];
  const left = {x: start, width: split};
  const right = {x: start + split + gap, width: width - gap - split};
  return {
    tp: {...left, y: 0, height: found},
    fn: {...left, y: found + gap, height: height - gap - found},
    fp: {...right, y: 0, height: alarmed},
    tn: {...right, y: alarmed + gap, height: height - gap - alarmed},
  };
}

/** @param {Counts} counts @param {Cell} cell */
const shareText = (counts, cell) => percentText(counts[cell] / counts.total);

function mosaic() {
  const areas = CELLS.map(({cell, words, look}) => {
    const text = svg('text', {class: 'cell', 'text-anchor': look.startsWith('positive') ? 'end' : 'middle'});
    return {cell, words, rect: svg('rect', {class: look}), text};
  });
  const node = svg(
    'svg',
    {
      viewBox: `0 0 ${MOSAIC.width} ${MOSAIC.height}`,
      role: 'img',
      class: 'chart mosaic',
      'aria-label': 'Confusion matrix',
    },
    areas.flatMap(each => [each.rect, each.text]),
  );
  watch(() => {
    const counts = chosenCounts();
    const places = areasOf(counts);
    for (const {cell, words, rect, text} of areas) {
      drawArea(rect, places[cell]);
      drawWords(text, places[cell], `${words} ${shareText(counts, cell)}`, cell === 'tp' || cell === 'fn');
    }
    const said = CELLS.map(({cell, words}) => `${words} ${shareText(counts, cell)}`).join(', ');
    node.setAttribute('aria-label', `Confusion matrix as areas: ${said} of all cases`);
  });
  hasNumbers(node, ['cell', 'cases'], () => CELLS.map(({cell, words}) => [words, chosenCounts()[cell]]));
  return node;
}

/** @param {SVGRectElement} rect @param {Areas[Cell]} area */
function drawArea(rect, {x, y, width, height}) {
  const positive = {width: Math.max(width, 0), height: Math.max(height, 0)};
  for (const [name, value] of Object.entries({x, y, ...positive})) rect.setAttribute(name, value.toFixed(2));
}

/**
 * Words of positives stand left of their column, which may be narrow; those of negatives inside, or above where there
 * is no room.
 * @param {SVGTextElement} node @param {Areas[Cell]} area @param {string} words @param {boolean} beside
 */
function drawWords(node, {x, y, width, height}, words, beside) {
  setText(node, words);
  const middle = clamped(y + height / 2 + 4, 12, MOSAIC.height - 4);
  setAttributes(node, beside ? {x: MOSAIC.left - 8, y: middle} : {x: x + width / 2, y: middle});
}

function countsTable() {
  const {tp, fn, fp, tn} = Object.fromEntries(CELLS.map(({cell, words}) => [cell, countCell(cell, words)]));
  const heads = ['called positive', 'called negative'].map(each => html('th', {scope: 'col', class: 'num'}, each));
  const row = (/** @type {string} */ look, /** @type {string} */ words, /** @type {HTMLElement[]} */ cells) =>
    html('tr', null, html('th', {scope: 'row'}, html('span', {class: `key ${look}`}), words), cells);
  return html(
    'table',
    {class: 'small'},
    html('caption', {class: 'hidden'}, 'Confusion matrix in counts'),
    html('thead', null, html('tr', null, html('td', null), heads)),
    html('tbody', null, row('positive', 'positives', [tp, fn]), row('negative', 'negatives', [fp, tn])),
  );
}

/** @param {Cell} cell @param {string} words */
function countCell(cell, words) {
  const [count, share] = [html('span', null), html('span', {class: 'share'})];
  const made = html('td', {class: 'num', id: `cell-${cell}`}, count, share);
  watch(() => {
    const counts = chosenCounts();
    setText(count, countText(counts[cell]));
    setText(share, `${words}, ${shareText(counts, cell)}`);
    setData(made, {value: counts[cell]});
  });
  return made;
}

export const mosaicPicture = () =>
  figure('Confusion matrix', html('div', {class: 'plot'}, mosaic(), countsTable()), HOW_MOSAIC);
