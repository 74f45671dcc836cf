// A cell of the matrix in words.

import {theClasses} from '../classes.js';
import {countText, percentText} from '../text.js';

/** @import {Shown} from '../types' */

/**
 * Two digits are enough inside a cell; never 100% for what is only nearly so.
 * @param {Shown} shown @param {number} value
 */
export function cellText(shown, value) {
  if (shown === 'count') return countText(value);
  if (value > 0 && value < 0.0005) return '<0.1%';
  if (value < 0.0995) return percentText(Number(value.toFixed(3)));
  const nearlyAll = Number(value.toPrecision(2)) === 1 && value < 1;
  return percentText(nearlyAll ? value : Number(value.toFixed(2)));
}

/** @param {number} place */
function quotedName(place) {
  const name = theClasses().names[place];
  return `“${name.length > 40 ? name.slice(0, 39) + '…' : name}”`;
}

/** What share of all that was called so this cell is. @param {number} i @param {number} j @param {number} count */
function backwards(i, j, count) {
  const {predicted, value} = theClasses();
  if (!predicted[j]) return '';
  const share = percentText(value('predicted', i, j, count));
  const called = `all that was labelled ${quotedName(j)}`;
  return i === j ? ` Of ${called}, ${share} are.` : ` That is ${share} of ${called}.`;
}

/** @param {number} i true class @param {number} j predicted class */
export function cellSentence(i, j) {
  const {cells, truth, count: countOf, value} = theClasses();
  const count = countOf(i, j);
  const ofClass = `of ${countText(truth[i])} ${quotedName(i)} were`;
  if (!count && cells.left_out) return `At most ${countText(cells.at_most)} ${ofClass} labelled ${quotedName(j)}.`;
  const share = truth[i] ? `, ${percentText(value('truth', i, j, count))} of them` : '';
  const rightly = i === j ? 'rightly ' : '';
  return `${countText(count)} ${ofClass} ${rightly}labelled ${quotedName(j)}${share}.${backwards(i, j, count)}`;
}
