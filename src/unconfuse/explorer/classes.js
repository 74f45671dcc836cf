// Several classes: the cells of the matrix that hold cases, and what a cell shows. Models are then single classes
// against the rest.

import {FORMULA} from './formulas.js';
import {payload} from './payload.js';
import {numbers} from './text.js';

/** @import {Classes, ClassesPart} from './types' */

/** @param {ClassesPart['cells']} cells @param {number} size */
function entriesOf(cells, size) {
  let place = 0;
  return cells.step.map((step, i) => {
    place += step;
    return /** @type {[number, number, number]} */ ([Math.floor(place / size), place % size, cells.count[i]]);
  });
}

/** @param {ClassesPart} part @returns {Classes} */
function readClasses(part) {
  const size = part.names.length;
  const truth = numbers(part.truth);
  const predicted = numbers(part.predicted);
  const entries = entriesOf(part.cells, size);
  const counted = new Map(entries.map(([i, j, count]) => [i * size + j, count]));
  return {
    ...part,
    size,
    truth,
    predicted,
    entries,
    full: numbers(part.full),
    count: (i, j) => counted.get(i * size + j) || 0,
    value: (shown, i, j, count) =>
      shown === 'count' ? count : FORMULA.share(count, shown === 'truth' ? truth[i] : predicted[j]),
  };
}

export const CLASSES = payload.classes ? readClasses(payload.classes) : null;

/** For what only pages of several classes show. */
export const theClasses = () => /** @type {Classes} */ (CLASSES);
