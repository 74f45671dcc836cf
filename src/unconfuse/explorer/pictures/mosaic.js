// The 2x2 table as areas and as counts.

import {clamped} from '../chart.js';
import {hasNumbers} from '../downloads.js';
import {html, setAttributes, setData, setText, svg} from '../elements.js';
import {figure} from '../figures.js';
import {chosenCounts, watch} from '../state.js';
import {countText, percentText} from '../text.js';

/** @import {Cell, Counts} from '../types' */

const HOW_MOSAIC =
  'Each area is a share of all cases: positives left, negatives right; labelled positive above, labelled negative ' +
  'below. Colours are those of the dots above. You want much full blue, little pale blue and little orange.';
/** @type {{cell: Cell, words: string, look: string}[]} */
const CELLS = [
  {cell: 'tp', words: 'found', look: 'positive full'},
  {cell: 'fn', words: 'missed', look: 'positive faint'},
  {cell: 'fp', words: 'falsely flagged', look: 'negative full'},
  {cell: 'tn', words: 'rightly not flagged', look: 'rest'},
];
const MOSAIC = {width: 460, height: 190, gap: 2, left: 78, right: 122};
/** Pixels between the lines of two labels. */
const LINE = 30;

/** @typedef {Record<Cell, {x: number, y: number, width: number, height: number}>} Areas */

/**
 * Positives left, negatives right; labelled positive above, labelled negative below.
 * @param {Counts} counts @returns {Areas}
 */
function areasOf({tp, fp, positives, negatives, total}) {
  const {width: whole, height, gap, left: start, right: end} = MOSAIC;
  const width = whole - start - end;
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
    const [name, share] = [svg('tspan', null, words), svg('tspan', {class: 'share'})];
    const text = svg(
      'text',
      {class: 'cell', 'text-anchor': look.startsWith('positive') ? 'end' : 'start'},
      name,
      share,
    );
    return {cell, rect: svg('rect', {class: look}), text, lines: [name, share]};
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
    const heights = labelHeights(places);
    for (const {cell, rect, lines} of areas) {
      drawArea(rect, places[cell]);
      setText(lines[1], shareText(counts, cell));
      const x = cell === 'tp' || cell === 'fn' ? MOSAIC.left - 8 : MOSAIC.width - MOSAIC.right + 8;
      lines.forEach((line, at) => setAttributes(line, {x, y: heights[cell] + 14 * at}));
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
 * Labels stand beside their column, at the height of their area; where an area is thin, its label keeps clear of the
 * other one.
 * @param {Areas} places @returns {Record<Cell, number>}
 */
function labelHeights({tp, fn, fp, tn}) {
  const [first, last] = [13, MOSAIC.height - 18];
  const pair = (/** @type {Areas[Cell]} */ above, /** @type {Areas[Cell]} */ below) => {
    const top = clamped(above.y + above.height / 2 - 2, first, last - LINE);
    return [top, clamped(below.y + below.height / 2 - 2, top + LINE, last)];
  };
  const [[found, missed], [alarmed, spared]] = [pair(tp, fn), pair(fp, tn)];
  return {tp: found, fn: missed, fp: alarmed, tn: spared};
}

function countsTable() {
  const {tp, fn, fp, tn} = Object.fromEntries(CELLS.map(({cell, words}) => [cell, countCell(cell, words)]));
  const heads = ['labelled positive', 'labelled negative'].map(each => html('th', {scope: 'col', class: 'num'}, each));
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
